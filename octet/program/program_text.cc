#include "octet/program/program_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "octet/program/quantized_share.h"
#include "octet/spec/interval.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

std::string range_text(const std::vector<float>& values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return *least == *greatest ? fmt::format("{}", *least) : fmt::format("{:.6g} to {:.6g}", *least, *greatest);
}

std::string constants_text(const work::Sum& sum, const Scaling& scaling) {
  std::string text;
  if (sum.products > 0) text = fmt::format("{} products", sum.products);
  if (!sum.least.empty())
    text += fmt::format(", {}-bit accumulator",
                        signed_width({*std::min_element(sum.least.begin(), sum.least.end()),
                                      *std::max_element(sum.greatest.begin(), sum.greatest.end())}));
  if (!scaling.multipliers.empty())
    text += fmt::format("{}M {}{}", text.empty() ? "" : ", ", range_text(scaling.multipliers),
                        scaling.multipliers.size() > 1 ? fmt::format(" ({})", scaling.multipliers.size()) : "");
  if (scaling.y) text += fmt::format(", z {}", scaling.y->zero_point);
  return text;
}

std::string constants_text(const Meanings& meanings) {
  std::string text;
  for (const Quantization& input : meanings.inputs)
    text += fmt::format("{}{:.6g}*(x{}{})", text.empty() ? "" : ", ", input.scale, input.zero_point < 0 ? "+" : "-",
                        std::abs(input.zero_point));
  return text + fmt::format(" -> {:.6g}, z {}", meanings.output.scale, meanings.output.zero_point);
}

std::string constants_text(const Work& work) {
  if (const work::Sum* sum = sum_of(work)) return constants_text(*sum, scaling_of(work));
  if (const std::optional<Meanings> meanings = meanings_of(work)) return constants_text(*meanings);
  if (const auto* tables = std::get_if<work::ChannelTables>(&work))
    return fmt::format("{} tables of 256 entries {} -> {}", tables->tables.size(), name(tables->input),
                       name(tables->output));
  const auto* table = std::get_if<work::Table>(&work);
  return table ? fmt::format("256 entries {} -> {}", name(table->input), name(table->output)) : "";
}

std::string constants_text(const Program& program, const Step& step) {
  std::string text = constants_text(step.work);
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
    table.add(
        {step.name, std::string(name(step.kind)), operators_of(step, " "), results, constants_text(program, step)});
  }
  return table.text(width);
}

std::string decisions_table(const Program& program, std::size_t width) {
  Table table({{"step", Table::Fit::kShorten, false, 16}, {""}, {"why", Table::Fit::kWrap, false, 40}});
  for (const Step& step : program.steps) {
    const bool fused = step.sources.size() > 1;
    if (!step.reason.empty())
      table.add({step.name,
                 fused                     ? fmt::format("{} nodes fused", step.sources.size())
                 : is_quantized(step.kind) ? ""
                                           : "not fused",
                 step.reason});
    for (const std::string& warning : warnings_of(step)) table.add({step.name, "!", warning});
  }
  return table.empty() ? "" : table.text(width) + "\n";
}

std::string summary_text(const Program& program, const MemoryPlan& memory, std::size_t width) {
  std::map<StepKind, std::int64_t> kinds;
  std::size_t warnings = 0;
  for (const Step& step : program.steps) {
    ++kinds[step.kind];
    warnings += warnings_of(step).size();
  }
  std::string counts;
  for (const auto& [kind, count] : kinds)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, name(kind));
  Table table({{""}, {"", Table::Fit::kWrap}});
  table.add({"steps", fmt::format("{}: {}", program.steps.size(), counts)});
  table.add({"quantized", to_string(quantized_share(program))});
  table.add({"constants", counted(constant_bytes(program), "byte")});
  table.add({"memory", memory.bytes ? counted(*memory.bytes, "byte") + " at the peak; symbols count as 1"
                                    : "not planned: " + memory.obstacle});
  if (warnings > 0) table.add({"!", counted(static_cast<std::int64_t>(warnings), "warning") + ", above"});
  return table.text(width);
}

}  // namespace

std::string program_text(const Program& program, const MemoryPlan& memory, std::size_t width) {
  return steps_table(program, width) + "\n" + decisions_table(program, width) + summary_text(program, memory, width);
}

}  // namespace octet
