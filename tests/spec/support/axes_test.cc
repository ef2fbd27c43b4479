#include "octet/spec/axes.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {
namespace {

TEST(Axes, CountFromTheEndWhenNegative) {
  EXPECT_EQ(normalize_axis(0, 3, "label"), 0U);
  EXPECT_EQ(normalize_axis(2, 3, "label"), 2U);
  EXPECT_EQ(normalize_axis(-1, 3, "label"), 2U);
  EXPECT_EQ(normalize_axis(-3, 3, "label"), 0U);
  const std::int64_t axes[] = {-1, 0};
  EXPECT_EQ(normalize_axes(axes, 3, "label"), (std::vector<std::size_t>{2, 0}));
}

TEST(Axes, RefuseWhatIsOutsideOrNamedTwice) {
  EXPECT_THROW(normalize_axis(3, 3, "label"), Error);
  EXPECT_THROW(normalize_axis(-4, 3, "label"), Error);
  EXPECT_THROW(normalize_axis(0, 0, "label"), Error);
  EXPECT_THROW(normalize_axis(INT64_MIN, 3, "label"), Error);
  const std::int64_t twice[] = {1, -2};
  try {
    normalize_axes(twice, 3, "label");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.constraint(), "label");
  }
}

}  // namespace
}  // namespace octet
