// hardware_axes.h: ways in which a piece of hardware computes, as text: one value or a list of them for each property.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "octet/simulate/hardware.h"

namespace octet {

// Each text is empty, one value, or several with commas between them; numbers may be ranges such as 12..32.
struct HardwareOptions {
  std::string accumulator;  // bits, and "wrap" or "saturate" beyond them
  std::string rounding;     // a rule of rounding_named.h, or "stochastic"
  std::string multiplier;   // "float32", "float16", "bfloat16", "power-of-two", "fixed:BITS"
  std::string scales;       // "float32", "float16"
  std::string zero_point;   // "before-rounding", "after-rounding"
  std::string tile_rows, adc_bits, adc_range, weight_noise;  // of an analog array; tile_rows with the others
  bool uncorrected = false, zero_padding = false, first_scale = false, saturating_pairs = false;
  std::int64_t seed = 1;  // of what is random
  std::string seeds;      // several, such as 1..20, in place of it
};

// Whether what was asked for depends on the seed.
bool is_random(const HardwareOptions& options);

// One value of a property: what it is called, the number it is, and what it does.
struct HardwareChoice {
  std::string text;
  std::optional<double> number;
  std::function<void(Hardware&)> apply;
};

// The axis of seeds: rows that differ in it alone are draws of one thing.
inline constexpr const char* kSeedAxis = "seed";

struct HardwareAxis {
  std::string name;
  std::vector<HardwareChoice> choices;
  std::string unit = "";  // of its numbers, where the name does not say it

  bool is_swept() const { return choices.size() > 1; }
};

// The properties that have values. Throws kUsage, quoting what can't be read.
std::vector<HardwareAxis> axes_of(const HardwareOptions& options);

// One value for each axis.
struct HardwareSetting {
  std::vector<std::size_t> choices;  // by axis
  Hardware hardware;
};
// Every combination, the last axis changing fastest. Throws kUsage for more than 1,000.
std::vector<HardwareSetting> settings_of(const std::vector<HardwareAxis>& axes, std::uint64_t seed);
// "accumulator 16, overflow saturate".
std::string name_of(const HardwareSetting& setting, const std::vector<HardwareAxis>& axes);

}  // namespace octet
