#include "octet/onnx/support/graph_reader.h"

#include "octet/base/fail.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/leftover.h"
#include "octet/onnx/support/tensor_reader.h"
#include "octet/onnx/support/value_type.h"

namespace octet {
namespace {

using format::AttributeProto;

std::string normalized_domain(std::string domain) { return domain == "ai.onnx" ? std::string() : std::move(domain); }

template <typename Field>
std::vector<std::string> take_strings(Field* field) {
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(field->size()));
  for (std::string& value : *field) values.push_back(std::move(value));
  field->Clear();
  return values;
}

template <typename Message>
Metadata take_metadata(Message& message) {
  Metadata metadata;
  metadata.reserve(static_cast<std::size_t>(message.metadata_props_size()));
  for (format::StringStringEntryProto& entry : *message.mutable_metadata_props())
    metadata.emplace_back(std::move(*entry.mutable_key()), std::move(*entry.mutable_value()));
  message.clear_metadata_props();
  return metadata;
}

template <typename Message>
std::string take_name(Message& message) {
  std::string name = std::move(*message.mutable_name());
  message.clear_name();
  return name;
}

template <typename Message>
std::string take_doc(Message& message) {
  std::string doc = std::move(*message.mutable_doc_string());
  message.clear_doc_string();
  return doc;
}

template <typename Message>
std::string take_domain(Message& message) {
  std::string domain = normalized_domain(std::move(*message.mutable_domain()));
  message.clear_domain();
  return domain;
}

template <typename Message>
std::string take_overload(Message& message) {
  std::string overload = std::move(*message.mutable_overload());
  message.clear_overload();
  return overload;
}

template <typename Message>
std::vector<std::pair<std::string, std::int64_t>> take_opsets(Message& message) {
  std::vector<std::pair<std::string, std::int64_t>> opsets;
  for (format::OperatorSetIdProto& opset : *message.mutable_opset_import())
    opsets.emplace_back(take_domain(opset), opset.version());
  message.clear_opset_import();
  return opsets;
}

// Reads one model; `external` is where its tensors may be.
class Reader {
 public:
  explicit Reader(ExternalData& external) : external_(external) {}

  Graph graph(format::GraphProto& message) {
    Graph graph;
    graph.name = take_name(message);
    graph.nodes = nodes(*message.mutable_node());
    graph.initializers = initializers(message);
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
  std::vector<Node> nodes(google::protobuf::RepeatedPtrField<format::NodeProto>& messages) {
    std::vector<Node> nodes;
    nodes.reserve(static_cast<std::size_t>(messages.size()));
    for (format::NodeProto& message : messages) nodes.push_back(node(message));
    messages.Clear();
    return nodes;
  }

  Node node(format::NodeProto& message) {
    Node node;
    node.name = take_name(message);
    node.op_type = std::move(*message.mutable_op_type());
    message.clear_op_type();
    node.domain = take_domain(message);
    node.overload = take_overload(message);
    node.inputs = take_strings(message.mutable_input());
    node.outputs = take_strings(message.mutable_output());
    try {
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
    const std::string& name = message.name();
    if (node.attributes.has(name) || node.subgraphs.contains(name) || node.references.contains(name))
      fail(ErrorCode::kModel, "attribute {} is given twice", name);
    if (!message.ref_attr_name().empty()) {
      node.references.emplace(take_name(message), reference(message));
      return;
    }
    const AttributeProto::AttributeType kind = kind_of(message);
    if (kind == AttributeProto::GRAPH || kind == AttributeProto::GRAPHS) {
      node.subgraphs.emplace(take_name(message), subgraphs(message, kind == AttributeProto::GRAPHS));
    } else if (is_interpreted(kind)) {
      std::string key = take_name(message);
      node.attributes.set(std::move(key), attribute(message, kind));
    } else {
      node.other_attributes.push_back(message.SerializeAsString());
    }
  }

  // Files of the first IR version leave the type out; what is there tells it.
  static AttributeProto::AttributeType kind_of(const AttributeProto& message) {
    if (message.type() != AttributeProto::UNDEFINED) return message.type();
    if (message.has_f()) return AttributeProto::FLOAT;
    if (message.has_i()) return AttributeProto::INT;
    if (message.has_s()) return AttributeProto::STRING;
    if (message.has_t()) return AttributeProto::TENSOR;
    if (message.has_g()) return AttributeProto::GRAPH;
    if (message.floats_size() > 0) return AttributeProto::FLOATS;
    if (message.ints_size() > 0) return AttributeProto::INTS;
    if (message.strings_size() > 0) return AttributeProto::STRINGS;
    if (message.tensors_size() > 0) return AttributeProto::TENSORS;
    if (message.graphs_size() > 0) return AttributeProto::GRAPHS;
    return AttributeProto::UNDEFINED;
  }

  static bool is_interpreted(AttributeProto::AttributeType kind) {
    switch (kind) {
      case AttributeProto::FLOAT:
      case AttributeProto::INT:
      case AttributeProto::STRING:
      case AttributeProto::TENSOR:
      case AttributeProto::FLOATS:
      case AttributeProto::INTS:
      case AttributeProto::STRINGS:
      case AttributeProto::TENSORS: return true;
      default: return false;
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

  Attribute attribute(AttributeProto& message, AttributeProto::AttributeType kind) {
    Attribute attribute;
    attribute.value = attribute_value(message, kind);
    message.clear_type();
    attribute.doc = take_doc(message);
    attribute.unknown_fields = leftover(message);
    return attribute;
  }

  // Tensors leave their names and documentation behind in the message, and with it among the unknown fields.
  AttributeValue attribute_value(AttributeProto& message, AttributeProto::AttributeType kind) {
    AttributeValue value;
    switch (kind) {
      case AttributeProto::FLOAT:
        value = message.f();
        message.clear_f();
        return value;
      case AttributeProto::INT:
        value = message.i();
        message.clear_i();
        return value;
      case AttributeProto::STRING:
        value = std::move(*message.mutable_s());
        message.clear_s();
        return value;
      case AttributeProto::FLOATS:
        value = std::vector<float>(message.floats().begin(), message.floats().end());
        message.clear_floats();
        return value;
      case AttributeProto::INTS:
        value = std::vector<std::int64_t>(message.ints().begin(), message.ints().end());
        message.clear_ints();
        return value;
      case AttributeProto::STRINGS: return take_strings(message.mutable_strings());
      case AttributeProto::TENSOR:
        value = read_tensor(*message.mutable_t(), external_);
        if (message.t().ByteSizeLong() == 0) message.clear_t();
        return value;
      default: return tensors(message);
    }
  }

  std::vector<Tensor> tensors(AttributeProto& message) {
    std::vector<Tensor> tensors;
    bool spent = true;
    for (format::TensorProto& member : *message.mutable_tensors()) {
      tensors.push_back(read_tensor(member, external_));
      spent = spent && member.ByteSizeLong() == 0;
    }
    if (spent) message.clear_tensors();
    return tensors;
  }

  std::vector<Initializer> initializers(format::GraphProto& message) {
    std::vector<Initializer> initializers;
    initializers.reserve(static_cast<std::size_t>(message.initializer_size() + message.sparse_initializer_size()));
    for (format::TensorProto& member : *message.mutable_initializer()) initializers.push_back(initializer(member));
    message.clear_initializer();
    for (const format::SparseTensorProto& member : message.sparse_initializer())
      initializers.push_back({.name = member.values().name(), .sparse = member.SerializeAsString()});
    message.clear_sparse_initializer();
    return initializers;
  }

  Initializer initializer(format::TensorProto& message) {
    Initializer initializer;
    initializer.name = take_name(message);
    try {
      initializer.tensor = read_tensor(message, external_);
    } catch (const Error& error) {
      throw error.at("initializer " + initializer.name);
    }
    initializer.doc = take_doc(message);
    initializer.metadata = take_metadata(message);
    initializer.unknown_fields = leftover(message);
    return initializer;
  }

  std::vector<Value> values(google::protobuf::RepeatedPtrField<format::ValueInfoProto>& messages) {
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
  std::map<std::string, Attribute, std::less<>> defaults(google::protobuf::RepeatedPtrField<AttributeProto>& messages) {
    std::map<std::string, Attribute, std::less<>> defaults;
    google::protobuf::RepeatedPtrField<AttributeProto> others;
    for (AttributeProto& message : messages) {
      const AttributeProto::AttributeType kind = kind_of(message);
      if (!is_interpreted(kind)) {
        others.Add(std::move(message));
        continue;
      }
      std::string name = take_name(message);
      if (defaults.contains(name)) fail(ErrorCode::kModel, "attribute {} of a function is given twice", name);
      defaults.emplace(std::move(name), attribute(message, kind));
    }
    messages.Swap(&others);
    return defaults;
  }

  ExternalData& external_;
};

}  // namespace

Model read_model(format::ModelProto& message, ExternalData& external) {
  if (!message.has_graph()) fail(ErrorCode::kFormat, "there is no graph in it: not an ONNX model");
  Reader reader(external);
  Model model;
  model.ir_version = message.ir_version();
  message.clear_ir_version();
  model.opset_imports = take_opsets(message);
  model.producer_name = std::move(*message.mutable_producer_name());
  message.clear_producer_name();
  model.producer_version = std::move(*message.mutable_producer_version());
  message.clear_producer_version();
  model.domain = std::move(*message.mutable_domain());
  message.clear_domain();
  model.model_version = message.model_version();
  message.clear_model_version();
  model.doc = take_doc(message);
  model.graph = reader.graph(*message.mutable_graph());
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
