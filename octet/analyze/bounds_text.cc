#include <fmt/core.h>

#include <algorithm>

#include "octet/analyze/bounds_report.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

std::string widths_table(const std::vector<StepBounds>& bounds, const Program& program, std::size_t width) {
  Table table({{"step", Table::Fit::kShorten, false, 12},
               {"products", Table::Fit::kWhole, true},
               {"bits", Table::Fit::kWhole, true},
               {"any order", Table::Fit::kWhole, true},
               {"raw", Table::Fit::kWhole, true},
               {"textbook", Table::Fit::kWhole, true},
               {"seen", Table::Fit::kWhole, true},
               {"accumulator from"},
               {"to", Table::Fit::kWhole, true},
               {"pairs beyond 16 bits", Table::Fit::kWhole, true}});
  for (const StepBounds& bound : bounds) {
    const auto bits = [](const Interval& interval) { return fmt::format("{}", signed_width(interval)); };
    table.add({program.steps[bound.step].name, grouped(bound.products), bits(bound.final), bits(bound.any_order),
               bits(bound.raw), bits(bound.textbook), bound.observed ? bits(*bound.observed) : "",
               grouped(bound.final.least), grouped(bound.final.greatest),
               bound.pairs > 0 ? fmt::format("{} of {}", grouped(bound.saturating_pairs), grouped(bound.pairs)) : ""});
  }
  return table.text(width);
}

// Multipliers that requantize as float32 does.
std::string multipliers_table(const std::vector<StepBounds>& bounds, const Program& program, std::size_t width) {
  Table table({{"step", Table::Fit::kShorten, false, 12},
               {"channels", Table::Fit::kWhole, true},
               {"equal", Table::Fit::kWhole, true},
               {"bits", Table::Fit::kWhole, true},
               {"one shift for all"},
               {"ties", Table::Fit::kWhole, true},
               {"interval", Table::Fit::kWhole, true},
               {"without an equal one", Table::Fit::kWrap}});
  for (const StepBounds& bound : bounds) {
    int least = 64, greatest = 0;
    std::int64_t equal = 0, none = 0, differing = 0, ties = 0, reachable = 0;
    for (const ChannelBounds& channel : bound.channels) {
      if (!channel.equal) continue;
      ties += channel.ties;
      reachable += channel.reachable;
      differing += channel.differing;
      (channel.multiplier ? equal : none) += 1;
      if (!channel.multiplier) continue;
      least = std::min(least, channel.multiplier->bits());
      greatest = std::max(greatest, channel.multiplier->bits());
    }
    if (equal + none == 0) continue;
    table.add(
        {program.steps[bound.step].name, grouped(equal + none), grouped(equal),
         equal == 0          ? ""
         : least == greatest ? fmt::format("{}", least)
                             : fmt::format("{} to {}", least, greatest),
         bound.shared_shift ? fmt::format("{} bits, shift {}", bound.shared_bits, *bound.shared_shift) : "none",
         grouped(ties), grouped(reachable),
         none > 0 ? fmt::format("{}: 31 bits get {} wrong", counted(none, "channel"), counted(differing, "accumulator"))
                  : ""});
  }
  return table.empty() ? "" : "\nMultiplier and shift equal to the float32 requantization:\n" + table.text(width);
}

std::string rules_line(const std::vector<EqualChannels>& rules) {
  if (rules.front().channels == 0) return "";
  std::string line =
      fmt::format("\nOf {}, with an equal multiplier by rounding rule:", counted(rules.front().channels, "channel"));
  for (const EqualChannels& rule : rules)
    line += fmt::format("{} {} {}", &rule == rules.data() ? "" : ",", rule.rule, grouped(rule.equal));
  return line + "\n";
}

// Registers of the requantization in integers alone.
std::string integers_table(const std::vector<StepBounds>& bounds, const std::vector<CombiningStep>& combining,
                           const Program& program, std::size_t width) {
  Table table({{"step", Table::Fit::kShorten, false, 12},
               {"m", Table::Fit::kWhole, true},
               {"product", Table::Fit::kWhole, true},
               {"sum", Table::Fit::kWhole, true},
               {"exceptions", Table::Fit::kWrap}});
  const auto add = [&](std::size_t step, const IntegerWidths& bits, const std::string& exceptions) {
    table.add({program.steps[step].name, fmt::format("{}", bits.m), fmt::format("{}", bits.product),
               fmt::format("{}", bits.sum), exceptions});
  };
  for (const StepBounds& bound : bounds) {
    IntegerWidths bits;
    std::int64_t channels = 0, exceptions = 0;
    for (const ChannelBounds& channel : bound.channels) {
      if (!channel.integer) continue;
      bits.include(widths_of(channel));
      channels += channel.integer->exceptions.empty() ? 0 : 1;
      exceptions += excepted(*channel.integer);
    }
    if (bits == IntegerWidths()) continue;
    add(bound.step, bits,
        channels == 0 ? "" : fmt::format("{} in {}", counted(exceptions, "accumulator"), counted(channels, "channel")));
  }
  for (const CombiningStep& step : combining) {
    const std::int64_t exceptions = std::visit([](const auto& integer) { return excepted(integer); }, step.integer);
    const bool pairs = std::holds_alternative<IntegerAddition>(step.integer);
    add(step.step, step.widths, exceptions == 0 ? "" : counted(exceptions, pairs ? "pair" : "accumulator"));
  }
  return table.empty() ? ""
                       : "\nBits in integers alone, (acc * m + addend) >> shift, equal for every accumulator:\n" +
                             table.text(width);
}

std::string verdict_text(const std::vector<StepBounds>& bounds, const Program& program, int max_bits) {
  std::vector<std::string> wider;
  for (const StepBounds& bound : bounds)
    if (signed_width(bound.final) > max_bits) wider.push_back(program.steps[bound.step].name);
  if (wider.empty()) return fmt::format("verdict: {} bits are enough\n", max_bits);
  return fmt::format("verdict: {} bits are not enough for {}, such as {}\n", max_bits,
                     counted(static_cast<std::int64_t>(wider.size()), "step"), printable(wider.front()));
}

}  // namespace

std::string bounds_text(const ProvenBounds& found, const Program& program, std::size_t width) {
  std::string text;
  if (found.steps.empty()) {  // no sum: one table, without a gap
    text = integers_table(found.steps, found.combining, program, width).substr(1);
  } else {
    text = widths_table(found.steps, program, width) + multipliers_table(found.steps, program, width) +
           rules_line(found.equal_by_rule()) + integers_table(found.steps, found.combining, program, width) +
           fmt::format("\n{}: {} bits hold every accumulator\n",
                       counted(static_cast<std::int64_t>(found.steps.size()), "step"), found.accumulator_bits());
  }
  return text + (found.max_bits ? verdict_text(found.steps, program, *found.max_bits) : "");
}

}  // namespace octet
