#include "octet/analyze/bounds_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "octet/analyze/thresholds.h"

namespace octet {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string run_text(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

std::string exceptions_text(const IntegerRequantizer& integer) {
  std::string text;
  for (const RequantizerException& some : integer.exceptions)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", run_text(some.first, some.last), some.value);
  return text;
}

std::string exceptions_text(const IntegerAddition& integer) {
  std::string text;
  for (const PairException& some : integer.exceptions)
    text += fmt::format("{}{}/{}:{}", text.empty() ? "" : " ", some.a, run_text(some.first, some.last), some.value);
  return text;
}

std::string constants_fields(const IntegerRequantizer& integer, const IntegerWidths& bits) {
  return fmt::format("{},,{},{},{},{},{},{},", integer.m, integer.addend, integer.shift, exceptions_text(integer),
                     bits.m, bits.product, bits.sum);
}

std::string constants_fields(const IntegerAddition& integer, const IntegerWidths& bits) {
  return fmt::format("{},{},{},{},{},{},{},{},", integer.ma, integer.mb, integer.addend, integer.shift,
                     exceptions_text(integer), bits.m, bits.product, bits.sum);
}

std::string reach_fields(const Interval& reach) {
  return fmt::format("{},{},{}", reach.least, reach.greatest, signed_width(reach));
}

std::string thresholds_text(const Quantization& y, IntegerRange range) {
  std::string text;
  for (const float threshold : quantize_thresholds(y, range))
    text += fmt::format("{}{:08x}", text.empty() ? "" : " ", std::bit_cast<std::uint32_t>(threshold));
  return text;
}

bool has_thresholds(const Program& program, const work::Quantize& quantize) {
  const DType y = program.values[quantize.y].dtype;
  return program.values[quantize.x].dtype == DType::kFloat && (y == DType::kInt8 || y == DType::kUint8) &&
         std::all_of(quantize.scales.begin(), quantize.scales.end(),
                     [](float scale) { return scale > 0 && std::isfinite(scale); });
}

}  // namespace

std::string bounds_csv(const Program& program, std::span<const StepBounds> bounds,
                       std::span<const CombiningStep> combining) {
  std::string text =
      "step,kind,channel,start,least,greatest,bits,m,m_b,addend,shift,exceptions,m_bits,product_bits,sum_bits,"
      "thresholds\n";
  const auto add = [&](std::size_t step, StepKind kind, const std::string& channel, const std::string& rest) {
    text += fmt::format("{},{},{},{}\n", csv_field(program.steps[step].name), name(kind), channel, rest);
  };
  for (std::size_t step = 0; step < program.steps.size(); ++step) {
    const auto* quantize = std::get_if<work::Quantize>(&program.steps[step].work);
    if (quantize == nullptr || !has_thresholds(program, *quantize)) continue;
    const IntegerRange range = integer_range(program.values[quantize->y].dtype);
    for (std::size_t c = 0; c < quantize->scales.size(); ++c)
      add(step, program.steps[step].kind, quantize->scales.size() == 1 ? "" : fmt::format("{}", c),
          ",,,,,,,,,,,," + thresholds_text({quantize->scales[c], quantize->zero_points[c]}, range));
  }
  for (const StepBounds& bound : bounds)
    for (std::size_t m = 0; m < bound.channels.size(); ++m) {
      const ChannelBounds& channel = bound.channels[m];
      add(bound.step, program.steps[bound.step].kind, fmt::format("{}", m),
          fmt::format("{},{},{}", channel.start ? fmt::format("{}", *channel.start) : "", reach_fields(channel.final),
                      channel.integer ? constants_fields(*channel.integer, widths_of(channel)) : ",,,,,,,,"));
    }
  for (const CombiningStep& step : combining)
    add(step.step, step.kind, "",
        fmt::format(
            ",{},{}", step.reach ? reach_fields(*step.reach) : ",,",
            std::visit([&](const auto& integer) { return constants_fields(integer, step.widths); }, step.integer)));
  return text;
}

}  // namespace octet
