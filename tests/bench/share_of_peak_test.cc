#include <gtest/gtest.h>

#include "octet/bench/bench.h"

namespace octet {
namespace {

StepTime timed(std::int64_t multiply_adds, bool in_float) {
  StepTime step{.name = "conv", .kernel = "kernel", .multiply_adds = multiply_adds, .nanoseconds = 500};
  step.in_float = in_float;
  return step;
}

// 1000 products in 500 ns are 2 billion in a second: a quarter of 8 billion.
TEST(ShareOfPeak, IsOfIntegerProductsInASecond) {
  Measurement measurement;
  measurement.peak = Peak{.instruction = "vpdpbusd", .multiply_adds_per_second = 8e9};
  EXPECT_DOUBLE_EQ(share_of_peak(measurement, timed(1000, false)).value(), 0.25);
}

// The peak is that of an instruction on bytes.
TEST(ShareOfPeak, IsNotToldOfFloatStepsOrWithoutProducts) {
  Measurement measurement;
  EXPECT_FALSE(share_of_peak(measurement, timed(1000, false)));
  measurement.peak = Peak{.instruction = "vpdpbusd", .multiply_adds_per_second = 8e9};
  EXPECT_FALSE(share_of_peak(measurement, timed(1000, true)));
  EXPECT_FALSE(share_of_peak(measurement, timed(0, false)));
}

}  // namespace
}  // namespace octet
