#include "octet/onnx/support/skeleton.h"

#include <gtest/gtest.h>

#include "tests/onnx/messages.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

Skeleton skeleton_of(const format::ModelProto& message) {
  const std::string bytes = message.SerializeAsString();
  MemorySource source(std::as_bytes(std::span(bytes)));
  return read_skeleton(source, RootMessage::kModel);
}

TEST(Skeleton, LeavesElementsOut) {
  format::TensorProto tensor = tensor_message(DType::kInt8, {1 << 20});
  tensor.set_raw_data(std::string(1 << 20, 'x'));
  const Skeleton skeleton = skeleton_of(message_with(tensor));
  EXPECT_LT(skeleton.messages.size(), 200);
  format::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(skeleton.messages));
  const FileBytes elements = skeleton.resolve(parsed.graph().initializer(0).raw_data());
  ASSERT_EQ(elements.bytes.size(), 1 << 20);
  EXPECT_EQ(elements.bytes.front(), std::byte{'x'});
  EXPECT_EQ(elements.bytes.back(), std::byte{'x'});
}

TEST(Skeleton, KeepsEverythingElseAsItIs) {
  format::TensorProto tensor = tensor_message(DType::kInt8, {2});
  tensor.set_raw_data("xy");
  format::ModelProto message = small_message();
  format::AttributeProto& attribute = *message.mutable_graph()->mutable_node(0)->add_attribute();
  *attribute.mutable_t() = tensor;
  *attribute.mutable_g()->add_initializer() = tensor;
  format::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(skeleton_of(message).messages));
  EXPECT_TRUE(parsed.SerializeAsString() == message.SerializeAsString());
}

TEST(Skeleton, RefusesReferencesThatAreNone) {
  format::TensorProto tensor = tensor_message(DType::kInt8, {2});
  tensor.set_raw_data("xy");
  const Skeleton skeleton = skeleton_of(message_with(tensor));
  const auto reference = [](std::int64_t offset, std::int64_t size) {
    const std::int64_t numbers[] = {offset, size};
    return std::string(reinterpret_cast<const char*>(numbers), sizeof numbers);
  };
  EXPECT_EQ(skeleton.resolve(reference(0, 2)).bytes.size(), 2);
  for (const std::string& wrong :
       {std::string(), std::string("xy"), reference(0, 0), reference(-1, 2), reference(0, 65), reference(64, 1),
        reference(INT64_MAX, INT64_MAX), reference(0, -1), reference(1, INT64_MAX)}) {
    const Error error = failure_of([&] { skeleton.resolve(wrong); });
    EXPECT_EQ(error.code(), ErrorCode::kFormat);
    EXPECT_EQ(error.message(), "changed while it was read");
  }
}

}  // namespace
}  // namespace octet
