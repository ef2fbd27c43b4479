#include "octet/bench/peak.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(Peak, IsThatOfAnInstruction) {
  const std::optional<Peak> peak = measure_peak(2);
  if (!peak) GTEST_SKIP() << "no peak is known of this processor";
  EXPECT_FALSE(peak->instruction.empty());
  EXPECT_GT(peak->multiply_adds_per_second, 1e8);
}

}  // namespace
}  // namespace octet
