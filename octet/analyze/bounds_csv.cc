#include "octet/analyze/bounds_csv.h"

#include <fmt/core.h>

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
  return fmt::format("{},,{},{},{},{},{},{}", integer.m, integer.addend, integer.shift, exceptions_text(integer),
                     bits.m, bits.product, bits.sum);
}

std::string constants_fields(const IntegerAddition& integer, const IntegerWidths& bits) {
  return fmt::format("{},{},{},{},{},{},{},{}", integer.ma, integer.mb, integer.addend, integer.shift,
                     exceptions_text(integer), bits.m, bits.product, bits.sum);
}

std::string reach_fields(const Interval& reach) {
  return fmt::format("{},{},{}", reach.least, reach.greatest, signed_width(reach));
}

}  // namespace

std::string bounds_csv(const Program& program, std::span<const StepBounds> bounds,
                       std::span<const CombiningStep> combining) {
  std::string text =
      "step,kind,channel,start,least,greatest,bits,m,m_b,addend,shift,exceptions,m_bits,product_bits,sum_bits\n";
  const auto add = [&](std::size_t step, StepKind kind, const std::string& channel, const std::string& rest) {
    text += fmt::format("{},{},{},{}\n", csv_field(program.steps[step].name), name(kind), channel, rest);
  };
  for (const StepBounds& bound : bounds)
    for (std::size_t m = 0; m < bound.channels.size(); ++m) {
      const ChannelBounds& channel = bound.channels[m];
      add(bound.step, program.steps[bound.step].kind, fmt::format("{}", m),
          fmt::format("{},{},{}", channel.start ? fmt::format("{}", *channel.start) : "", reach_fields(channel.final),
                      channel.integer ? constants_fields(*channel.integer, widths_of(channel)) : ",,,,,,,"));
    }
  for (const CombiningStep& step : combining)
    add(step.step, step.kind, "",
        fmt::format(
            ",{},{}", step.reach ? reach_fields(*step.reach) : ",,",
            std::visit([&](const auto& integer) { return constants_fields(integer, step.widths); }, step.integer)));
  return text;
}

}  // namespace octet
