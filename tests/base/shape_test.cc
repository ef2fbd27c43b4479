#include "octet/base/shape.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {
namespace {

using Ints = std::vector<std::int64_t>;

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count(Shape{}), 1);
  EXPECT_EQ(element_count(Shape{2, 0, 5}), 0);
  EXPECT_EQ(element_count(Shape{2, 3}), 6);
}

TEST(Shape, RefusesProductsThatOverflowEvenNextToAZero) {
  const std::int64_t big = std::int64_t{1} << 62;
  EXPECT_THROW(element_count(Shape{big, 2}), Error);
  EXPECT_THROW(element_count(Shape{0, big, 2}), Error);
  EXPECT_THROW(element_count(Shape{2, -3}), Error);
}

TEST(Shape, BroadcastsAsNumpy) {
  EXPECT_EQ(broadcast(Shape{2, 1, 3}, Shape{4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(broadcast(Shape{0}, Shape{1}), (Shape{0}));
  EXPECT_EQ(broadcast(Shape{2}, Shape{3}), std::nullopt);
  EXPECT_EQ(broadcast_strides(Shape{3, 1}, Shape{2, 3, 4}), (Ints{0, 1, 0}));
}

TEST(Shape, Strides) { EXPECT_EQ(strides_of(Shape{2, 3, 4}), (Ints{12, 4, 1})); }

TEST(Shape, Prints) {
  EXPECT_EQ(to_string(Shape{1, 3, 32, 32}), "[1,3,32,32]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

}  // namespace
}  // namespace octet
