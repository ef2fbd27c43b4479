// GatherBlockQuantized. tests/judge/fused_cases.py compares it with ONNX Runtime.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

Tensor row_indices(Shape shape, const std::vector<std::int64_t>& elements) {
  return Tensor::from<std::int64_t>(std::move(shape), elements);
}

// Two rows of 32 numbers of 4 bits, two blocks each: row r has r + 1 everywhere.
std::vector<Tensor> packed_rows() {
  Bytes bytes(32, 0x11);
  std::fill(bytes.begin() + 16, bytes.end(), std::uint8_t{0x22});
  return {u8({2, 16}, bytes), row_indices({3}, {1, -2, 2}), f32({2, 2}, {1, 2, 4, 8})};
}
const AttributeList kBlocks = {{"block_size", 16L}};

TEST(GatherBlockQuantized, DequantizesTheRowsItTakes) {
  std::vector<Tensor> inputs = packed_rows();
  Tensor y = apply("GatherBlockQuantized", kBlocks, inputs);
  ASSERT_EQ(y.shape(), (Shape{3, 32}));
  EXPECT_EQ(y.as<float>()[0], (2 - 8) * 4.0F);
  EXPECT_EQ(y.as<float>()[16], (2 - 8) * 8.0F);
  EXPECT_EQ(y.as<float>()[32], (1 - 8) * 1.0F);
  EXPECT_EQ(y.as<float>()[64], 0) << "out of range";
  inputs.push_back(u8({2, 1}, {0x31, 0x02}));
  y = apply("GatherBlockQuantized", kBlocks, inputs);
  EXPECT_EQ(y.as<float>()[0], 0);
  EXPECT_EQ(y.as<float>()[16], 2 * 8.0F);
  EXPECT_EQ(y.as<float>()[32 + 16], (1 - 3) * 2.0F);
}

TEST(GatherBlockQuantized, Constraints) {
  const std::vector<Tensor> inputs = packed_rows();
  const auto why = [](const std::vector<Tensor>& given, const AttributeList& attributes) {
    return refused("GatherBlockQuantized", attributes, given);
  };
  EXPECT_EQ(why(inputs, kBlocks), "");
  EXPECT_EQ(why(with(inputs, 0, s8({2, 16}, SignedBytes(32))), kBlocks), "gather_block_quantized_c1");
  EXPECT_EQ(why(with(inputs, 1, f32({1}, {0})), kBlocks), "gather_block_quantized_c1");
  EXPECT_EQ(why(inputs, {{"block_size", 24L}}), "gather_block_quantized_c2");
  EXPECT_EQ(why(inputs, {{"block_size", 16L}, {"bits", 3L}}), "gather_block_quantized_c2");
  EXPECT_EQ(why(inputs, {{"block_size", 16L}, {"gather_axis", 1L}}), "gather_block_quantized_c2");
  EXPECT_EQ(why(inputs, {{"block_size", 32L}}), "gather_block_quantized_c3");
}

}  // namespace
}  // namespace octet
