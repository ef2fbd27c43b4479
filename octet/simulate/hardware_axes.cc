#include "octet/simulate/hardware_axes.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "octet/base/fail.h"
#include "octet/spec/rounding_named.h"

namespace octet {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// "16", "12..32".
std::vector<int> integers_in(std::string_view text, const char* option) {
  const std::size_t dots = text.find("..");
  const auto first = number_in<std::int32_t>(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : number_in<std::int32_t>(text.substr(dots + 2));
  if (!first || !last || *last < *first || std::int64_t{*last} - *first > 1000)
    fail(ErrorCode::kUsage, "{}: \"{}\" is no number and no range of numbers such as 12..32", option, text);
  std::vector<int> numbers;
  for (std::int64_t number = *first; number <= *last; ++number) numbers.push_back(static_cast<int>(number));
  return numbers;
}

HardwareChoice integer_choice(int number, std::function<void(Hardware&)> apply) {
  return {std::to_string(number), number, std::move(apply)};
}

// The width, and what happens beyond it.
std::vector<HardwareAxis> accumulator_axes(const std::string& text) {
  HardwareAxis bits{"accumulator", {}, "bits"}, overflow{"overflow", {}};
  const auto add_overflow = [&](const std::string& name, Overflow rule) {
    overflow.choices.push_back({name, std::nullopt, [rule](Hardware& h) { h.arithmetic.accumulator_overflow = rule; }});
  };
  for (const std::string& part : split(text)) {
    if (part == "wrap" || part == "saturate")
      add_overflow(part, part == "wrap" ? Overflow::kWrap : Overflow::kSaturate);
    else
      for (const int number : integers_in(part, "--accumulator"))
        bits.choices.push_back(
            integer_choice(number, [number](Hardware& h) { h.arithmetic.accumulator_bits = number; }));
  }
  if (bits.choices.empty()) fail(ErrorCode::kUsage, "--accumulator {}: wanted bits, such as 16,saturate", text);
  if (overflow.choices.empty()) add_overflow("wrap", Overflow::kWrap);
  return {std::move(bits), std::move(overflow)};
}

HardwareAxis rounding_axis(const std::string& text) {
  HardwareAxis axis{"rounding", {}};
  for (const std::string& part : split(text)) {
    if (part == "stochastic") {
      axis.choices.push_back({part, std::nullopt, [](Hardware& h) { h.arithmetic.stochastic = true; }});
      continue;
    }
    try {
      axis.choices.push_back(
          {part, std::nullopt, [rule = rounding_named(part)](Hardware& h) { h.arithmetic.rounding = rule; }});
    } catch (const Error& error) {
      fail(ErrorCode::kUsage, "{}, stochastic", error.message());
    }
  }
  return axis;
}

HardwareAxis multiplier_axis(const std::string& text) {
  HardwareAxis axis{"multiplier", {}, "bits"};
  const auto form = [&](const std::string& part, MultiplierForm stored) {
    axis.choices.push_back({part, std::nullopt, [stored](Hardware& h) { h.arithmetic.multiplier_form = stored; }});
  };
  for (const std::string& part : split(text)) {
    if (part == "float32") {
      form(part, MultiplierForm::kFloat32);
    } else if (part == "float16") {
      form(part, MultiplierForm::kFloat16);
    } else if (part == "bfloat16") {
      form(part, MultiplierForm::kBfloat16);
    } else if (part == "power-of-two") {
      form(part, MultiplierForm::kPowerOfTwo);
    } else if (part.starts_with("fixed:")) {
      for (const int bits : integers_in(std::string_view(part).substr(6), "--multiplier fixed"))
        axis.choices.push_back({fmt::format("fixed:{}", bits), bits, [bits](Hardware& h) {
                                  h.arithmetic.product = Product::kFixedSingle;
                                  h.arithmetic.multiplier_bits = bits;
                                }});
    } else {
      fail(ErrorCode::kUsage,
           "--multiplier: there is no \"{}\"; known are float32, float16, bfloat16, power-of-two and fixed:BITS", part);
    }
  }
  return axis;
}

HardwareAxis integer_axis(const char* name, const std::string& text, std::function<void(Hardware&, int)> apply) {
  HardwareAxis axis{name, {}};
  for (const std::string& part : split(text))
    for (const int number :
         integers_in(part, fmt::format("--{}{}", name, name == std::string_view(kSeedAxis) ? "s" : "").c_str()))
      axis.choices.push_back(integer_choice(number, [apply, number](Hardware& h) { apply(h, number); }));
  return axis;
}

HardwareAxis real_axis(const char* name, const std::string& text, std::function<void(Hardware&, double)> apply) {
  HardwareAxis axis{name, {}};
  for (const std::string& part : split(text)) {
    const auto number = number_in<double>(part);
    if (!number) fail(ErrorCode::kUsage, "--{}: \"{}\" is no number", name, part);
    axis.choices.push_back({part, number, [apply, value = *number](Hardware& h) { apply(h, value); }});
  }
  return axis;
}

HardwareAxis named_axis(const char* name, const std::string& text,
                        const std::vector<std::pair<std::string, std::function<void(Hardware&)>>>& known) {
  HardwareAxis axis{name, {}};
  for (const std::string& part : split(text)) {
    std::string names;
    for (const auto& [value, apply] : known) {
      if (value == part) axis.choices.push_back({part, std::nullopt, apply});
      names += (names.empty() ? "" : ", ") + value;
    }
    if (axis.choices.empty() || axis.choices.back().text != part)
      fail(ErrorCode::kUsage, "--{}: there is no \"{}\"; known are {}", name, part, names);
  }
  return axis;
}

HardwareAxis flag(const char* name, std::function<void(Hardware&)> apply) {
  return {name, {{"yes", std::nullopt, std::move(apply)}}};
}

}  // namespace

std::vector<HardwareAxis> axes_of(const HardwareOptions& o) {
  std::vector<HardwareAxis> axes;
  if (!o.accumulator.empty()) axes = accumulator_axes(o.accumulator);
  if (!o.multiplier.empty()) axes.push_back(multiplier_axis(o.multiplier));
  if (!o.adc_bits.empty())
    axes.push_back(integer_axis("adc-bits", o.adc_bits, [](Hardware& h, int bits) {
      h.arithmetic.analog.adc_bits = bits;
      if (bits == 0) fail(ErrorCode::kUsage, "a converter of 0 bits, wanted 2 to 24");
    }));
  if (!o.tile_rows.empty())
    axes.push_back(integer_axis("tile-rows", o.tile_rows, [](Hardware& h, int rows) {
      h.arithmetic.analog.rows = rows;
      if (rows < 1) fail(ErrorCode::kUsage, "a tile of {} rows, wanted 1 or more", rows);
    }));
  if (!o.adc_range.empty())
    axes.push_back(
        real_axis("adc-range", o.adc_range, [](Hardware& h, double range) { h.arithmetic.analog.adc_range = range; }));
  if (!o.weight_noise.empty())
    axes.push_back(real_axis("weight-noise", o.weight_noise,
                             [](Hardware& h, double noise) { h.arithmetic.analog.weight_noise = noise; }));
  if (!o.rounding.empty()) axes.push_back(rounding_axis(o.rounding));
  if (!o.scales.empty())
    axes.push_back(named_axis("scales", o.scales,
                              {{"float32", [](Hardware&) {}}, {"float16", [](Hardware& h) { h.half_scales = true; }}}));
  if (!o.zero_point.empty())
    axes.push_back(
        named_axis("zero-point", o.zero_point,
                   {{"before-rounding", [](Hardware& h) { h.arithmetic.zero_point = ZeroPoint::kBeforeRounding; }},
                    {"after-rounding", [](Hardware& h) { h.arithmetic.zero_point = ZeroPoint::kAfterRounding; }}}));
  if (o.uncorrected) axes.push_back(flag("no-zero-point-correction", [](Hardware& h) { h.uncorrected = true; }));
  if (o.zero_padding) axes.push_back(flag("zero-padding", [](Hardware& h) { h.pads_with_zero_byte = true; }));
  if (o.first_scale) axes.push_back(flag("first-scale", [](Hardware& h) { h.first_scale_for_all = true; }));
  if (o.saturating_pairs)
    axes.push_back(flag("pair-saturation", [](Hardware& h) { h.arithmetic.saturating_pairs = true; }));
  if (!o.seeds.empty())
    axes.push_back(integer_axis(kSeedAxis, o.seeds, [](Hardware& h, int seed) {
      if (seed < 0) fail(ErrorCode::kUsage, "a seed of {}; wanted 0 or more", seed);
      h.arithmetic.seed = static_cast<std::uint64_t>(seed);
    }));
  if (o.tile_rows.empty() && !(o.adc_bits.empty() && o.adc_range.empty() && o.weight_noise.empty()))
    fail(ErrorCode::kUsage, "say how many rows a tile of the analog array has, with --tile-rows");
  if (o.adc_bits.empty() && !o.adc_range.empty())
    fail(ErrorCode::kUsage, "say how many bits the converter has, with --adc-bits");
  return axes;
}

std::vector<HardwareSetting> settings_of(const std::vector<HardwareAxis>& axes, std::uint64_t seed) {
  std::vector<HardwareSetting> settings(1);
  settings[0].hardware.arithmetic.seed = seed;
  for (const HardwareAxis& axis : axes) {
    std::vector<HardwareSetting> longer;
    for (const HardwareSetting& setting : settings)
      for (std::size_t choice = 0; choice < axis.choices.size(); ++choice) {
        longer.push_back(setting);
        longer.back().choices.push_back(choice);
        axis.choices[choice].apply(longer.back().hardware);
      }
    settings = std::move(longer);
    if (settings.size() > 1000) fail(ErrorCode::kUsage, "more than 1,000 combinations of values");
  }
  for (const HardwareSetting& setting : settings) validate(setting.hardware.arithmetic);
  return settings;
}

std::string name_of(const HardwareSetting& setting, const std::vector<HardwareAxis>& axes) {
  std::string name;
  for (std::size_t a = 0; a < axes.size(); ++a)
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", axes[a].name, axes[a].choices[setting.choices[a]].text);
  return name;
}

bool is_random(const HardwareOptions& o) {
  return o.rounding.find("stochastic") != std::string::npos || !o.weight_noise.empty();
}

}  // namespace octet
