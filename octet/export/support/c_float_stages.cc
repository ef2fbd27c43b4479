#include "octet/export/support/c_float_stages.h"

#include <cmath>

namespace octet {
namespace {

const char* sign_of(work::Calculate::Operation operation) {
  switch (operation) {
    case work::Calculate::Operation::kAdd: return "+";
    case work::Calculate::Operation::kSubtract: return "-";
    case work::Calculate::Operation::kMultiply: return "*";
    case work::Calculate::Operation::kDivide: return "/";
  }
  return "";
}

void write_limit(CStep& step, const work::Limit& stage, const CFloatRow& row) {
  if (stage.low > -INFINITY)
    step.line("for (ptrdiff_t i = 0; i < {0}; ++i) {1}[i] = {1}[i] < {2} ? {2} : {1}[i];", row.count, row.acc,
              c_float(stage.low));
  if (stage.high < INFINITY)
    step.line("for (ptrdiff_t i = 0; i < {0}; ++i) {1}[i] = {1}[i] > {2} ? {2} : {1}[i];", row.count, row.acc,
              c_float(stage.high));
}

}  // namespace

std::string real_constant(CStep& step, const std::string& what, const std::vector<float>& numbers,
                          const std::string& channel) {
  if (numbers.size() == 1) return c_float(numbers[0]);
  return fmt::format("{}[{}]", step.constant(what, "float", numbers), channel);
}

void write_float_stages(CStep& step, const std::vector<work::Stage>& stages, std::size_t first, const CFloatRow& row,
                        ValueId y) {
  for (std::size_t s = first; s < stages.size(); ++s) {
    if (const auto* limit = std::get_if<work::Limit>(&stages[s])) {
      write_limit(step, *limit, row);
      continue;
    }
    const auto& calculate = std::get<work::Calculate>(stages[s]);
    const std::string operand =
        calculate.other == kNoValue
            ? real_constant(step, fmt::format("numbers_{}", s), calculate.numbers, row.channel)
            : fmt::format("{}[{}]", step.reads(calculate.other, fmt::format("other_{}", s)), row.at(calculate.other));
    const std::string result = row.acc + "[i]";
    step.line("for (ptrdiff_t i = 0; i < {}; ++i) {} = {} {} {};", row.count, result,
              calculate.operand_first ? operand : result, sign_of(calculate.operation),
              calculate.operand_first ? result : operand);
  }
  step.line("for (ptrdiff_t i = 0; i < {}; ++i) {}[{}] = {}[i];", row.count, step.writes(y, "y"), row.at(y), row.acc);
}

void say_float_stages(CStep& step, const std::vector<work::Stage>& stages) {
  for (const work::Stage& stage : stages) {
    if (const auto* limit = std::get_if<work::Limit>(&stage)) {
      step.say("  r = r limited to [{}, {}]", limit->low, limit->high);
    } else if (const auto* calculate = std::get_if<work::Calculate>(&stage)) {
      const std::string operand = calculate->other != kNoValue     ? "other"
                                  : calculate->numbers.size() == 1 ? c_float(calculate->numbers[0])
                                                                   : "numbers[channel]";
      const char* sign = sign_of(calculate->operation);
      if (calculate->operand_first)
        step.say("  r = {} {} r", operand, sign);
      else
        step.say("  r = r {} {}", sign, operand);
    }
  }
}

}  // namespace octet
