#include "octet/spec/accumulator.h"

#include <gtest/gtest.h>

#include <vector>

namespace octet {
namespace {

TEST(Int32Accumulator, Wraps) {
  EXPECT_EQ(Int32Accumulator{}.add(2147483647, 1), -2147483648LL);
  const std::vector<std::int16_t> a(70000, 255);
  // 70000 * 65025 = 4551750000 = 2^32 + 256782704
  EXPECT_EQ(Int32Accumulator{}.dot(0, a.data(), a.data(), 70000), 256782704);
  EXPECT_EQ(Int32Accumulator{}.dot(-256782704, a.data(), a.data(), 70000), 0);
}

TEST(Int32Accumulator, SumsEveryElementOnce) {
  std::vector<std::int16_t> a, b;
  std::int32_t want = 7;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Int32Accumulator{}.dot(7, a.data(), b.data(), i), want);
    a.push_back(static_cast<std::int16_t>(i - 50));
    b.push_back(static_cast<std::int16_t>(3 * i - 255));
    want += (i - 50) * (3 * i - 255);
  }
}

TEST(NarrowAccumulator, WrapsOrSaturatesAfterEveryAddition) {
  const std::vector<std::int16_t> a = {200, 200}, b = {200, -200};  // 40000 - 40000
  const NarrowAccumulator wrap = {16, Overflow::kWrap}, saturate = {16, Overflow::kSaturate};
  EXPECT_EQ(wrap.dot(0, a.data(), b.data(), 1), -25536);
  EXPECT_EQ(wrap.dot(0, a.data(), b.data(), 2), 0);
  EXPECT_EQ(saturate.dot(0, a.data(), b.data(), 1), 32767);
  EXPECT_EQ(saturate.dot(0, a.data(), b.data(), 2), -7233);
}

TEST(NarrowAccumulator, FitsTheBiasFirst) {
  const std::int16_t one = 1;
  EXPECT_EQ((NarrowAccumulator{8, Overflow::kWrap}.dot(255, &one, &one, 1)), 0);
  EXPECT_EQ((NarrowAccumulator{8, Overflow::kSaturate}.dot(300, &one, &one, 0)), 127);
  EXPECT_EQ((NarrowAccumulator{8, Overflow::kSaturate}.dot(-300, &one, &one, 0)), -128);
}

TEST(NarrowAccumulator, Saturates32BitsToo) {
  const NarrowAccumulator saturate = {32, Overflow::kSaturate};
  EXPECT_EQ(saturate.add(2147483647, 1), 2147483647);
  EXPECT_EQ(saturate.add(-2147483647 - 1, -1), -2147483647 - 1);
}

TEST(WithAccumulator, PicksWhatTheArithmeticSays) {
  const std::vector<std::int16_t> a(70000, 255);
  const auto dot = [&](const Arithmetic& arithmetic) {
    return with_accumulator(arithmetic,
                            [&](auto accumulator) { return accumulator.dot(0, a.data(), a.data(), 70000); });
  };
  EXPECT_EQ(dot({}), 256782704);
  EXPECT_EQ(dot({.accumulator_overflow = Overflow::kSaturate}), 2147483647);
  EXPECT_EQ(dot({.accumulator_bits = 16}), 256782704 - 3918 * 65536);  // 12656
}

}  // namespace
}  // namespace octet
