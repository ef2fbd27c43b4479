// What is left to the operations.
#include "tests/engine/fast/kernel_case.h"

namespace octet::fast {
namespace {

TEST(FastKernels, LeaveOtherTypesAndLayoutsToTheOperations) {
  KernelCase c(1);
  const Shape shape = {1, 2, 3, 4};
  const ValueId last = c.given(DType::kUint8, shape, Layout::kChannelsLast), first = c.add(DType::kUint8, shape);
  const ValueId words = c.add(DType::kUint16, shape), floats = c.given(DType::kFloat, shape);
  EXPECT_FALSE(c.has_kernel(work::Table{.x = last, .y = first}));
  EXPECT_FALSE(c.has_kernel(work::ChannelTables{.x = last, .y = first, .axis = 1, .tables = {}}));
  EXPECT_FALSE(c.has_kernel(work::Softmax{.x = last, .y = first}));
  EXPECT_FALSE(c.has_kernel(work::Softmax{.x = last, .y = last, .axis = 1, .flattens = true}));
  EXPECT_FALSE(c.has_kernel(work::Move{.sources = {last}, .y = first}));
  const ValueId words_last = c.add(DType::kUint16, shape, Layout::kChannelsLast), sums = c.add(DType::kInt32, shape);
  EXPECT_TRUE(c.has_kernel(work::Quantize{.x = floats, .y = words, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::Quantize{.x = floats, .y = sums, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::Quantize{.x = floats, .y = words_last, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::Dequantize{.x = words_last, .y = floats, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::SplitBytes{.x = words, .high = first, .low = last}));
  EXPECT_FALSE(c.has_kernel(work::SplitBytes{.x = sums, .high = first, .low = first}));
  EXPECT_FALSE(c.has_kernel(work::JoinedSum{.parts = {{words}}, .y = floats, .axis = 1, .multipliers = {1}}));
  EXPECT_FALSE(c.has_kernel(work::JoinedSum{.parts = {{sums}}, .y = floats, .axis = 1, .multipliers = {1, 2, 3}}));
  EXPECT_FALSE(c.has_kernel(work::Pool{.x = last, .y = last, .channels_last = true, .maximum = true}));
  EXPECT_FALSE(c.has_kernel(work::Pairwise{.a = first, .b = words, .y = first}));
  EXPECT_FALSE(
      c.has_kernel(work::Pairwise{.a = first, .b = first, .y = first, .epilogue = {work::Combine{.other = last}}}));
}

}  // namespace
}  // namespace octet::fast
