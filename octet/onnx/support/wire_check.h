// wire_check.h: what must hold of a file's bytes before the parser sees them.
#pragma once

#include <cstdint>

namespace google::protobuf::io {
class ZeroCopyInputStream;
}

namespace octet {

enum class RootMessage { kModel, kTensor };

// Walks the `size` bytes of `input` as the parser will, skipping over the contents of tensors. Throws kFormat, with the
// position, where tags and lengths are not those of a whole message; kLimit where messages are nested more than 100
// deep, or where the parser and the model it becomes would take more than 64 MiB and 32 times the file: two bytes can
// announce a node, which takes hundreds.
void check_wire(google::protobuf::io::ZeroCopyInputStream& input, std::int64_t size, RootMessage root);

}  // namespace octet
