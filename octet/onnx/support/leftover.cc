#include "octet/onnx/support/leftover.h"

#include <google/protobuf/message_lite.h>

#include "octet/base/fail.h"

namespace octet {

std::string leftover(const google::protobuf::MessageLite& message) { return message.SerializeAsString(); }

void restore(const std::string& bytes, google::protobuf::MessageLite& message) {
  if (!message.ParseFromString(bytes))
    fail(ErrorCode::kFormat, "the {} unknown bytes of a {} can't be written back", bytes.size(), message.GetTypeName());
}

}  // namespace octet
