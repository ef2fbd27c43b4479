// QEmbedLayerNormalization. tests/judge/fused_cases.py compares it with ONNX Runtime.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

// Word (1.5, 0.5) and position (0.5, 0.5): the sum (2, 1) is (1, -1) normalized; gamma is 2, beta (3, 0).
std::vector<Tensor> embedded() {
  const Tensor half = f32(0.5F), one = f32(1);
  return {i32({1, 1}, {0}),
          {},
          u8({2, 2}, {13, 11, 10, 10}),
          u8({1, 2}, {11, 11}),
          {},
          u8({2}, {12, 12}),
          u8({2}, {13, 10}),
          i32({1, 1}, {1}),
          half,
          half,
          {},
          one,
          one,
          u8(10),
          u8(10),
          {},
          u8(10),
          u8(10)};
}

TEST(QEmbedLayerNormalization, NormalizesDequantizedSums) {
  const std::vector<Tensor> y = apply_all("QEmbedLayerNormalization", {}, embedded(), 2);
  ASSERT_EQ(y[0].shape(), (Shape{1, 1, 2}));
  EXPECT_NEAR(y[0].as<float>()[0], 2 * 1 + 3, 1e-5);
  EXPECT_NEAR(y[0].as<float>()[1], 2 * -1 + 0, 1e-5);
  EXPECT_EQ(values<std::int32_t>(y[1]), (Integers{1}));
}

TEST(QEmbedLayerNormalization, Constraints) {
  const auto why = [](const std::vector<Tensor>& inputs) { return refused("QEmbedLayerNormalization", {}, inputs); };
  EXPECT_EQ(why(embedded()), "");
  EXPECT_EQ(why(with(embedded(), 3, s8({1, 2}, {1, 1}))), "qembed_layer_normalization_c1");
  EXPECT_EQ(why(with(embedded(), 13, s8(10))), "qembed_layer_normalization_c1");
  EXPECT_EQ(why(with(embedded(), 8, f32({2}, {1, 1}))), "qembed_layer_normalization_c2");
  EXPECT_EQ(why(with(embedded(), 10, f32(1))), "qembed_layer_normalization_c2");
  EXPECT_EQ(why(with(embedded(), 0, i32({1, 1}, {2}))), "embed_layer_normalization_c4");
}

}  // namespace
}  // namespace octet
