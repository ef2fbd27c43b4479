// hardware_options.h: the options that say how a piece of hardware computes. Each takes one value or a list of them:
// numbers, ranges such as 12..32, names.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/parser.h"
#include "octet/simulate/hardware.h"

namespace octet::cli {

struct HardwareOptions {
  std::string accumulator, rounding, multiplier, scales, zero_point, tile_rows, adc_bits, adc_range, weight_noise;
  bool uncorrected = false, zero_padding = false, first_scale = false, saturating_pairs = false;
  std::int64_t seed = 1;
};

void add_hardware_options(CommandLine line, HardwareOptions& options);

// Whether what was asked for depends on the seed, and what to say where it does not.
bool draws_lots(const HardwareOptions& options);
inline constexpr const char* kNoLots = "nothing is drawn by lot without --rounding stochastic or --weight-noise";

// One value of an option: what it is called, the number it is, and what it does.
struct Choice {
  std::string text;
  std::optional<double> number;
  std::function<void(Hardware&)> apply;
};

struct Axis {
  std::string name;
  std::vector<Choice> choices;
  std::string unit = "";  // of its numbers, where the name does not say it
};

// The options that were given. Throws kUsage, quoting what can't be read.
std::vector<Axis> axes_of(const HardwareOptions& options);

// One value for each axis.
struct Setting {
  std::vector<const Choice*> choices;
  Hardware hardware;
};
// Every combination, the last axis changing fastest.
std::vector<Setting> settings_of(const std::vector<Axis>& axes, std::int64_t seed);
// "accumulator 16, overflow saturate".
std::string name_of(const Setting& setting, const std::vector<Axis>& axes);

}  // namespace octet::cli
