#include "tests/onnx/messages.h"

namespace octet {
namespace {

void describe_value(format::ValueInfoProto& value, const std::string& name) {
  value.set_name(name);
  format::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(1);
  type.mutable_shape()->add_dim()->set_dim_value(2);
}

}  // namespace

format::ModelProto small_message() {
  format::ModelProto message;
  message.set_ir_version(10);
  format::OperatorSetIdProto& opset = *message.add_opset_import();
  opset.set_domain("");
  opset.set_version(21);
  format::GraphProto& graph = *message.mutable_graph();
  graph.set_name("main");
  describe_value(*graph.add_input(), "x");
  describe_value(*graph.add_output(), "y");
  format::NodeProto& node = *graph.add_node();
  node.set_op_type("Neg");
  node.add_input("x");
  node.add_output("y");
  return message;
}

format::ModelProto message_with(format::TensorProto tensor) {
  format::ModelProto message = small_message();
  tensor.set_name("w");
  *message.mutable_graph()->add_initializer() = std::move(tensor);
  return message;
}

format::TensorProto tensor_message(DType dtype, const Shape& shape) {
  format::TensorProto message;
  message.set_data_type(static_cast<int>(dtype));
  message.mutable_dims()->Add(shape.begin(), shape.end());
  return message;
}

Model parse(const std::string& bytes, const LoadOptions& options) {
  return parse_model(std::as_bytes(std::span(bytes)), options);
}

Model parse(const format::ModelProto& message, const LoadOptions& options) {
  return parse(message.SerializeAsString(), options);
}

Tensor parse_tensor(const format::TensorProto& tensor) {
  return parse(message_with(tensor)).graph.initializers.at(0).tensor;
}

}  // namespace octet
