#include "octet/base/closest_names.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(ClosestNames, AreAtMostThreeNearestFirst) {
  const std::vector<std::string> names = {"pool", "block1.conv1", "conv", "conv2", "block1.conv2"};
  EXPECT_EQ(closest_names("block1.conv2", names), "block1.conv2, block1.conv1, conv2");
  EXPECT_EQ(closest_names("conv", names), "conv, conv2, block1.conv1");
  EXPECT_EQ(closest_names("x", {}), "");
}

}  // namespace
}  // namespace octet
