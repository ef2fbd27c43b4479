#include "octet/export/support/c_chains.h"

#include <map>

#include "octet/export/support/c_nest.h"
#include "octet/program/joined_sums.h"

namespace octet {
namespace {

std::string element_of(const Operation& operation, DType type, const std::vector<std::string>& operands) {
  const std::string_view op = operation.op->name;
  const std::string c = c_type(type);
  if (op == "Cast") return fmt::format("({}){}", c, operands[0]);
  if (op == "Div") return fmt::format("{} / {}", operands[0], operands[1]);
  if (op == "Mod") return fmt::format("{} % {}", operands[0], operands[1]);
  const char* sign = op == "Add" ? "+" : "*";
  if (type == DType::kFloat) return fmt::format("{} {} {}", operands[0], sign, operands[1]);
  return fmt::format("({0})((u{0}){1} {2} (u{0}){3})", c, operands[0], sign, operands[1]);
}

}  // namespace

bool is_c_chain(const Step& step) { return takes_bytes(step) || joins_sums(step); }

void write_chain(CStep& to, const Step& step) {
  const Program& program = to.program();
  const std::vector<ValueId> results = outputs_of(program, step);
  to.say("  {}", step.reason);
  std::vector<std::vector<std::int64_t>> strides;
  for (const ValueId result : results) strides.push_back(to.value(result).strides());
  std::map<ValueId, std::string> names;  // of elements
  std::vector<std::pair<ValueId, std::string>> arrays;
  for (const Operation& operation : step.operations) {
    for (const ValueId input : operation.inputs)
      if (names.try_emplace(input, fmt::format("e{}", names.size())).second) {
        arrays.emplace_back(input, to.reads(input, fmt::format("x{}", arrays.size())));
        strides.push_back(strides_seen_as(to.value(input), to.value(results[0]).shape));
      }
    names.emplace(operation.outputs[0], fmt::format("e{}", names.size()));
  }
  std::vector<std::string> written;
  for (const ValueId result : results) written.push_back(to.writes(result, fmt::format("y{}", written.size())));
  CNest nest(to, to.value(results[0]).shape, strides);
  to.open("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
  for (std::size_t k = 0; k < arrays.size(); ++k)
    to.line("const {} {} = {}[{}];", c_type(to.value(arrays[k].first).type), names.at(arrays[k].first),
            arrays[k].second, nest.at(results.size() + k));
  for (const Operation& operation : step.operations) {
    std::vector<std::string> operands;
    for (const ValueId input : operation.inputs) operands.push_back(names.at(input));
    const ValueId output = operation.outputs[0];
    const DType type = program.values[output].dtype;
    to.line("const {} {} = {};", c_type(type), names.at(output), element_of(operation, type, operands));
  }
  for (std::size_t k = 0; k < results.size(); ++k)
    to.line("{}[{}] = {};", written[k], nest.at(k), names.at(results[k]));
  to.close();
  nest.close();
}

}  // namespace octet
