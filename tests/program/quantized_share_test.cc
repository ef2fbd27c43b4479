#include "octet/program/quantized_share.h"

#include <gtest/gtest.h>

#include "tests/program/networks.h"

namespace octet {
namespace {

QuantizedShare share_of(const Model& model) { return quantized_share(lowered(model, Policy::kExact)); }

TEST(QuantizedShare, CountsAFusedNodeOnceAndConversionsNever) {
  EXPECT_EQ(share_of(convolution()), (QuantizedShare{1, 1}));
  EXPECT_EQ(share_of(convolution({"r", " r = Relu (t)\n"})), (QuantizedShare{1, 1}));
}

TEST(QuantizedShare, CountsWhatStaysFloat) {
  const Model model = network(
      "main (x) => (y) { q = QuantizeLinear (x, s, z)\n d = DequantizeLinear (q, s, z)\n e = Erf (d)\n n = Shape (e)\n"
      " y = Reshape (e, n) }",
      {value("x", DType::kFloat, SymbolicShape{2, 3})}, {{"s", f(0.5F)}, {"z", s8(0)}});
  EXPECT_EQ(share_of(model), (QuantizedShare{0, 1})) << "Erf; Reshape computes nothing, Shape is not about numbers";
}

TEST(QuantizedShare, CountsMovesOfBytes) {
  const Model model = network("main (x) => (y) { y = Transpose <perm: ints = [1, 0]> (x) }",
                              {value("x", DType::kInt8, SymbolicShape{2, 3})}, {});
  EXPECT_EQ(share_of(model), (QuantizedShare{1, 1}));
}

// Abs, ReduceMax and Div make the scale of a dynamic quantization; Cast and two Mul belong to the sum.
TEST(QuantizedShare, LeavesOutWhatMakesScales) {
  const std::string text =
      "main (x) => (y) { a = Abs (x)\n m = ReduceMax <keepdims: int = 0> (a)\n s = Div (m, c127)\n"
      " q = QuantizeLinear (x, s, z)\n i = MatMulInteger (q, w, z)\n f = Cast <to: int = 1> (i)\n p = Mul (s, ws)\n"
      " y = Mul (f, p) }";
  const Constants constants = {
      {"c127", f(127)}, {"z", s8(0)}, {"w", Tensor::from<std::int8_t>({3, 1}, {1, 2, 3})}, {"ws", f(0.5F)}};
  Model model = network(text, {value("x", DType::kFloat, SymbolicShape{2, 3})}, constants);
  EXPECT_EQ(share_of(model), (QuantizedShare{1, 1}));
  model.graph.outputs.push_back(value("s", {}, std::nullopt));
  EXPECT_EQ(share_of(model), (QuantizedShare{1, 4})) << "a scale that somebody reads is a result like others";
}

TEST(QuantizedShare, CountsBothSidesOfAProductOfActivations) {
  const std::string product = "y = QLinearMatMul (a, s, z, b, s, z, s, z) }";
  const Model model = network("main (x) => (y) { a = Reshape (x, n)\n b = Transpose (x)\n " + product,
                              {value("x", DType::kInt8, SymbolicShape{2, 2})},
                              {{"n", Tensor::from<std::int64_t>({2}, {2, 2})}, {"s", f(0.5F)}, {"z", s8(0)}});
  EXPECT_EQ(share_of(model), (QuantizedShare{3, 3}));
}

// Four sums of bytes, the step that takes x apart and the one that joins.
TEST(QuantizedShare, CountsASumOfSixteenBitsOnce) {
  const Model model =
      network("main (x) => (y) { a = DequantizeLinear (x, s)\n w = DequantizeLinear (wq, s)\n y = MatMul (a, w) }",
              {value("x", DType::kUint16, SymbolicShape{1, 2})},
              {{"s", f(1)}, {"wq", Tensor::from<std::int16_t>({2, 1}, {300, -5})}}, 21);
  EXPECT_EQ(lowered(model, Policy::kExact).steps.size(), 6U);
  EXPECT_EQ(share_of(model), (QuantizedShare{1, 1}));
}

TEST(QuantizedShare, SaysItsNumbers) {
  EXPECT_EQ(to_string(QuantizedShare{15, 16}), "15 of 16 computing steps");
  EXPECT_EQ(to_string(QuantizedShare{0, 1}), "0 of 1 computing step");
}

// Both choose the nearest; the crop also puts a number of its own beyond the border.
TEST(QuantizedShare, CountsAResizeThatExtrapolates) {
  const auto share = [](const std::string& mode) {
    return share_of(network(
        "main (x) => (y) { y = Resize <mode: string = nearest, coordinate_transformation_mode: string = " + mode +
            "> (x, roi, \"\", sizes) }",
        {value("x", DType::kFloat, SymbolicShape{2})},
        {{"roi", Tensor::from<float>({2}, {0, 2})}, {"sizes", Tensor::from<std::int64_t>({1}, {4})}}));
  };
  EXPECT_EQ(share("asymmetric"), (QuantizedShare{0, 0}));
  EXPECT_EQ(share("tf_crop_and_resize"), (QuantizedShare{0, 1}));
}

}  // namespace
}  // namespace octet
