#include "octet/program/program.h"

#include <algorithm>
#include <array>

namespace octet {
namespace {

struct KindEntry {
  std::string_view name;
  bool integer;
};
constexpr std::array<KindEntry, kStepKindCount> kKinds = {{{"convolution", true},
                                                           {"matrix product", true},
                                                           {"addition", true},
                                                           {"multiplication", true},
                                                           {"pool", true},
                                                           {"concatenation", true},
                                                           {"table", true},
                                                           {"move", true},
                                                           {"softmax", true},
                                                           {"quantize", false},
                                                           {"dequantize", false},
                                                           {"float", false},
                                                           {"other", false}}};

bool made_inside(const Step& step, ValueId value) {
  return std::any_of(step.operations.begin(), step.operations.end(), [&](const Operation& operation) {
    return std::find(operation.outputs.begin(), operation.outputs.end(), value) != operation.outputs.end();
  });
}

bool read_inside(const Step& step, ValueId value) {
  return std::any_of(step.operations.begin(), step.operations.end(), [&](const Operation& operation) {
    return std::find(operation.inputs.begin(), operation.inputs.end(), value) != operation.inputs.end();
  });
}

void add_once(std::vector<ValueId>& values, ValueId value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

}  // namespace

std::string_view name(StepKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }
bool is_integer(StepKind kind) { return kKinds[static_cast<std::size_t>(kind)].integer; }

std::vector<ValueId> inputs_of(const Program& program, const Step& step) {
  std::vector<ValueId> result;
  for (const Operation& operation : step.operations)
    for (const ValueId input : operation.inputs)
      if (input != kNoValue && program.values[input].constant.empty() && !made_inside(step, input))
        add_once(result, input);
  return result;
}

std::vector<ValueId> outputs_of(const Program& program, const Step& step) {
  std::vector<ValueId> result;
  for (const Operation& operation : step.operations)
    for (const ValueId output : operation.outputs) {
      const bool last = &operation == &step.operations.back();
      const bool asked_for = std::find(program.outputs.begin(), program.outputs.end(), output) != program.outputs.end();
      if (output != kNoValue && (last || asked_for || !read_inside(step, output))) add_once(result, output);
    }
  return result;
}

const ProgramValue* find_value(const Program& program, std::string_view name) {
  const auto found = std::find_if(program.values.begin(), program.values.end(),
                                  [&](const ProgramValue& value) { return value.name == name; });
  return found == program.values.end() ? nullptr : &*found;
}

}  // namespace octet
