#include "octet/program/program_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>

#include "octet/base/table.h"
#include "octet/base/utf8.h"
#include "octet/report/numbers.h"

namespace octet {
namespace {

// Of a two's complement register that holds every number from `least` to `greatest`.
int signed_width(std::int64_t least, std::int64_t greatest) {
  const auto magnitude = [](std::int64_t value) { return static_cast<std::uint64_t>(value < 0 ? ~value : value); };
  return static_cast<int>(std::bit_width(std::max(magnitude(least), magnitude(greatest)))) + 1;
}

std::string range_text(const std::vector<float>& values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return *least == *greatest ? fmt::format("{}", *least) : fmt::format("{:.6g} to {:.6g}", *least, *greatest);
}

std::string constants_text(const Accumulation& sum) {
  std::string text;
  if (sum.products > 0) text = fmt::format("{} products", sum.products);
  if (!sum.least.empty())
    text +=
        fmt::format(", {}-bit accumulator", signed_width(*std::min_element(sum.least.begin(), sum.least.end()),
                                                         *std::max_element(sum.greatest.begin(), sum.greatest.end())));
  if (!sum.multipliers.empty())
    text += fmt::format("{}M {}{}", text.empty() ? "" : ", ", range_text(sum.multipliers),
                        sum.multipliers.size() > 1 ? fmt::format(" ({})", sum.multipliers.size()) : "");
  if (sum.y) text += fmt::format(", z {}", sum.y->zero_point);
  return text;
}

std::string constants_text(const Operands& operands) {
  std::string text;
  for (const Quantization& input : operands.inputs)
    text += fmt::format("{}{:.6g}*(x{}{})", text.empty() ? "" : ", ", input.scale, input.zero_point < 0 ? "+" : "-",
                        std::abs(input.zero_point));
  return text + fmt::format(" -> {:.6g}, z {}", operands.output.scale, operands.output.zero_point);
}

std::string constants_text(const TableEntries& table) {
  return fmt::format("256 entries {} -> {}", name(table.input), name(table.output));
}

std::string constants_text(const std::monostate&) { return ""; }

std::string constants_text(const Program& program, const Step& step) {
  std::string text = std::visit([](const auto& constants) { return constants_text(constants); }, step.constants);
  if (!text.empty()) return text;
  for (const ValueId output : outputs_of(program, step))
    if (const auto& meaning = program.values[output].quantization)
      return fmt::format("scale {:.6g}, z {}", meaning->scale, meaning->zero_point);
  return "";
}

std::string result_text(const ProgramValue& value) {
  if (value.dtype == DType::kUndefined) return "?";
  return std::string(name(value.dtype)) + (value.shape ? to_string(*value.shape) : "");
}

std::string operators_text(const Step& step) {
  std::string text;
  for (const Operation& operation : step.operations)
    text += (text.empty() ? "" : " ") + std::string(operation.op->name);
  return text;
}

std::string steps_table(const Program& program, std::size_t width) {
  Table table({{"step", Table::Fit::kShorten, false, 16},
               {"kind"},
               {"operators", Table::Fit::kShorten, false, 14},
               {"result", Table::Fit::kShorten, false, 14},
               {"constants", Table::Fit::kWrap, false, 30}});
  for (const Step& step : program.steps) {
    std::string results;
    for (const ValueId output : outputs_of(program, step))
      results += (results.empty() ? "" : ", ") + result_text(program.values[output]);
    table.add({step.name, std::string(name(step.kind)), operators_text(step), results, constants_text(program, step)});
  }
  return table.text(width);
}

std::string decisions_table(const Program& program, std::size_t width) {
  Table table({{"step", Table::Fit::kShorten, false, 16}, {""}, {"why", Table::Fit::kWrap, false, 40}});
  for (const Step& step : program.steps) {
    const bool fused = step.sources.size() > 1;
    if (!step.reason.empty())
      table.add({step.name,
                 fused                   ? fmt::format("{} nodes fused", step.sources.size())
                 : is_integer(step.kind) ? ""
                                         : "not fused",
                 step.reason});
    for (const std::string& warning : step.warnings) table.add({step.name, "!", warning});
  }
  return table.empty() ? "" : table.text(width) + "\n";
}

std::string summary_text(const Program& program, std::size_t width) {
  std::map<StepKind, std::int64_t> kinds;
  std::int64_t integers = 0;
  std::size_t warnings = 0;
  for (const Step& step : program.steps) {
    ++kinds[step.kind];
    integers += is_integer(step.kind) ? 1 : 0;
    warnings += step.warnings.size();
  }
  std::string counts;
  for (const auto& [kind, count] : kinds)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, name(kind));
  Table table({{""}, {"", Table::Fit::kWrap}});
  table.add({"steps", fmt::format("{}: {}", program.steps.size(), counts)});
  table.add(
      {"integer", fmt::format("{} of {}", integers, counted(static_cast<std::int64_t>(program.steps.size()), "step"))});
  table.add({"constants", counted(program.constant_bytes, "byte")});
  table.add({"memory", program.memory_bytes
                           ? counted(*program.memory_bytes, "byte") + " at the peak; symbols count as 1"
                           : "not planned: a shape is not known before the run"});
  if (warnings > 0) table.add({"!", counted(static_cast<std::int64_t>(warnings), "warning") + ", above"});
  return table.text(width);
}

}  // namespace

std::string program_text(const Program& program, std::size_t width) {
  return steps_table(program, width) + "\n" + decisions_table(program, width) + summary_text(program, width);
}

}  // namespace octet
