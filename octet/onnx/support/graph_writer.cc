#include "octet/onnx/support/graph_writer.h"

#include "octet/base/fail.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/attribute.h"
#include "octet/onnx/support/leftover.h"
#include "octet/onnx/support/tensor_writer.h"
#include "octet/onnx/support/value_type.h"

namespace octet {
namespace {

using format::AttributeProto;

template <typename Message>
void write_metadata(const Metadata& metadata, Message& message) {
  for (const auto& [key, value] : metadata) {
    format::StringStringEntryProto& entry = *message.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
}

template <typename Message>
void write_doc(const std::string& doc, Message& message) {
  if (!doc.empty()) message.set_doc_string(doc);
}

// Starts each import from what the reader left of it in the message.
template <typename Message>
void write_opsets(const std::vector<std::pair<std::string, std::int64_t>>& opsets, Message& message) {
  google::protobuf::RepeatedPtrField<format::OperatorSetIdProto> restored;
  restored.Swap(message.mutable_opset_import());
  for (const auto& [domain, version] : opsets) {
    format::OperatorSetIdProto& opset = *message.add_opset_import();
    for (const format::OperatorSetIdProto& known : restored)
      if (known.domain() == domain) opset = known;
    opset.set_domain(domain);
    opset.set_version(version);
  }
}

void write_value_info(const Value& value, format::ValueInfoProto& message) {
  restore(value.unknown_fields, message);
  message.set_name(value.name);
  format::TypeProto type;
  write_type(value.type, type);
  if (type.ByteSizeLong() > 0) *message.mutable_type() = std::move(type);
  write_doc(value.doc, message);
  write_metadata(value.metadata, message);
}

class Writer {
 public:
  explicit Writer(ExternalWriter* external) : external_(external) {}

  void graph(const Graph& graph, format::GraphProto& message) const {
    restore(graph.unknown_fields, message);
    message.set_name(graph.name);
    for (const Node& member : graph.nodes) node(member, *message.add_node());
    for (const Initializer& member : graph.initializers) {
      if (member.sparse.empty())
        initializer(member, *message.add_initializer());
      else
        restore(member.sparse, *message.add_sparse_initializer());
    }
    for (const Value& value : graph.inputs) write_value_info(value, *message.add_input());
    for (const Value& value : graph.outputs) write_value_info(value, *message.add_output());
    for (const Value& value : graph.value_info) write_value_info(value, *message.add_value_info());
    write_doc(graph.doc, message);
    write_metadata(graph.metadata, message);
  }

  void function(const Function& function, format::FunctionProto& message) const {
    restore(function.unknown_fields, message);
    message.set_name(function.name);
    message.set_domain(function.domain);
    if (!function.overload.empty()) message.set_overload(function.overload);
    for (const std::string& input : function.inputs) message.add_input(input);
    for (const std::string& output : function.outputs) message.add_output(output);
    for (const std::string& name : function.attributes) message.add_attribute(name);
    for (const auto& [name, value] : function.defaults) write_attribute(name, value, *message.add_attribute_proto());
    for (const Node& member : function.nodes) node(member, *message.add_node());
    write_opsets(function.opset_imports, message);
    for (const Value& value : function.value_info) write_value_info(value, *message.add_value_info());
    write_doc(function.doc, message);
    write_metadata(function.metadata, message);
  }

 private:
  void node(const Node& node, format::NodeProto& message) const {
    if (node.opset != 0)
      throw Error(
          ErrorCode::kUnsupported,
          fmt::format("the node is meant in opset {}, which is not the model's: a file can't say that", node.opset),
          describe(node));
    restore(node.unknown_fields, message);
    if (!node.name.empty()) message.set_name(node.name);
    message.set_op_type(node.op_type);
    if (!node.domain.empty()) message.set_domain(node.domain);
    if (!node.overload.empty()) message.set_overload(node.overload);
    for (const std::string& input : node.inputs) message.add_input(input);
    for (const std::string& output : node.outputs) message.add_output(output);
    for (const auto& [name, value] : node.attributes) write_attribute(name, value, *message.add_attribute());
    for (const auto& [name, value] : node.subgraphs) subgraphs(name, value, *message.add_attribute());
    for (const auto& [name, value] : node.references) reference(name, value, *message.add_attribute());
    for (const std::string& other : node.other_attributes) restore(other, *message.add_attribute());
    write_doc(node.doc, message);
    write_metadata(node.metadata, message);
  }

  void subgraphs(const std::string& name, const GraphAttribute& attribute, AttributeProto& message) const {
    restore(attribute.unknown_fields, message);
    message.set_name(name);
    message.set_type(attribute.is_list ? AttributeProto::GRAPHS : AttributeProto::GRAPH);
    for (const Graph& member : attribute.graphs)
      graph(member, attribute.is_list ? *message.add_graphs() : *message.mutable_g());
    write_doc(attribute.doc, message);
  }

  static void reference(const std::string& name, const AttributeReference& reference, AttributeProto& message) {
    restore(reference.unknown_fields, message);
    message.set_name(name);
    message.set_ref_attr_name(reference.of);
    if (reference.type != 0) message.set_type(static_cast<AttributeProto::AttributeType>(reference.type));
    write_doc(reference.doc, message);
  }

  void initializer(const Initializer& initializer, format::TensorProto& message) const {
    restore(initializer.unknown_fields, message);
    message.set_name(initializer.name);
    write_tensor(initializer.tensor, message, external_);
    write_doc(initializer.doc, message);
    write_metadata(initializer.metadata, message);
  }

  ExternalWriter* external_;
};

}  // namespace

void write_model(const Model& model, format::ModelProto& message, ExternalWriter* external) {
  const Writer writer(external);
  restore(model.unknown_fields, message);
  message.set_ir_version(model.ir_version);
  write_opsets(model.opset_imports, message);
  if (!model.producer_name.empty()) message.set_producer_name(model.producer_name);
  if (!model.producer_version.empty()) message.set_producer_version(model.producer_version);
  if (!model.domain.empty()) message.set_domain(model.domain);
  if (model.model_version != 0) message.set_model_version(model.model_version);
  write_doc(model.doc, message);
  writer.graph(model.graph, *message.mutable_graph());
  for (const Function& function : model.functions) writer.function(function, *message.add_functions());
  write_metadata(model.metadata, message);
}

}  // namespace octet
