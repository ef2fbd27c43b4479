// leftover.h: how fields that Octet does not interpret survive. A reader clears what it takes from a message; what is
// left, fields unknown to the schema included, is kept as bytes, and the writer starts from them.
#pragma once

#include <string>

namespace google::protobuf {
class MessageLite;
}

namespace octet {

// The message in its encoding; empty when nothing is left in it.
std::string leftover(const google::protobuf::MessageLite& message);

// Makes `message` what leftover() saved. Throws kFormat for bytes that are none.
void restore(const std::string& bytes, google::protobuf::MessageLite& message);

}  // namespace octet
