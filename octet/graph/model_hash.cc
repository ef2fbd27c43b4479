#include "octet/graph/model_hash.h"

#include <algorithm>
#include <array>
#include <bit>

#include "octet/base/sha256.h"

namespace octet {
namespace {

// Every part goes in with its size before it, so that no two models make the same bytes.
class ModelHasher {
 public:
  std::string finish() { return hash_.hex(); }

  void add(const Model& model) {
    add_imports(model.opset_imports);
    add(model.graph);
    count(model.functions.size());
    for (const Function& function : model.functions) add(function);
  }

 private:
  void number(std::uint64_t value) {
    std::array<std::byte, 8> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
    hash_.add(bytes);
  }
  void count(std::size_t size) { number(size); }
  void text(std::string_view value) {
    count(value.size());
    hash_.add(value);
  }
  void texts(const std::vector<std::string>& values) {
    count(values.size());
    for (const std::string& value : values) text(value);
  }

  void add_imports(std::vector<std::pair<std::string, std::int64_t>> imports) {
    std::sort(imports.begin(), imports.end());
    count(imports.size());
    for (const auto& [domain, version] : imports) {
      text(domain);
      number(static_cast<std::uint64_t>(version));
    }
  }

  void add(const Tensor& tensor) {
    number(static_cast<std::uint64_t>(tensor.dtype()));
    count(tensor.shape().size());
    for (const std::int64_t dim : tensor.shape()) number(static_cast<std::uint64_t>(dim));
    if (tensor.dtype() == DType::kString) {
      texts(tensor.strings());
    } else {
      count(tensor.bytes().size());
      hash_.add(tensor.bytes());
    }
  }

  void add(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void add(float value) { number(std::bit_cast<std::uint32_t>(value)); }
  void add(const std::string& value) { text(value); }
  template <typename T>
  void add(const std::vector<T>& values) {
    count(values.size());
    for (const T& value : values) add(value);
  }

  void add(const Attribute& attribute) {
    number(attribute.value.index());
    std::visit([&](const auto& value) { add(value); }, attribute.value);
    text(attribute.unknown_fields);
  }

  void add(const Node& node) {
    text(node.domain);
    text(node.op_type);
    text(node.overload);
    texts(node.inputs);
    texts(node.outputs);
    count(node.attributes.size());
    for (const auto& [name, attribute] : node.attributes) {
      text(name);
      add(attribute);
    }
    count(node.subgraphs.size());
    for (const auto& [name, attribute] : node.subgraphs) {
      text(name);
      number(attribute.is_list);
      count(attribute.graphs.size());
      for (const Graph& graph : attribute.graphs) add(graph);
    }
    count(node.references.size());
    for (const auto& [name, reference] : node.references) {
      text(name);
      text(reference.of);
    }
    texts(node.other_attributes);
  }

  void add_values(const std::vector<Value>& values) {
    count(values.size());
    for (const Value& value : values) {
      text(value.name);
      number(static_cast<std::uint64_t>(value.type.dtype));
    }
  }

  void add(const Graph& graph) {
    add_values(graph.inputs);
    add_values(graph.outputs);
    std::vector<const Initializer*> initializers;
    for (const Initializer& initializer : graph.initializers) initializers.push_back(&initializer);
    std::sort(initializers.begin(), initializers.end(),
              [](const Initializer* a, const Initializer* b) { return a->name < b->name; });
    count(initializers.size());
    for (const Initializer* initializer : initializers) {
      text(initializer->name);
      add(initializer->tensor);
      text(initializer->sparse);
    }
    count(graph.nodes.size());
    for (const Node& node : graph.nodes) add(node);
  }

  void add(const Function& function) {
    text(function.domain);
    text(function.name);
    text(function.overload);
    texts(function.inputs);
    texts(function.outputs);
    texts(function.attributes);
    count(function.defaults.size());
    for (const auto& [name, attribute] : function.defaults) {
      text(name);
      add(attribute);
    }
    add_imports(function.opset_imports);
    count(function.nodes.size());
    for (const Node& node : function.nodes) add(node);
  }

  Sha256 hash_;
};

}  // namespace

std::string model_hash(const Model& model) {
  ModelHasher hasher;
  hasher.add(model);
  return hasher.finish();
}

}  // namespace octet
