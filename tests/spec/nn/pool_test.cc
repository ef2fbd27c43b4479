// MaxPool, AveragePool and their global relatives.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(MaxPool, TakesTheMaximumAndSaysWhereItIs) {
  const Tensor x = Tensor::from<float>({1, 2, 2, 2}, {1, 2, 4, 3, -1, -1, -2, -3});
  const auto y = run_operator("MaxPool", 8, {{"kernel_shape", ints({2, 2})}}, {x}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{4, -1}));
  EXPECT_EQ(values<std::int64_t>(y[1]), (std::vector<std::int64_t>{2, 4}));  // the first of equals
  const AttributeList columns = {{"kernel_shape", ints({2, 2})}, {"storage_order", 1L}};
  EXPECT_EQ(values<std::int64_t>(run_operator("MaxPool", 8, columns, {x}, 2)[1]), (std::vector<std::int64_t>{1, 4}));
}

TEST(MaxPool, PaddingNeverWins) {
  const Tensor x = Tensor::from<std::int8_t>({1, 1, 2}, {-128, -127});
  const AttributeList attributes = {{"kernel_shape", ints({2})}, {"pads", ints({1, 1})}};
  EXPECT_EQ(values<std::int8_t>(run_operator("MaxPool", 12, attributes, {x})[0]),
            (std::vector<std::int8_t>{-128, -127, -127}));
}

TEST(MaxPool, CeilModeAddsTheLastWindowUnlessItIsAllPadding) {
  const Tensor x = counting<float>({1, 1, 4});
  AttributeList attributes = {{"kernel_shape", ints({3})}, {"strides", ints({2})}, {"ceil_mode", 1L}};
  EXPECT_EQ(values<float>(run_operator("MaxPool", 10, attributes, {x})[0]), (Floats{2, 3}));
  for (const std::int64_t stride : {2, 3}) {  // a second window would begin right behind the image, or further
    attributes = {{"kernel_shape", ints({1})}, {"strides", ints({stride})}, {"ceil_mode", 1L}, {"pads", ints({0, 0})}};
    EXPECT_EQ(values<float>(run_operator("MaxPool", 10, attributes, {counting<float>({1, 1, 2})})[0]), (Floats{0}));
  }
}

TEST(MaxPool, DilationsSpreadTheWindow) {
  const AttributeList attributes = {{"kernel_shape", ints({2})}, {"dilations", ints({2})}};
  EXPECT_EQ(values<float>(run_operator("MaxPool", 10, attributes, {Tensor::from<float>({1, 1, 4}, {1, 9, 2, 3})})[0]),
            (Floats{2, 9}));
}

TEST(MaxPool, AKernelLargerThanTheImageCostsOnlyTheImage) {
  const AttributeList attributes = {{"kernel_shape", ints({1L << 30, 1L << 30})}, {"auto_pad", "SAME_UPPER"}};
  EXPECT_EQ(values<float>(run_operator("MaxPool", 12, attributes, {counting<float>({1, 1, 2, 2})})[0]),
            (Floats{3, 3, 3, 3}));
}

TEST(MaxPool, ChecksItsConstraints) {
  const Tensor x = counting<float>({1, 1, 4});
  EXPECT_EQ(broken_constraint("MaxPool", 12, {{"kernel_shape", ints({2})}}, {counting<std::int32_t>({1, 1, 4})}),
            "max_pool_c1");
  EXPECT_EQ(broken_constraint("MaxPool", 12, {}, {x}), "max_pool_c2");
  EXPECT_EQ(broken_constraint("MaxPool", 12, {{"kernel_shape", ints({2, 2})}}, {x}), "max_pool_c2");
  EXPECT_EQ(broken_constraint("MaxPool", 12, {{"kernel_shape", ints({5})}}, {x}), "max_pool_c2");
  EXPECT_EQ(broken_constraint("MaxPool", 12, {{"kernel_shape", ints({0})}}, {x}), "max_pool_c2");
  EXPECT_EQ(broken_constraint("MaxPool", 12, {{"kernel_shape", ints({1})}}, {counting<float>({1, 4})}), "max_pool_c2");
}

TEST(AveragePool, LeavesPaddingOutUnlessAsked) {
  const Tensor x = Tensor::from<float>({1, 1, 2}, {4, 8});
  AttributeList attributes = {{"kernel_shape", ints({2})}, {"pads", ints({1, 1})}};
  EXPECT_EQ(values<float>(run_operator("AveragePool", 7, attributes, {x})[0]), (Floats{4, 6, 8}));
  attributes.push_back({"count_include_pad", 1L});
  EXPECT_EQ(values<float>(run_operator("AveragePool", 7, attributes, {x})[0]), (Floats{2, 6, 4}));
}

TEST(AveragePool, NeverCountsWhatCeilModeAdds) {
  // The last window has 9, a padding zero, and one position beyond.
  const Tensor x = Tensor::from<float>({1, 1, 3}, {3, 6, 9});
  const AttributeList attributes = {{"kernel_shape", ints({3})},
                                    {"strides", ints({2})},
                                    {"pads", ints({0, 1})},
                                    {"ceil_mode", 1L},
                                    {"count_include_pad", 1L}};
  EXPECT_EQ(values<float>(run_operator("AveragePool", 22, attributes, {x})[0]), (Floats{6, 4.5F}));
}

TEST(AveragePool, DilationsSpreadTheWindow) {
  const AttributeList attributes = {{"kernel_shape", ints({2})}, {"dilations", ints({2})}};
  EXPECT_EQ(values<double>(run_operator("AveragePool", 19, attributes, {counting<double>({1, 1, 4})})[0]),
            (std::vector<double>{1, 2}));
}

TEST(AveragePool, InfersWithSymbols) {
  const Dim n = Dim::symbol("N");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, 8, 32, Dim::symbol("W")});
  EXPECT_EQ(infer_operator("AveragePool", 11, {{"kernel_shape", ints({2, 2})}, {"strides", ints({2, 2})}}, {x}).shape,
            (SymbolicShape{n, 8, 16, Dim()}));
}

TEST(AveragePool, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("AveragePool", 11, {{"kernel_shape", ints({1})}}, {counting<std::int8_t>({1, 1, 1})}),
            "average_pool_c1");
  EXPECT_EQ(broken_constraint("AveragePool", 11, {{"kernel_shape", ints({2})}}, {counting<float>({1, 1, 1})}),
            "average_pool_c2");
}

TEST(GlobalAveragePool, AveragesEachPlane) {
  const Tensor y = run_operator("GlobalAveragePool", 1, {}, {counting<float>({1, 2, 2, 2})})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 2, 1, 1}));
  EXPECT_EQ(values<float>(y), (Floats{1.5F, 5.5F}));
}

TEST(GlobalAveragePool, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("GlobalAveragePool", 1, {}, {counting<std::int8_t>({1, 1, 1})}),
            "global_average_pool_c1");
  EXPECT_EQ(broken_constraint("GlobalAveragePool", 1, {}, {counting<float>({1})}), "global_average_pool_c2");
}

TEST(GlobalMaxPool, TakesTheMaximumOfEachPlane) {
  EXPECT_EQ(values<float>(run_operator("GlobalMaxPool", 22, {}, {counting<float>({1, 2, 3})})[0]), (Floats{2, 5}));
}

TEST(GlobalMaxPool, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("GlobalMaxPool", 1, {}, {counting<std::int8_t>({1, 1, 1})}), "global_max_pool_c1");
  EXPECT_EQ(broken_constraint("GlobalMaxPool", 1, {}, {counting<float>({1, 1, 0})}), "global_max_pool_c2");
}

}  // namespace
}  // namespace octet
