#include "octet/simulate/pitfalls.h"

namespace octet {

std::vector<Pitfall> standard_pitfalls(std::uint64_t seed) {
  std::vector<Pitfall> list;
  const auto add = [&](std::string name, Hardware hardware) {
    hardware.arithmetic.seed = seed;
    list.push_back({std::move(name), hardware});
  };
  const auto arithmetic = [&](std::string name, const Arithmetic& rules) {
    add(std::move(name), {.arithmetic = rules});
  };
  arithmetic("accumulator of 20 bits wraps", {.accumulator_bits = 20});
  arithmetic("accumulator of 16 bits wraps", {.accumulator_bits = 16});
  arithmetic("accumulator of 16 bits saturates", {.accumulator_bits = 16, .accumulator_overflow = Overflow::kSaturate});
  arithmetic("pairs of products saturate at 16 bits", {.saturating_pairs = true});
  add("zero-point correction left out", {.uncorrected = true});
  add("padding with the byte 0", {.pads_with_zero_byte = true});
  add("first channel's scale for all", {.first_scale_for_all = true});
  add("scales stored as float16", {.half_scales = true});
  arithmetic("multiplier stored as float16", {.multiplier_form = MultiplierForm::kFloat16});
  arithmetic("multiplier stored as bfloat16", {.multiplier_form = MultiplierForm::kBfloat16});
  arithmetic("multiplier is a power of two", {.multiplier_form = MultiplierForm::kPowerOfTwo});
  for (const int bits : {8, 16, 31})
    arithmetic("multiplier of " + std::to_string(bits) + " bits and a shift",
               {.product = Product::kFixedSingle, .multiplier_bits = bits});
  arithmetic("31 bits, rounded twice, as gemmlowp",
             {.rounding = Rounding::kTiesAway, .product = Product::kFixedDouble});
  arithmetic("ties away from zero", {.rounding = Rounding::kTiesAway});
  arithmetic("ties up", {.rounding = Rounding::kTiesUp});
  arithmetic("rounding toward zero", {.rounding = Rounding::kTowardZero});
  arithmetic("rounding down", {.rounding = Rounding::kFloor});
  arithmetic("stochastic rounding", {.stochastic = true});
  arithmetic("zero point added before rounding", {.zero_point = ZeroPoint::kBeforeRounding});
  arithmetic("analog, 128 rows, ADC of 8 bits over all", {.analog = {.rows = 128, .adc_bits = 8}});
  arithmetic("analog, 128 rows, ADC of 8 bits over 1/8", {.analog = {.rows = 128, .adc_bits = 8, .adc_range = 0.125}});
  arithmetic("analog, weight noise of 2 %", {.analog = {.rows = 128, .weight_noise = 0.02}});
  return list;
}

}  // namespace octet
