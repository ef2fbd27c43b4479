#include "octet/onnx/model_file.h"

#include <new>

#include "octet/base/fail.h"
#include "octet/base/in_file.h"
#include "octet/graph/sort_nodes.h"
#include "octet/graph/validate.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/external_data.h"
#include "octet/onnx/support/external_writer.h"
#include "octet/onnx/support/graph_reader.h"
#include "octet/onnx/support/graph_writer.h"
#include "octet/onnx/support/parse.h"
#include "octet/onnx/support/tensor_reader.h"
#include "octet/onnx/support/tensor_writer.h"
#include "octet/system/atomic_file.h"

namespace octet {
namespace {

Model finish(format::ModelProto& message, const Skeleton& skeleton, ExternalData external, const LoadOptions& options) {
  Model model = read_model(message, skeleton, external);
  message.Clear();
  if (options.external_files) *options.external_files = external.files();
  if (!options.validate) return model;
  model = sort_nodes(std::move(model));
  validate(model);
  return model;
}

// Runs `read`, adding the file's name to errors and turning a lack of memory into one.
template <typename Read>
auto read_from(const std::filesystem::path& path, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw in_file(path, error);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kLimit, "does not fit in memory", path.string());
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
  if (size > std::size_t{kLargestFile})
    fail(ErrorCode::kLimit, "the model takes {} bytes, the format holds at most {} in one file", size, kLargestFile);
  return message.SerializeAsString();
}

}  // namespace

Model load_model(const std::filesystem::path& path, const LoadOptions& options) {
  return read_from(path, [&] {
    format::ModelProto message;
    const Skeleton skeleton = parse_file(path, message);
    return finish(message, skeleton, options.external_data ? ExternalData(path.parent_path()) : ExternalData(),
                  options);
  });
}

Model parse_model(std::span<const std::byte> bytes, const LoadOptions& options) {
  return read_from("", [&] {
    format::ModelProto message;
    const Skeleton skeleton = parse_bytes(bytes, message);
    return finish(message, skeleton, ExternalData(), options);
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
    const Skeleton skeleton = parse_file(path, message);
    ExternalData external(path.parent_path());
    return read_tensor(message, external, &skeleton);
  });
}

void save_tensor(const Tensor& tensor, const std::string& name, const std::filesystem::path& path) {
  format::TensorProto message;
  message.set_name(name);
  write_tensor(tensor, message, nullptr);
  write_file(path, serialized(message));
}

}  // namespace octet
