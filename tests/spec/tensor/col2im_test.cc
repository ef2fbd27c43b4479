#include "tests/support/run_operator.h"

namespace octet {
namespace {

Tensor two_taps() { return Tensor::from<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}); }

std::string refused_blocks(const AttributeList& attributes, std::vector<std::int64_t> image,
                           std::vector<std::int64_t> block) {
  return broken_constraint("Col2Im", 18, attributes, {two_taps(), int64s(image), int64s(block)});
}

TEST(Col2Im, AddsWhereBlocksOverlap) {
  const Tensor y = run_operator("Col2Im", 18, {}, {two_taps(), int64s({4}), int64s({2})})[0];
  EXPECT_EQ(values<float>(y), (std::vector<float>{1, 6, 8, 6}));
  EXPECT_EQ(y.shape(), (Shape{1, 1, 4}));
}

TEST(Col2Im, DropsThePadding) {
  const Tensor y = run_operator("Col2Im", 18, {{"pads", ints({1, 1})}}, {two_taps(), int64s({2}), int64s({2})})[0];
  EXPECT_EQ(values<float>(y), (std::vector<float>{6, 8}));
}

TEST(Col2Im, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Col2Im", 18, {}, {Tensor(DType::kFloat, {2, 3}), int64s({4}), int64s({2})}),
            "col2im_c1");
  EXPECT_EQ(refused_blocks({}, {5}, {3}), "col2im_c1");
  EXPECT_EQ(refused_blocks({}, {4, 1}, {2}), "col2im_c2");
  EXPECT_EQ(refused_blocks({}, {-4}, {2}), "col2im_c2");
  EXPECT_EQ(refused_blocks({{"strides", ints({0})}}, {4}, {2}), "col2im_c2");
  EXPECT_EQ(refused_blocks({}, {5}, {2}), "col2im_c3");
}

}  // namespace
}  // namespace octet
