#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

Tensor row() { return Tensor::from<float>({1, 1, 3}, {1, 2, 3}); }

TEST(ConvTranspose, SpreadsEveryInputOverTheKernel) {
  const Tensor w = Tensor::from<float>({1, 1, 3}, {1, 10, 100});
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 1, {}, {row(), w})[0]), (Floats{1, 12, 123, 230, 300}));
}

TEST(ConvTranspose, StridesLeaveGapsThatTheKernelFills) {
  const Tensor w = Tensor::from<float>({1, 1, 3}, {1, 10, 100});
  AttributeList attributes = {{"strides", ints({2})}};
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 11, attributes, {row(), w})[0]),
            (Floats{1, 10, 102, 20, 203, 30, 300}));
  attributes.push_back({"pads", ints({1, 2})});
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 11, attributes, {row(), w})[0]), (Floats{10, 102, 20, 203}));
}

TEST(ConvTranspose, OutputPaddingAppendsPositions) {
  const Tensor w = Tensor::from<float>({1, 1, 1}, {5});
  const AttributeList attributes = {{"strides", ints({2})}, {"output_padding", ints({1})}};
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 11, attributes, {row(), w})[0]), (Floats{5, 0, 10, 0, 15, 0}));
}

TEST(ConvTranspose, OutputShapeDecidesThePadding) {
  // 7 positions become 4: three to remove, the odd one at the beginning unless SAME_UPPER.
  const Tensor w = Tensor::from<float>({1, 1, 3}, {1, 10, 100});
  AttributeList attributes = {{"strides", ints({2})}, {"output_shape", ints({4})}};
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 11, attributes, {row(), w})[0]), (Floats{102, 20, 203, 30}));
  attributes.push_back({"auto_pad", "SAME_UPPER"});
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 11, attributes, {row(), w})[0]), (Floats{10, 102, 20, 203}));
}

TEST(ConvTranspose, SameMultipliesTheSizeByTheStride) {
  const Tensor w = Tensor::from<float>({1, 1, 1}, {5});
  const AttributeList attributes = {{"strides", ints({2})}, {"auto_pad", "SAME_UPPER"}};
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 11, attributes, {row(), w})[0]), (Floats{5, 0, 10, 0, 15, 0}));
}

TEST(ConvTranspose, KeepsGroupsApartAndAddsTheBias) {
  const Tensor x = Tensor::from<float>({1, 2, 1}, {1, 2}), w = Tensor::from<float>({2, 2, 1}, {10, 20, 30, 40}),
               b = Tensor::from<float>({4}, {1, 2, 3, 4});
  EXPECT_EQ(values<float>(run_operator("ConvTranspose", 22, {{"group", 2L}}, {x, w, b})[0]), (Floats{11, 22, 63, 84}));
}

TEST(ConvTranspose, InfersWithSymbols) {
  const Dim n = Dim::symbol("N");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, 4, 8, Dim::symbol("W")});
  const Fact w = fact(DType::kFloat, SymbolicShape{4, 6, 2, 2});
  EXPECT_EQ(infer_operator("ConvTranspose", 11, {{"strides", ints({2, 2})}}, {x, w}).shape,
            (SymbolicShape{n, 6, 16, Dim()}));
}

TEST(ConvTranspose, ChecksItsConstraints) {
  const Tensor w = counting<float>({1, 1, 3});
  EXPECT_EQ(broken_constraint("ConvTranspose", 11, {}, {row(), counting<double>({1, 1, 3})}), "conv_transpose_c1");
  EXPECT_EQ(broken_constraint("ConvTranspose", 11, {}, {row(), counting<float>({2, 1, 3})}), "conv_transpose_c2");
  EXPECT_EQ(broken_constraint("ConvTranspose", 11, {{"group", 2L}}, {row(), w}), "conv_transpose_c2");
  EXPECT_EQ(broken_constraint("ConvTranspose", 11, {}, {row(), w, counting<float>({2})}), "conv_transpose_c3");
  EXPECT_EQ(broken_constraint("ConvTranspose", 11, {{"pads", ints({3, 3})}}, {row(), w}), "conv_transpose_c4");
  EXPECT_EQ(broken_constraint("ConvTranspose", 11, {{"output_padding", ints({-1})}}, {row(), w}), "conv_transpose_c4");
  EXPECT_EQ(broken_constraint("ConvTranspose", 11, {{"kernel_shape", ints({2})}}, {row(), w}), "conv_transpose_c4");
}

}  // namespace
}  // namespace octet
