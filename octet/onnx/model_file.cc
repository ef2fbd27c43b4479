#include "octet/onnx/model_file.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>
#include <new>

#include "octet/base/atomic_file.h"
#include "octet/base/fail.h"
#include "octet/graph/validate.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/external_data.h"
#include "octet/onnx/support/external_writer.h"
#include "octet/onnx/support/file_descriptor.h"
#include "octet/onnx/support/graph_reader.h"
#include "octet/onnx/support/graph_writer.h"
#include "octet/onnx/support/tensor_reader.h"
#include "octet/onnx/support/tensor_writer.h"

namespace octet {
namespace {

constexpr std::int64_t kLargestFile = std::numeric_limits<std::int32_t>::max();

void require_parsable(std::int64_t size) {
  if (size == 0) fail(ErrorCode::kFormat, "it is empty");
  if (size > kLargestFile)
    fail(ErrorCode::kLimit, "it has {} bytes, the format holds at most {} in one file", size, kLargestFile);
}

// The file as a stream: large tensors go from the file to their own memory in one pass.
class FileStream : public google::protobuf::io::CopyingInputStream {
 public:
  explicit FileStream(const FileDescriptor& file) : file_(file) {}

  int Read(void* buffer, int size) override {
    const std::span out(static_cast<std::byte*>(buffer), static_cast<std::size_t>(size));
    const std::size_t got = read_at(file_, offset_, out);
    offset_ += static_cast<std::int64_t>(got);
    return static_cast<int>(got);
  }

 private:
  const FileDescriptor& file_;
  std::int64_t offset_ = 0;
};

template <typename Message>
void parse_file(const std::filesystem::path& path, Message& message) {
  const auto [file, size] = open_regular(path);
  require_parsable(size);
  FileStream stream(file);
  google::protobuf::io::CopyingInputStreamAdaptor input(&stream, 1 << 18);
  if (!message.ParseFromBoundedZeroCopyStream(&input, static_cast<int>(size)))
    fail(ErrorCode::kFormat, "it is damaged, truncated or not an ONNX file");
}

Model finish(format::ModelProto& message, ExternalData external, const LoadOptions& options) {
  Model model = read_model(message, external);
  message.Clear();
  if (options.validate) validate(model);
  return model;
}

// Runs `read`, adding the file's name to errors and turning a lack of memory into one.
template <typename Read>
auto read_from(const std::filesystem::path& path, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw error.at(path.string());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kLimit, "there is not enough memory to read it", path.string());
  }
}

std::int64_t initializer_bytes(const Graph& graph) {
  std::int64_t total = 0;
  for (const Initializer& initializer : graph.initializers) total += stored_size(initializer.tensor);
  for (const Node& node : graph.nodes)
    for (const auto& [name, attribute] : node.subgraphs)
      for (const Graph& subgraph : attribute.graphs) total += initializer_bytes(subgraph);
  return total;
}

std::string serialized(const google::protobuf::MessageLite& message) {
  const std::size_t size = message.ByteSizeLong();
  if (size > static_cast<std::size_t>(kLargestFile))
    fail(ErrorCode::kLimit, "the model takes {} bytes, the format holds at most {} in one file", size, kLargestFile);
  return message.SerializeAsString();
}

}  // namespace

Model load_model(const std::filesystem::path& path, const LoadOptions& options) {
  return read_from(path, [&] {
    format::ModelProto message;
    parse_file(path, message);
    return finish(message, options.external_data ? ExternalData(path.parent_path()) : ExternalData(), options);
  });
}

Model parse_model(std::span<const std::byte> bytes, const LoadOptions& options) {
  return read_from("", [&] {
    require_parsable(static_cast<std::int64_t>(bytes.size()));
    format::ModelProto message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      fail(ErrorCode::kFormat, "these bytes are damaged, truncated or not an ONNX model");
    return finish(message, ExternalData(), options);
  });
}

std::string serialize_model(const Model& model) {
  format::ModelProto message;
  write_model(model, message, nullptr);
  return serialized(message);
}

void save_model(const Model& model, const std::filesystem::path& path, const SaveOptions& options) {
  constexpr std::int64_t kDefaultThreshold = 1024;
  constexpr std::int64_t kHeadroom = 64 << 20;  // for everything that is not a tensor
  std::int64_t threshold = options.external_threshold;
  if (threshold < 0 && initializer_bytes(model.graph) > kLargestFile - kHeadroom) threshold = kDefaultThreshold;

  std::filesystem::path data_path = path;
  data_path += ".data";
  ExternalWriter external(data_path, threshold);
  format::ModelProto message;
  write_model(model, message, threshold >= 0 ? &external : nullptr);
  const std::string bytes = serialized(message);
  AtomicFile file(path);
  file.write(bytes);
  external.commit();
  file.commit();
}

Tensor load_tensor(const std::filesystem::path& path) {
  return read_from(path, [&] {
    format::TensorProto message;
    parse_file(path, message);
    ExternalData external(path.parent_path());
    return read_tensor(message, external);
  });
}

void save_tensor(const Tensor& tensor, const std::string& name, const std::filesystem::path& path) {
  format::TensorProto message;
  message.set_name(name);
  write_tensor(tensor, message, nullptr);
  write_file(path, serialized(message));
}

}  // namespace octet
