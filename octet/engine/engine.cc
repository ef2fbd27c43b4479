#include "octet/engine/engine.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "octet/base/fail.h"
#include "octet/base/one_nan.h"
#include "octet/engine/operations.h"
#include "octet/engine/run_checks.h"
#include "octet/engine/step_clock.h"
#include "octet/graph/input_shape.h"
#include "octet/program/last_uses.h"

namespace octet {
namespace {

std::string type_of(const ValueType& type) {
  return std::string(name(type.dtype)) + (type.shape ? to_string(*type.shape) : " of any shape");
}

// Throws unless `tensor` is what the program declares for this input. `symbols` remembers what each symbol means.
void check_input(const std::string& input, const ValueType& type, const Tensor& tensor,
                 std::map<std::string_view, std::int64_t>& symbols) {
  if (tensor.dtype() != type.dtype) refuse_input(input, type, tensor.dtype(), tensor.shape());
  check_input_shape(input, type, tensor.dtype(), tensor.shape());
  for (std::size_t i = 0; type.shape && i < type.shape->size(); ++i) {
    const Dim& wanted = (*type.shape)[i];
    if (!wanted.is_symbol()) continue;
    const auto [meaning, is_new] = symbols.emplace(wanted.symbol(), tensor.shape()[i]);
    if (meaning->second != tensor.shape()[i])
      refuse_input(input, type, tensor.dtype(), tensor.shape(),
                   fmt::format(", where {} is {} already", wanted.symbol(), meaning->second));
  }
}

}  // namespace

void end_if_asked(const RunOptions& options) {
  if (options.stop.stop_requested()) fail(ErrorCode::kCancelled, "the run was cancelled");
}

void require_bound_as(const std::string& output, const Buffer& buffer, DType dtype, const Shape& shape) {
  if (buffer.dtype == dtype && buffer.shape == shape) return;
  fail(ErrorCode::kUsage, "output {} is {}{}, and is bound to {}{}", output, name(dtype), to_string(shape),
       name(buffer.dtype), to_string(buffer.shape));
}

Engine::Engine(Program program, int threads)
    : program_(std::move(program)), parallel_(threads), last_used_(last_uses(program_)) {}

// The values before the first step: the inputs, once they have been checked.
std::vector<Tensor> Engine::initial_values(const NamedTensors& inputs) const {
  std::vector<Tensor> values(program_.values.size());
  std::map<std::string_view, std::int64_t> symbols;
  std::size_t found = 0;
  for (const ProgramInput& input : program_.inputs) {
    const std::string& name = name_of(input.value);
    Tensor& value = values[input.value];
    value = input.default_value;
    if (const auto given = inputs.find(name); given != inputs.end()) {
      value = given->second;
      ++found;
    }
    if (value.empty()) fail(ErrorCode::kUsage, "input {} ({}) is missing", name, type_of(input.type));
    check_input(name, input.type, value, symbols);
  }
  if (found != inputs.size()) require_known(inputs);
  return values;
}

void Engine::require_known(const NamedTensors& inputs) const {
  std::set<std::string_view> known;
  std::string wanted;
  for (const ProgramInput& input : program_.inputs) {
    known.insert(name_of(input.value));
    if (input.default_value.empty()) wanted += (wanted.empty() ? "" : ", ") + name_of(input.value);
  }
  for (const auto& [name, tensor] : inputs)
    if (!known.contains(name)) fail(ErrorCode::kUsage, "the model has no input {}; it wants {}", name, wanted);
}

void Engine::compute_step(std::size_t index, std::vector<Tensor>& values, const Made& made,
                          const std::stop_token& stop) const {
  const Step& step = program_.steps[index];
  try {
    compute(index, values, stop);
  } catch (const Error& error) {
    throw error.at(place_of(step));
  }
  if (!made) return;
  for (const Operation& operation : step.operations)
    for (const ValueId output : operation.outputs)
      if (output != kNoValue) made(output, values[output]);
}

void Engine::compute_all(std::vector<Tensor>& values, const Made& made, const RunOptions& options) const {
  walk(0, values, made, options);
}

void Engine::walk(std::size_t first, std::vector<Tensor>& values, const Made& made, const RunOptions& options) const {
  for (std::size_t done = first; done < program_.steps.size(); ++done) {
    end_if_asked(options);
    compute_step(done, values, made, options.stop);
    for (const ValueId value : last_used_[done]) values[value] = Tensor();
    if (options.progress) options.progress(done + 1, program_.steps.size());
  }
}

void Engine::compute_bound(std::vector<Tensor>& values, std::span<const Buffer> bound,
                           const RunOptions& options) const {
  std::vector<Tensor> own = values;
  compute_all(own, {}, options);
  deliver(own, bound);
}

void Engine::deliver(std::vector<Tensor>& values, std::span<const Buffer> bound) const {
  for (const ValueId output : program_.outputs) {
    const Buffer& to = bound[output];
    const Tensor& from = values[output].empty() ? program_.values[output].constant : values[output];
    if (to.bytes.empty() || from.empty()) continue;
    require_bound_as(name_of(output), to, from.dtype(), from.shape());
    std::memcpy(to.bytes.data(), from.bytes().data(), from.byte_size());
  }
  for (const ValueId output : program_.outputs) unify_nans(bound[output].dtype, bound[output].bytes);
  const auto is_given = [&](ValueId value) {
    return std::ranges::any_of(program_.inputs, [&](const ProgramInput& input) { return input.value == value; });
  };
  for (const ValueId output : program_.outputs)
    if (!is_given(output)) values[output] = Tensor();
}

NamedTensors Engine::run(const NamedTensors& inputs, const RunOptions& options) const {
  std::vector<Tensor> values = initial_values(inputs);
  NamedTensors results;
  Made made;
  std::vector<bool> seen;
  if (options.keep_all || options.observe) {
    seen.resize(values.size());
    made = [&](ValueId value, const Tensor& tensor) {
      if (options.keep_all) results[name_of(value)] = with_one_nan(tensor);
      if (options.observe && !seen[value]) options.observe(name_of(value), tensor);
      seen[value] = true;
    };
  }
  compute_all(values, made, options);
  for (const ValueId output : program_.outputs)
    results[name_of(output)] = with_one_nan(values[output].empty() ? program_.values[output].constant : values[output]);
  return results;
}

NamedTensors Engine::checked_inputs(const NamedTensors& inputs) const {
  const std::vector<Tensor> values = initial_values(inputs);
  NamedTensors checked;
  for (const ProgramInput& input : program_.inputs) checked[name_of(input.value)] = values[input.value];
  return checked;
}

NamedTensors Engine::run_step(std::size_t index, const NamedTensors& inputs) const {
  const Step& step = program_.steps[index];
  std::vector<Tensor> values(program_.values.size());
  for (const ValueId input : inputs_of(program_, step)) {
    const auto given = inputs.find(name_of(input));
    if (given == inputs.end())
      fail(ErrorCode::kUsage, "step {} reads {}, which is not given", step.name, name_of(input));
    values[input] = given->second;
  }
  NamedTensors results;
  compute_step(index, values,
               [&](ValueId value, const Tensor& tensor) { results[name_of(value)] = with_one_nan(tensor); }, {});
  return results;
}

std::vector<StepKernel> Engine::kernels() const {
  std::vector<StepKernel> found;
  for (const Step& step : program_.steps) found.push_back({step.name, operators_of(step)});
  return found;
}

std::vector<StepTime> Engine::time_steps(const NamedTensors& inputs, int repetitions) const {
  std::vector<StepTime> steps(program_.steps.size());
  StepClock clock(steps.size());
  for (int i = 0; i < std::max(repetitions, 1); ++i) {
    std::vector<Tensor> values = initial_values(inputs);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const Step& step = program_.steps[s];
      clock.start();
      compute_step(s, values, {}, {});
      clock.stop(s);
      const ValueId y = step.operations.back().outputs.front();
      steps[s] = {step.name, operators_of(step), y == kNoValue ? 0 : multiply_adds(step.work, values[y].size())};
      steps[s].in_float = is_real(step.work);
      for (const ValueId value : last_used_[s]) values[value] = Tensor();
    }
  }
  for (std::size_t s = 0; s < steps.size(); ++s) steps[s].nanoseconds = clock.median_nanoseconds(s);
  return steps;
}

}  // namespace octet
