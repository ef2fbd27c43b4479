#include "octet/onnx/support/parse.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <exception>

#include "octet/base/fail.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/file_descriptor.h"
#include "octet/onnx/support/wire_check.h"

namespace octet {
namespace {

using google::protobuf::MessageLite;
using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::CopyingInputStreamAdaptor;

constexpr int kCheckBuffer = 1 << 12;  // most of a file is skipped over
constexpr int kParseBuffer = 1 << 18;

// The parser does not know exceptions: what goes wrong while reading waits here until it has given up.
class FileStream : public google::protobuf::io::CopyingInputStream {
 public:
  explicit FileStream(const FileDescriptor& file) : file_(file) {}

  int Read(void* buffer, int size) override {
    try {
      const std::size_t got =
          read_at(file_, offset_, {static_cast<std::byte*>(buffer), static_cast<std::size_t>(size)});
      offset_ += static_cast<std::int64_t>(got);
      return static_cast<int>(got);
    } catch (...) {
      error_ = std::current_exception();
      return -1;
    }
  }
  int Skip(int count) override {
    offset_ += count;
    return count;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const FileDescriptor& file_;
  std::int64_t offset_ = 0;
  std::exception_ptr error_;
};

int require_parsable(std::int64_t size) {
  if (size == 0) fail(ErrorCode::kFormat, "is empty");
  if (size > kLargestFile)
    fail(ErrorCode::kLimit, "has {} bytes, the format holds at most {} in one file", size, kLargestFile);
  return static_cast<int>(size);
}

[[noreturn]] void fail_unparsable() { fail(ErrorCode::kFormat, "is damaged, truncated or not an ONNX file"); }

void parse_file(const std::filesystem::path& path, MessageLite& message, RootMessage root) {
  const auto [file, file_size] = open_regular(path);
  const int size = require_parsable(file_size);
  FileStream checked(file), parsed(file);
  CopyingInputStreamAdaptor check_input(&checked, kCheckBuffer), parse_input(&parsed, kParseBuffer);
  check_wire(check_input, size, root);
  const bool ok = message.ParseFromBoundedZeroCopyStream(&parse_input, size);
  parsed.rethrow();
  if (!ok) fail_unparsable();
}

}  // namespace

void parse_file(const std::filesystem::path& path, format::ModelProto& message) {
  parse_file(path, message, RootMessage::kModel);
}

void parse_file(const std::filesystem::path& path, format::TensorProto& message) {
  parse_file(path, message, RootMessage::kTensor);
}

void parse_bytes(std::span<const std::byte> bytes, format::ModelProto& message) {
  const int size = require_parsable(static_cast<std::int64_t>(bytes.size()));
  ArrayInputStream input(bytes.data(), size);
  check_wire(input, size, RootMessage::kModel);
  if (!message.ParseFromArray(bytes.data(), size)) fail_unparsable();
}

}  // namespace octet
