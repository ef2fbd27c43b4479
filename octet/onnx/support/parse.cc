#include "octet/onnx/support/parse.h"

#include "octet/base/fail.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/byte_source.h"

namespace octet {
namespace {

Skeleton parse(ByteSource& source, RootMessage root, google::protobuf::MessageLite& message) {
  if (source.size() == 0) fail(ErrorCode::kFormat, "is empty");
  if (source.size() > kLargestFile)
    fail(ErrorCode::kLimit, "has {} bytes, the format holds at most {} in one file", source.size(), kLargestFile);
  Skeleton skeleton = read_skeleton(source, root);
  if (skeleton.messages.size() > std::size_t{kLargestFile} || !message.ParseFromString(skeleton.messages))
    fail(ErrorCode::kFormat, "is damaged, truncated or not an ONNX file");
  skeleton.messages = std::string();
  return skeleton;
}

Skeleton parse(const std::filesystem::path& path, RootMessage root, google::protobuf::MessageLite& message) {
  auto [file, size] = open_regular(path);
  FileSource source(std::move(file), size);
  return parse(source, root, message);
}

}  // namespace

Skeleton parse_file(const std::filesystem::path& path, format::ModelProto& message) {
  return parse(path, RootMessage::kModel, message);
}

Skeleton parse_file(const std::filesystem::path& path, format::TensorProto& message) {
  return parse(path, RootMessage::kTensor, message);
}

Skeleton parse_bytes(std::span<const std::byte> bytes, format::ModelProto& message) {
  MemorySource source(bytes);
  return parse(source, RootMessage::kModel, message);
}

}  // namespace octet
