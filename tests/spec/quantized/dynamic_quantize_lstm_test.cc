// DynamicQuantizeLSTM. Expected numbers are ONNX Runtime's, to the last bit.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> quantized_lstm_inputs() {
  return {f32({3, 1, 2}, {0.5F, -1, 0.25F, 1, -0.5F, 0}),
          u8({1, 2, 8}, {10, 200, 30, 40, 90, 128, 140, 60, 1, 250, 128, 128, 100, 150, 120, 11}),
          u8({1, 2, 8}, {100, 20, 130, 140, 190, 108, 40, 160, 12, 50, 228, 118, 110, 140, 20, 111}),
          Tensor(),
          Tensor(),
          Tensor(),
          Tensor(),
          Tensor(),
          f32({1}, {0.02F}),
          u8({1}, {128}),
          f32({1}, {0.01F}),
          u8({1}, {120})};
}
const AttributeList kTwoCells = {{"hidden_size", 2L}};

TEST(DynamicQuantizeLSTM, EqualsONNXRuntimeToTheLastBit) {
  const std::vector<Tensor> y = apply_all("DynamicQuantizeLSTM", kTwoCells, quantized_lstm_inputs(), 3);
  EXPECT_EQ(y[0].shape(), (Shape{3, 1, 1, 2}));
  EXPECT_EQ(values<float>(y[0]), (Floats{0.057987045496702194F, 0.041400983929634094F, 0.024952834472060204F,
                                         -0.27042651176452637F, 0.09473051130771637F, -0.12979993224143982F}));
  EXPECT_EQ(values<float>(y[1]), (Floats{0.09473051130771637F, -0.12979993224143982F}));
  EXPECT_EQ(values<float>(y[2]), (Floats{0.14297902584075928F, -0.1849743127822876F}));
}

TEST(DynamicQuantizeLSTM, TakesStatesBiasPeepholesAndAScaleForEachColumn) {
  std::vector<Tensor> inputs = quantized_lstm_inputs();
  Floats bias, scales;
  for (int k = 0; k < 16; ++k) bias.push_back(static_cast<float>(k) / 8);
  for (int k = 0; k < 8; ++k) scales.push_back(static_cast<float>(0.01 * (k + 1)));
  inputs[3] = f32({1, 16}, bias);
  inputs[5] = f32({1, 1, 2}, {0.5F, 0.25F});
  inputs[6] = f32({1, 1, 2}, {1, -1});
  inputs[7] = f32({1, 6}, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F});
  inputs[10] = f32({1, 8}, scales);
  inputs[11] = u8({1, 8}, Bytes(8, 120));
  const AttributeList attributes = {{"hidden_size", 2L}, {"direction", std::string("reverse")}};
  const std::vector<Tensor> y = apply_all("DynamicQuantizeLSTM", attributes, inputs, 3);
  EXPECT_EQ(values<float>(y[0]), (Floats{0.587690532207489F, 0.3378659188747406F, 0.11143121123313904F,
                                         0.1706731617450714F, 0.13509008288383484F, -0.4825042188167572F}));
  EXPECT_EQ(values<float>(y[2]), (Floats{0.9393237233161926F, 0.4804176390171051F}));
}

TEST(DynamicQuantizeLSTM, TakesNothing) {
  EXPECT_EQ(apply("DynamicQuantizeLSTM", kTwoCells, with(quantized_lstm_inputs(), 0, Tensor(DType::kFloat, {3, 0, 2})))
                .shape(),
            (Shape{3, 1, 0, 2}));
}

TEST(DynamicQuantizeLSTM, InfersWhatItCan) {
  std::vector<Fact> facts;
  for (const Tensor& input : quantized_lstm_inputs()) facts.push_back(input.empty() ? Fact() : Fact::of(input));
  facts[0] = fact(DType::kFloat, SymbolicShape{Dim::symbol("S"), Dim::symbol("N"), 2});
  EXPECT_EQ(text(inferred("DynamicQuantizeLSTM", kTwoCells, facts)), "float32[S,1,N,2]");
}

TEST(DynamicQuantizeLSTM, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = quantized_lstm_inputs();
  const auto refusal = [&](std::size_t input, Tensor tensor) {
    return refused("DynamicQuantizeLSTM", kTwoCells, with(inputs, input, std::move(tensor)));
  };
  EXPECT_EQ(refused("DynamicQuantizeLSTM", kTwoCells, inputs), "");
  EXPECT_EQ(refusal(0, Tensor(DType::kDouble, {3, 1, 2})), "dynamic_quantize_lstm_c1");
  EXPECT_EQ(refusal(1, Tensor(DType::kFloat, {1, 2, 8})), "dynamic_quantize_lstm_c1");
  EXPECT_EQ(refusal(9, Tensor(DType::kInt8, {1})), "dynamic_quantize_lstm_c1");
  EXPECT_EQ(refusal(1, Tensor(DType::kUint8, {1, 8, 2})), "dynamic_quantize_lstm_c2");
  EXPECT_EQ(refusal(7, Tensor(DType::kFloat, {1, 8})), "dynamic_quantize_lstm_c2");
  EXPECT_EQ(refused("DynamicQuantizeLSTM", {{"hidden_size", 2L}, {"layout", 1L}}, inputs), "dynamic_quantize_lstm_c3");
  EXPECT_EQ(refusal(4, i32({1}, {4})), "dynamic_quantize_lstm_c4");
  EXPECT_EQ(refusal(8, Tensor(DType::kFloat, {1, 4})), "dynamic_quantize_lstm_c5");
  EXPECT_EQ(refusal(11, u8({1, 8}, {1, 1, 1, 1, 1, 1, 1, 2})), "dynamic_quantize_lstm_c5");
}

}  // namespace
}  // namespace octet
