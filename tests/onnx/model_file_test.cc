#include "octet/onnx/model_file.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "octet/onnx/onnx.pb.h"

namespace octet {
namespace {

format::ModelProto small_message() {
  format::ModelProto message;
  message.set_ir_version(10);
  message.add_opset_import()->set_version(21);
  format::GraphProto& graph = *message.mutable_graph();
  graph.set_name("main");
  graph.add_input()->set_name("x");
  graph.add_output()->set_name("y");
  format::NodeProto& node = *graph.add_node();
  node.set_op_type("Neg");
  node.add_input("x");
  node.add_output("y");
  return message;
}

Model parse(const format::ModelProto& message) {
  const std::string bytes = message.SerializeAsString();
  return parse_model(std::as_bytes(std::span(bytes)));
}

TEST(ParseModel, ReadsASmallModel) {
  const Model model = parse(small_message());
  EXPECT_EQ(model.ir_version, 10);
  EXPECT_EQ(model.opset(""), 21);
  EXPECT_EQ(model.graph.name, "main");
  ASSERT_EQ(model.graph.nodes.size(), 1);
  EXPECT_EQ(model.graph.nodes[0].op_type, "Neg");
  EXPECT_EQ(model.graph.nodes[0].inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(model.graph.nodes[0].outputs, std::vector<std::string>{"y"});
}

}  // namespace
}  // namespace octet
