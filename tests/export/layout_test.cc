#include "octet/export/layout.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/failure.h"

namespace octet {
namespace {

Tensor counting(Shape shape) {
  Tensor tensor(DType::kInt16, std::move(shape));
  std::iota(tensor.mutable_as<std::int16_t>().begin(), tensor.mutable_as<std::int16_t>().end(), std::int16_t{0});
  return tensor;
}

TEST(Layout, HwcHasTheChannelsLast) {
  const Tensor stored = to_stored(Layout::kHwc, counting({1, 2, 2, 3}));
  EXPECT_TRUE(stored.identical(Tensor::from<std::int16_t>({1, 2, 3, 2}, {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11})));
  EXPECT_EQ(stored_axes(Layout::kHwc, 4), (std::vector<std::size_t>{0, 2, 3, 1}));
  EXPECT_EQ(stored_axes(Layout::kHwc, 3), (std::vector<std::size_t>{0, 2, 1}));
}

TEST(Layout, OfMatricesAndVectorsIsOne) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}}) {
    const Tensor tensor = counting(shape);
    EXPECT_TRUE(to_stored(Layout::kHwc, tensor).identical(tensor));
  }
}

TEST(Layout, ComesBack) {
  for (const Layout layout : {Layout::kChw, Layout::kHwc})
    for (const Shape& shape :
         {Shape{2, 3, 4, 5}, Shape{2, 3, 4}, Shape{1, 2, 3, 4, 5}, Shape{0, 3, 2, 2}, Shape{4, 2}}) {
      const Tensor tensor = counting(shape);
      const Tensor stored = to_stored(layout, tensor);
      EXPECT_EQ(stored.shape(), stored_shape(layout, shape));
      EXPECT_TRUE(from_stored(layout, stored, shape).identical(tensor));
    }
}

TEST(Layout, HasTwoNames) {
  EXPECT_EQ(layout_named("hwc"), Layout::kHwc);
  EXPECT_EQ(layout_named("chw"), Layout::kChw);
  EXPECT_STREQ(failure_of([] { layout_named("nhwc"); }).what(), "there is no layout nhwc; the layouts are chw and hwc");
}

}  // namespace
}  // namespace octet
