#include "octet/onnx/model_file.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "tests/onnx/messages.h"

namespace octet {
namespace {

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

TEST(SerializeModel, RefusesNodesMeantInAnotherOpset) {
  Model model = parse(small_message());
  model.graph.nodes[0].opset = 13;
  try {
    serialize_model(model);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

}  // namespace
}  // namespace octet
