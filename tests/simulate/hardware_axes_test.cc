#include "octet/simulate/hardware_axes.h"

#include <gtest/gtest.h>

#include "tests/support/failure.h"

namespace octet {
namespace {

TEST(HardwareAxes, AreEveryCombinationOfTheirValues) {
  const std::vector<HardwareAxis> axes = axes_of({.accumulator = "12..14,wrap,saturate"});
  ASSERT_EQ(axes.size(), 2U);
  EXPECT_EQ(axes[0].choices.size(), 3U);
  EXPECT_TRUE(axes[0].is_swept());
  const std::vector<HardwareSetting> settings = settings_of(axes, 7);
  ASSERT_EQ(settings.size(), 6U);
  EXPECT_EQ(settings[3].hardware.arithmetic.accumulator_bits, 13);
  EXPECT_EQ(settings[3].hardware.arithmetic.accumulator_overflow, Overflow::kSaturate);
  EXPECT_EQ(settings[3].hardware.arithmetic.seed, 7U);
  EXPECT_EQ(name_of(settings[3], axes), "accumulator 13, overflow saturate");
}

TEST(HardwareAxes, SayWhatTheyDo) {
  const std::vector<HardwareAxis> axes =
      axes_of({.rounding = "floor", .multiplier = "fixed:8", .scales = "float16", .zero_padding = true});
  const std::vector<HardwareSetting> settings = settings_of(axes, 1);
  ASSERT_EQ(settings.size(), 1U);
  const Hardware& hardware = settings[0].hardware;
  EXPECT_EQ(hardware.arithmetic.rounding, Rounding::kFloor);
  EXPECT_EQ(hardware.arithmetic.product, Product::kFixedSingle);
  EXPECT_EQ(hardware.arithmetic.multiplier_bits, 8);
  EXPECT_TRUE(hardware.half_scales);
  EXPECT_TRUE(hardware.pads_with_zero_byte);
  EXPECT_FALSE(hardware.uncorrected);
}

TEST(HardwareAxes, RefuseWhatTheyCannotRead) {
  const auto refusal = [](const HardwareOptions& options) { return failure_of([&] { axes_of(options); }).message(); };
  EXPECT_EQ(refusal({.accumulator = "wide"}),
            "--accumulator: \"wide\" is no number and no range of numbers such as 12..32");
  EXPECT_EQ(refusal({.multiplier = "float8"}),
            "--multiplier: there is no \"float8\"; known are float32, float16, bfloat16, power-of-two and fixed:BITS");
  EXPECT_EQ(refusal({.adc_bits = "8"}), "say how many rows a tile of the analog array has, with --tile-rows");
  EXPECT_EQ(failure_of([] {
              settings_of(axes_of({.accumulator = "8..32,wrap,saturate", .tile_rows = "1..40"}), 1);
            }).message(),
            "more than 1,000 combinations of values");
}

TEST(HardwareAxes, KnowWhatDependsOnTheSeed) {
  EXPECT_TRUE(is_random({.rounding = "floor,stochastic"}));
  EXPECT_TRUE(is_random({.weight_noise = "0.1"}));
  EXPECT_FALSE(is_random({.accumulator = "16"}));
}

}  // namespace
}  // namespace octet
