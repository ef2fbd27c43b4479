#include "octet/text/closest_names.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(ClosestNames, AreAtMostThreeNearestFirst) {
  const std::vector<std::string> names = {"pool", "block1.conv1", "conv", "conv2", "block1.conv2"};
  EXPECT_EQ(closest_names("block1.conv2", names), "block1.conv2, block1.conv1, conv2");
  EXPECT_EQ(closest_names("conv", names), "conv, conv2, block1.conv1");
  EXPECT_EQ(closest_names("x", {}), "");
}

TEST(ClosestNames, TakesLongNamesByTheirBeginnings) {
  const std::string longest(10'000'000, 'x');
  EXPECT_EQ(closest_names(longest, {longest, "conv"}), longest + ", conv");
}

TEST(MistypedName, IsTheNearestWithinOneLetterOfThree) {
  const std::vector<std::string> names = {"quantize", "calibration", "layers", "dim", "help"};
  EXPECT_EQ(mistyped_name("quantise", names), "quantize");
  EXPECT_EQ(mistyped_name("calibation", names), "calibration");
  EXPECT_EQ(mistyped_name("calibrationn", names), "calibration");
  EXPECT_EQ(mistyped_name("lyaers", names), "layers");
  EXPECT_EQ(mistyped_name("cal", names), "calibration");
  EXPECT_EQ(mistyped_name("dmi", names), "dim");
}

TEST(MistypedName, IsNothingWhenNothingIsNear) {
  const std::vector<std::string> names = {"quantize", "dim", "help"};
  for (const char* typed : {"", "x", "dog", "frobnicate", "quantum", "he"}) EXPECT_EQ(mistyped_name(typed, names), "");
  EXPECT_EQ(mistyped_name(std::string(10'000'000, 'x'), names), "");
}

}  // namespace
}  // namespace octet
