#include "octet/onnx/support/graph_reader.h"

#include <string_view>
#include <unordered_set>

#include "octet/base/fail.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/attribute.h"
#include "octet/onnx/support/leftover.h"
#include "octet/onnx/support/take.h"
#include "octet/onnx/support/tensor_reader.h"
#include "octet/onnx/support/tensor_writer.h"
#include "octet/onnx/support/value_type.h"

namespace octet {
namespace {

using format::AttributeProto;
using google::protobuf::RepeatedPtrField;

void require_unique_names(const RepeatedPtrField<AttributeProto>& attributes) {
  std::unordered_set<std::string_view> names;
  for (const AttributeProto& attribute : attributes)
    if (!names.insert(attribute.name()).second)
      fail(ErrorCode::kModel, "attribute {} is given twice", attribute.name());
}

// Reads one model; `external` is where its tensors may be.
class Reader {
 public:
  explicit Reader(ExternalData& external) : external_(external) {}

  // The initializers of the main graph are in its skeleton.
  Graph graph(format::GraphProto& message, const Skeleton* skeleton = nullptr) {
    Graph graph;
    graph.name = take_name(message);
    graph.nodes = nodes(*message.mutable_node());
    graph.initializers = initializers(message, skeleton);
    graph.inputs = values(*message.mutable_input());
    graph.outputs = values(*message.mutable_output());
    graph.value_info = values(*message.mutable_value_info());
    graph.doc = take_doc(message);
    graph.metadata = take_metadata(message);
    graph.unknown_fields = leftover(message);
    return graph;
  }

  Function function(format::FunctionProto& message) {
    Function function;
    function.name = take_name(message);
    function.domain = take_domain(message);
    function.overload = take_overload(message);
    function.inputs = take_strings(message.mutable_input());
    function.outputs = take_strings(message.mutable_output());
    function.attributes = take_strings(message.mutable_attribute());
    function.defaults = defaults(*message.mutable_attribute_proto());
    function.nodes = nodes(*message.mutable_node());
    function.opset_imports = take_opsets(message);
    function.value_info = values(*message.mutable_value_info());
    function.doc = take_doc(message);
    function.metadata = take_metadata(message);
    function.unknown_fields = leftover(message);
    return function;
  }

 private:
  std::vector<Node> nodes(RepeatedPtrField<format::NodeProto>& messages) {
    std::vector<Node> nodes;
    nodes.reserve(static_cast<std::size_t>(messages.size()));
    for (format::NodeProto& message : messages) nodes.push_back(node(message));
    messages.Clear();
    return nodes;
  }

  Node node(format::NodeProto& message) {
    Node node;
    node.name = take_name(message);
    if (message.has_op_type()) node.op_type = std::move(*message.mutable_op_type());
    message.clear_op_type();
    node.domain = take_domain(message);
    node.overload = take_overload(message);
    node.inputs = take_strings(message.mutable_input());
    node.outputs = take_strings(message.mutable_output());
    try {
      require_unique_names(message.attribute());
      for (AttributeProto& attribute : *message.mutable_attribute()) add_attribute(node, attribute);
    } catch (const Error& error) {
      throw error.at(describe(node));
    }
    message.clear_attribute();
    node.doc = take_doc(message);
    node.metadata = take_metadata(message);
    node.unknown_fields = leftover(message);
    return node;
  }

  void add_attribute(Node& node, AttributeProto& message) {
    const int type = attribute_type(message);
    if (!message.ref_attr_name().empty()) {
      std::string key = take_name(message);
      node.references.emplace(std::move(key), reference(message));
    } else if (type == AttributeProto::GRAPH || type == AttributeProto::GRAPHS) {
      std::string key = take_name(message);
      node.subgraphs.emplace(std::move(key), subgraphs(message, type == AttributeProto::GRAPHS));
    } else if (std::optional<Attribute> attribute = read_attribute(message, external_)) {
      node.attributes.set(message.name(), *std::move(attribute));
    } else {
      node.other_attributes.push_back(other_attribute(message));
    }
  }

  AttributeReference reference(AttributeProto& message) {
    AttributeReference reference;
    reference.of = std::move(*message.mutable_ref_attr_name());
    message.clear_ref_attr_name();
    reference.type = message.type();
    message.clear_type();
    reference.doc = take_doc(message);
    reference.unknown_fields = leftover(message);
    return reference;
  }

  GraphAttribute subgraphs(AttributeProto& message, bool is_list) {
    GraphAttribute attribute;
    attribute.is_list = is_list;
    if (is_list) {
      attribute.graphs.reserve(static_cast<std::size_t>(message.graphs_size()));
      for (format::GraphProto& member : *message.mutable_graphs()) attribute.graphs.push_back(graph(member));
      message.clear_graphs();
    } else {
      attribute.graphs.push_back(graph(*message.mutable_g()));
      message.clear_g();
    }
    message.clear_type();
    attribute.doc = take_doc(message);
    attribute.unknown_fields = leftover(message);
    return attribute;
  }

  std::string other_attribute(AttributeProto& message) {
    if (message.has_sparse_tensor()) fetch(*message.mutable_sparse_tensor());
    for (format::SparseTensorProto& member : *message.mutable_sparse_tensors()) fetch(member);
    return message.SerializeAsString();
  }

  std::vector<Initializer> initializers(format::GraphProto& message, const Skeleton* skeleton) {
    std::vector<Initializer> initializers;
    initializers.reserve(static_cast<std::size_t>(message.initializer_size() + message.sparse_initializer_size()));
    for (format::TensorProto& member : *message.mutable_initializer())
      initializers.push_back(initializer(member, skeleton));
    message.clear_initializer();
    for (format::SparseTensorProto& member : *message.mutable_sparse_initializer()) {
      fetch(member);
      initializers.push_back({.name = member.values().name(), .sparse = member.SerializeAsString()});
    }
    message.clear_sparse_initializer();
    return initializers;
  }

  Initializer initializer(format::TensorProto& message, const Skeleton* skeleton) {
    Initializer initializer;
    initializer.name = take_name(message);
    try {
      initializer.tensor = read_tensor(message, external_, skeleton);
    } catch (const Error& error) {
      throw error.at("initializer " + initializer.name);
    }
    initializer.doc = take_doc(message);
    initializer.metadata = take_metadata(message);
    initializer.unknown_fields = leftover(message);
    return initializer;
  }

  // What is kept as bytes must not point into files that another folder does not have.
  void fetch(format::SparseTensorProto& message) {
    if (message.values().data_location() == format::TensorProto::EXTERNAL) fetch(*message.mutable_values());
    if (message.indices().data_location() == format::TensorProto::EXTERNAL) fetch(*message.mutable_indices());
  }

  void fetch(format::TensorProto& message) {
    const Tensor tensor = read_tensor(message, external_);
    write_tensor(tensor, message, nullptr);
  }

  std::vector<Value> values(RepeatedPtrField<format::ValueInfoProto>& messages) {
    std::vector<Value> values;
    values.reserve(static_cast<std::size_t>(messages.size()));
    for (format::ValueInfoProto& message : messages) values.push_back(value(message));
    messages.Clear();
    return values;
  }

  static Value value(format::ValueInfoProto& message) {
    Value value;
    value.name = take_name(message);
    try {
      if (message.has_type()) value.type = read_type(*message.mutable_type());
    } catch (const Error& error) {
      throw error.at("value " + value.name);
    }
    message.clear_type();
    value.doc = take_doc(message);
    value.metadata = take_metadata(message);
    value.unknown_fields = leftover(message);
    return value;
  }

  // Defaults that are graphs or types stay in the message, and with it among the unknown fields.
  std::map<std::string, Attribute, std::less<>> defaults(RepeatedPtrField<AttributeProto>& messages) {
    require_unique_names(messages);
    std::map<std::string, Attribute, std::less<>> defaults;
    RepeatedPtrField<AttributeProto> others;
    for (AttributeProto& message : messages) {
      if (std::optional<Attribute> attribute = read_attribute(message, external_))
        defaults.emplace(message.name(), *std::move(attribute));
      else
        others.Add(std::move(message));
    }
    messages.Swap(&others);
    return defaults;
  }

  ExternalData& external_;
};

}  // namespace

Model read_model(format::ModelProto& message, const Skeleton& skeleton, ExternalData& external) {
  if (!message.has_graph()) fail(ErrorCode::kFormat, "is not an ONNX model: it has no graph");
  Reader reader(external);
  Model model;
  model.ir_version = message.ir_version();
  message.clear_ir_version();
  model.opset_imports = take_opsets(message);
  model.producer_name = message.producer_name();
  message.clear_producer_name();
  model.producer_version = message.producer_version();
  message.clear_producer_version();
  model.domain = message.domain();
  message.clear_domain();
  model.model_version = message.model_version();
  message.clear_model_version();
  model.doc = take_doc(message);
  model.graph = reader.graph(*message.mutable_graph(), &skeleton);
  message.clear_graph();
  model.functions.reserve(static_cast<std::size_t>(message.functions_size()));
  for (format::FunctionProto& function : *message.mutable_functions())
    model.functions.push_back(reader.function(function));
  message.clear_functions();
  model.metadata = take_metadata(message);
  model.unknown_fields = leftover(message);
  return model;
}

}  // namespace octet
