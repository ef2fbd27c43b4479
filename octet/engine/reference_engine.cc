#include "octet/engine/reference_engine.h"

#include <set>
#include <vector>

#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/program/support/build.h"

namespace octet {
namespace {

std::string type_of(const Tensor& tensor) { return std::string(name(tensor.dtype())) + to_string(tensor.shape()); }

std::string type_of(const ValueType& type) {
  return std::string(name(type.dtype)) + (type.shape ? to_string(*type.shape) : " of any shape");
}

// Throws unless `tensor` is what the program declares for this input. `symbols` remembers what each symbol means.
void check_input(const std::string& input, const ValueType& type, const Tensor& tensor,
                 std::map<std::string_view, std::int64_t>& symbols) {
  const auto refuse = [&](const std::string& why) {
    fail(ErrorCode::kUsage, "input {} is {}, and the model wants {}{}", input, type_of(tensor), type_of(type), why);
  };
  if (tensor.dtype() != type.dtype) refuse("");
  if (!type.shape) return;
  const SymbolicShape& wanted = *type.shape;
  if (wanted.size() != tensor.shape().size()) refuse("");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::int64_t found = tensor.shape()[i];
    if (wanted[i].known() && !wanted[i].is(found)) refuse("");
    if (!wanted[i].is_symbol()) continue;
    const auto [meaning, is_new] = symbols.emplace(wanted[i].symbol(), found);
    if (meaning->second != found) refuse(fmt::format(", where {} is {} already", wanted[i].symbol(), meaning->second));
  }
}

std::string place_of(const Step& step, const Operation& operation) {
  return fmt::format("{} ({})", step.name, operation.op->name);
}

}  // namespace

struct ReferenceEngine::Plan {
  Plan(Program the_program, const EngineOptions& options)
      : program(std::move(the_program)),
        arithmetic(options.arithmetic),
        parallel(options.threads),
        environment{arithmetic, parallel, options.max_output_bytes},
        border{options.integer_steps_only ? Arithmetic() : arithmetic},
        border_environment{border, parallel, options.max_output_bytes},
        last_used(program.steps.size()) {
    validate(arithmetic);
    // Walks backwards: the first step that mentions a value is the last one to need it.
    std::vector<bool> needed(program.values.size());
    for (const ValueId output : program.outputs) needed[output] = true;
    for (std::size_t s = program.steps.size(); s-- > 0;)
      for (const Operation& operation : program.steps[s].operations)
        for (const auto* values : {&operation.outputs, &operation.inputs})
          for (const ValueId value : *values)
            if (value != kNoValue && !needed[value]) {
              needed[value] = true;
              last_used[s].push_back(value);
            }
  }

  const std::string& name_of(ValueId value) const { return program.values[value].name; }

  // The values before the first step: the constants, and the inputs once they have been checked.
  std::vector<Tensor> initial_values(const NamedTensors& inputs) const {
    std::vector<Tensor> values = constants();
    std::map<std::string_view, std::int64_t> symbols;
    std::set<std::string_view> known;
    std::string wanted;
    for (const ProgramInput& input : program.inputs) {
      const std::string& name = name_of(input.value);
      if (input.default_value.empty()) wanted += (wanted.empty() ? "" : ", ") + name;
      known.insert(name);
      Tensor& value = values[input.value];
      value = input.default_value;
      if (const auto given = inputs.find(name); given != inputs.end()) value = given->second;
      if (value.empty()) fail(ErrorCode::kUsage, "input {} ({}) is missing", name, type_of(input.type));
      check_input(name, input.type, value, symbols);
    }
    for (const auto& [name, tensor] : inputs)
      if (!known.contains(name)) fail(ErrorCode::kUsage, "the model has no input {}; it wants {}", name, wanted);
    return values;
  }

  std::vector<Tensor> constants() const {
    std::vector<Tensor> values;
    for (const ProgramValue& value : program.values) values.push_back(value.constant);
    return values;
  }

  // Fills in what the step computes; `made` hears of each value.
  template <typename Made>
  void execute_step(const Step& step, std::vector<Tensor>& values, Made&& made) const {
    for (const Operation& operation : step.operations) {
      std::vector<Tensor> computed = compute(step, operation, values);
      for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        const ValueId output = operation.outputs[i];
        if (output == kNoValue) continue;
        made(output, computed[i]);
        values[output] = std::move(computed[i]);
      }
    }
  }

  std::vector<Tensor> compute(const Step& step, const Operation& operation, const std::vector<Tensor>& values) const {
    try {
      std::vector<Tensor> arguments;
      for (const ValueId input : operation.inputs) arguments.push_back(input == kNoValue ? Tensor() : values[input]);
      const Environment& rules = is_integer(step.kind) ? environment : border_environment;
      std::vector<Tensor> computed =
          execute(*operation.op, operation.opset, operation.attributes, arguments, operation.outputs.size(), rules);
      for (std::size_t i = 0; i < operation.outputs.size(); ++i)
        if (const ValueId output = operation.outputs[i]; output != kNoValue)
          require_computable(computed[i].dtype(), "output", name_of(output));
      return computed;
    } catch (const Error& error) {
      throw error.at(place_of(step, operation));
    }
  }

  const Program program;
  const Arithmetic arithmetic;
  const Parallel parallel;
  const Environment environment;
  const Arithmetic border;  // of the steps that are not integer
  const Environment border_environment;
  std::vector<std::vector<ValueId>> last_used;  // by each step, values nobody needs after it
};

ReferenceEngine::ReferenceEngine(Program program, const EngineOptions& options)
    : plan_(std::make_unique<const Plan>(std::move(program), options)) {}

ReferenceEngine::ReferenceEngine(Model model, const EngineOptions& options)
    : ReferenceEngine(lower(std::move(model), Policy::kAsWritten), options) {}

ReferenceEngine::~ReferenceEngine() = default;

const Program& ReferenceEngine::program() const { return plan_->program; }

NamedTensors ReferenceEngine::run(const NamedTensors& inputs, const RunOptions& options) const {
  const Program& program = plan_->program;
  std::vector<Tensor> values = plan_->initial_values(inputs);
  NamedTensors results;
  for (std::size_t done = 0; done < program.steps.size(); ++done) {
    plan_->execute_step(program.steps[done], values, [&](ValueId value, const Tensor& tensor) {
      if (options.keep_all) results[plan_->name_of(value)] = tensor;
      if (options.observe) options.observe(plan_->name_of(value), tensor);
    });
    for (const ValueId value : plan_->last_used[done]) values[value] = Tensor();
    if (options.progress) options.progress(done + 1, program.steps.size());
  }
  for (const ValueId output : program.outputs) results[plan_->name_of(output)] = values[output];
  return results;
}

NamedTensors ReferenceEngine::run_step(std::size_t index, const NamedTensors& inputs) const {
  const Step& step = plan_->program.steps[index];
  std::vector<Tensor> values = plan_->constants();
  for (const ValueId input : inputs_of(plan_->program, step)) {
    const auto given = inputs.find(plan_->name_of(input));
    if (given == inputs.end())
      fail(ErrorCode::kUsage, "step {} reads {}, which is not given", step.name, plan_->name_of(input));
    values[input] = given->second;
  }
  NamedTensors results;
  plan_->execute_step(step, values,
                      [&](ValueId value, const Tensor& tensor) { results[plan_->name_of(value)] = tensor; });
  return results;
}

}  // namespace octet
