#include "cli/hardware_options.h"

#include <fmt/core.h>

#include <string>

#include "cli/terminal.h"

namespace octet::cli {

void add_hardware_options(CommandLine line, HardwareOptions& o) {
  const auto text = [&](const char* flag, std::string& value, const char* what, const char* type) {
    line.option(flag, value, what, type);
  };
  text("--accumulator", o.accumulator, "Width of the accumulator, 8 to 32, and what happens beyond: wrap or saturate",
       "BITS,RULE");
  text("--rounding", o.rounding, "ties-even, ties-away, ties-up, toward-zero, floor or stochastic", "RULE");
  text("--multiplier", o.multiplier, "float32, float16, bfloat16, power-of-two or fixed:BITS (2 to 31)", "FORM");
  text("--scales", o.scales, "Scales stored as float16", "float16");
  text("--zero-point", o.zero_point, "Added before-rounding or after-rounding, in every operator", "PLACE");
  line.flag("--no-zero-point-correction", o.uncorrected, "Raw bytes times weights, nothing subtracted");
  line.flag("--zero-padding", o.zero_padding, "Padding is the byte 0, not the zero point");
  line.flag("--first-scale", o.first_scale, "The first channel's scale serves all channels");
  line.flag("--pair-saturation", o.saturating_pairs, "Pairs of uint8 * int8 saturate at 16 bits, as on x86 with AVX2");
  text("--tile-rows", o.tile_rows, "An analog array: products added up before a converter reads them", "ROWS");
  text("--adc-bits", o.adc_bits, "Of the converter, 2 to 24; exact if not said", "BITS");
  text("--adc-range", o.adc_range, "Its range, as a share of the largest sum of a tile; 1 if not said", "SHARE");
  text("--weight-noise", o.weight_noise, "Deviation of the weights, as a share of the layer's largest", "SHARE");
  const Argument seed =
      line.option("--seed", o.seed, "Of stochastic rounding and noise", "N").within(0, 2147483647).shows_default();
  line.option("--seeds", o.seeds, "Several, such as 1..20: mean, deviation and 95 % interval over all of them", "LIST")
      .excludes(seed);
}

void note_overflow(const HardwareOptions& o) {
  const bool said =
      o.accumulator.find("wrap") != std::string::npos || o.accumulator.find("saturate") != std::string::npos;
  if (!o.accumulator.empty() && !said)
    print_error(fmt::format("note: --accumulator {0} wraps beyond its bits; {0},saturate and {0},wrap are the rules",
                            o.accumulator));
}

}  // namespace octet::cli
