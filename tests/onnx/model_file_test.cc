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

TEST(ParseModel, PutsEveryInitializerAtA64ByteBoundary) {
  format::ModelProto message = small_message();
  for (int i = 1; i < 20; ++i) {
    format::TensorProto& tensor = *message.mutable_graph()->add_initializer();
    tensor = tensor_message(DType::kInt8, {i});
    tensor.set_name("w" + std::to_string(i));
    tensor.set_raw_data(std::string(static_cast<std::size_t>(i), static_cast<char>(i)));
  }
  const Model model = parse(message);
  for (const Initializer& initializer : model.graph.initializers) {
    const std::span<const std::int8_t> elements = initializer.tensor.as<std::int8_t>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(elements.data()) % 64, 0) << initializer.name;
    for (const std::int8_t element : elements) EXPECT_EQ(static_cast<std::size_t>(element), elements.size());
  }
}

// A file may give a message in pieces, which are then merged; of a single field given twice the last counts.
TEST(ParseModel, MergesAGraphThatComesInPieces) {
  format::TensorProto tensor = tensor_message(DType::kInt8, {2});
  tensor.set_raw_data("ab");
  format::ModelProto piece;
  *piece.mutable_graph()->add_initializer() = tensor;
  piece.mutable_graph()->mutable_initializer(0)->set_name("v");
  const std::string bytes = message_with(tensor).SerializeAsString() + piece.SerializeAsString();
  const Model model = parse(bytes);
  ASSERT_EQ(model.graph.initializers.size(), 2);
  EXPECT_EQ(model.graph.initializers[1].name, "v");
  EXPECT_TRUE(model.graph.initializers[1].tensor.identical(Tensor::from<std::int8_t>({2}, {'a', 'b'})));
}

TEST(ParseModel, TakesTheLastOfElementsGivenTwice) {
  format::TensorProto tensor = tensor_message(DType::kInt8, {2});
  tensor.set_raw_data("ab");
  *tensor.mutable_unknown_fields() = "\x4A\x02zz";  // raw_data again
  EXPECT_TRUE(parse_tensor(tensor).identical(Tensor::from<std::int8_t>({2}, {'z', 'z'})));
}

}  // namespace
}  // namespace octet
