#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Sums = std::vector<float>;

Tensor image() { return counting<float>({1, 1, 3, 3}); }
Tensor taps() { return Tensor::from<float>({1, 1, 2, 2}, {1, 1, 1, 1}); }
// Moves the first tap by these numbers of rows and columns, at every place.
Tensor offsets(float rows, float columns) {
  Tensor tensor(DType::kFloat, {1, 8, 2, 2});
  for (std::size_t k = 0; k < 4; ++k) tensor.mutable_as<float>()[k] = rows;
  for (std::size_t k = 4; k < 8; ++k) tensor.mutable_as<float>()[k] = columns;
  return tensor;
}
Sums convolved(const std::vector<Tensor>& inputs) {
  return values<float>(run_operator("DeformConv", 19, {}, inputs)[0]);
}

TEST(DeformConv, IsAConvolutionWithoutOffsets) {
  EXPECT_EQ(convolved({image(), taps(), offsets(0, 0)}), (Sums{8, 12, 20, 24}));
  EXPECT_EQ(convolved({image(), taps(), offsets(0, 0), Tensor::from<float>({1}, {0.5F})}),
            (Sums{8.5F, 12.5F, 20.5F, 24.5F}));
}

TEST(DeformConv, MovesTaps) {
  EXPECT_EQ(convolved({image(), taps(), offsets(0.5F, 0)}), (Sums{9.5F, 13.5F, 21.5F, 25.5F}));
  EXPECT_EQ(convolved({image(), taps(), offsets(0, 1)}), (Sums{9, 13, 21, 25}));
  EXPECT_EQ(convolved({image(), taps(), offsets(-9, 0)}), (Sums{8, 11, 17, 20}));  // outside it reads 0
  EXPECT_EQ(convolved({image(), taps(), offsets(0, std::numeric_limits<float>::quiet_NaN())}), (Sums{8, 11, 17, 20}));
}

TEST(DeformConv, WeighsTaps) {
  Tensor mask(DType::kFloat, {1, 4, 2, 2});
  for (std::size_t k = 0; k < 4; ++k) mask.mutable_as<float>()[k] = 2;  // of the first tap; the others are 0
  EXPECT_EQ(convolved({image(), taps(), offsets(0, 0), Tensor(), mask}), (Sums{0, 2, 6, 8}));
}

TEST(DeformConv, ChecksItsConstraints) {
  const auto broken = [](const AttributeList& attributes, const std::vector<Tensor>& inputs) {
    return broken_constraint("DeformConv", 19, attributes, inputs);
  };
  EXPECT_EQ(broken({}, {image(), Tensor(DType::kDouble, {1, 1, 2, 2}), offsets(0, 0)}), "deform_conv_c1");
  EXPECT_EQ(broken({}, {image(), Tensor(DType::kFloat, {1, 2, 2, 2}), offsets(0, 0)}), "deform_conv_c2");
  EXPECT_EQ(broken({{"offset_group", 2L}}, {image(), taps(), offsets(0, 0)}), "deform_conv_c2");
  EXPECT_EQ(broken({{"offset_group", 0L}}, {image(), taps(), offsets(0, 0)}), "deform_conv_c2");
  EXPECT_EQ(broken({}, {image(), taps(), Tensor(DType::kFloat, {1, 8, 3, 2})}), "deform_conv_c3");
  EXPECT_EQ(broken({}, {image(), taps(), offsets(0, 0), Tensor(DType::kFloat, {2})}), "deform_conv_c3");
  EXPECT_EQ(broken({{"strides", ints({0, 1})}}, {image(), taps(), offsets(0, 0)}), "deform_conv_c4");
}

}  // namespace
}  // namespace octet
