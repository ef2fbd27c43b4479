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

// Throws unless the type and shape are what the program declares for this input. `symbols` remembers what each symbol means.
void check_input(const std::string& input, const ValueType& type, DType dtype, const Shape& shape,
                 std::map<std::string_view, std::int64_t>& symbols) {
  if (dtype != type.dtype) refuse_input(input, type, dtype, shape);
  check_input_shape(input, type, dtype, shape);
  for (std::size_t i = 0; type.shape && i < type.shape->size(); ++i) {
    const Dim& wanted = (*type.shape)[i];
    if (!wanted.is_symbol()) continue;
    const auto [meaning, is_new] = symbols.emplace(wanted.symbol(), shape[i]);
    if (meaning->second != shape[i])
      refuse_input(input, type, dtype, shape,
                   fmt::format(", where {} is {} already", wanted.symbol(), meaning->second));
  }
}

template <typename Named>
std::set<std::string> names_of(const Named& named) {
  std::set<std::string> names;
  for (const auto& [name, value] : named) names.insert(name);
  return names;
}

[[noreturn]] void refuse_missing(const std::string& input, const ValueType& type) {
  fail(ErrorCode::kUsage, "input {} ({}) is missing", input, type_of(type));
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

Engine::Engine(Program program, int threads) : Engine(std::move(program), EngineOptions{.threads = threads}) {}

Engine::Engine(Program program, const EngineOptions& options)
    : program_(std::move(program)),
      parallel_(options.pool ? options.pool : std::make_shared<const Parallel>(options.threads)),
      last_used_(last_uses(program_)) {}

std::vector<EngineValue> Engine::inputs() const {
  std::vector<EngineValue> found;
  for (const auto& [value, type, default_value] : program_.inputs)
    found.push_back({name_of(value), type.dtype, type.shape, !default_value.empty()});
  return found;
}

std::vector<EngineValue> Engine::outputs() const {
  std::vector<EngineValue> found;
  for (const ValueId value : program_.outputs)
    found.push_back({name_of(value), program_.values[value].dtype, program_.values[value].shape});
  return found;
}

void Engine::prepare(const std::map<std::string, Shape>& shapes) const {
  require_known(names_of(shapes));
  std::vector<Shape> in_order;
  std::map<std::string_view, std::int64_t> symbols;
  for (const auto& [value, type, default_value] : program_.inputs) {
    const auto given = shapes.find(name_of(value));
    if (given == shapes.end() && default_value.empty()) refuse_missing(name_of(value), type);
    in_order.push_back(given == shapes.end() ? default_value.shape() : given->second);
    check_input(name_of(value), type, type.dtype, in_order.back(), symbols);
  }
  prepare_shapes(in_order);
}

void Engine::prepare_shapes(const std::vector<Shape>&) const {}

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
    if (value.empty()) refuse_missing(name, input.type);
    check_input(name, input.type, value.dtype(), value.shape(), symbols);
  }
  if (found != inputs.size()) require_known(names_of(inputs));
  return values;
}

void Engine::require_known(const std::set<std::string>& given) const {
  std::set<std::string_view> known;
  std::string wanted;
  for (const ProgramInput& input : program_.inputs) {
    known.insert(name_of(input.value));
    if (input.default_value.empty()) wanted += (wanted.empty() ? "" : ", ") + name_of(input.value);
  }
  for (const std::string& name : given)
    if (!known.contains(name)) fail(ErrorCode::kUsage, "the model has no input {}; it wants {}", name, wanted);
}

void Engine::compute_step(std::size_t index, std::vector<Tensor>& values, const ValueCallback& made,
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

void Engine::compute_all(std::vector<Tensor>& values, const ValueCallback& made, const RunOptions& options) const {
  walk(0, values, made, options);
}

void Engine::walk(std::size_t first, std::vector<Tensor>& values, const ValueCallback& made,
                  const RunOptions& options) const {
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
  ValueCallback made;
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
  const std::vector<ValueId> read = inputs_of(program_, step);
  std::vector<Tensor> values = no_values();
  for (const ValueId input : read) {
    const auto given = inputs.find(name_of(input));
    if (given == inputs.end())
      fail(ErrorCode::kUsage, "step {} reads {}, which is not given", step.name, name_of(input));
    values[input] = given->second;
  }
  NamedTensors results;
  compute_step(index, values,
               [&](ValueId value, const Tensor& tensor) { results[name_of(value)] = with_one_nan(tensor); }, {});
  for (const ValueId value : read) values[value] = Tensor();
  for (const Operation& operation : step.operations)
    for (const ValueId value : operation.outputs)
      if (value != kNoValue) values[value] = Tensor();
  const std::scoped_lock lock(spare_mutex_);
  spare_.push_back(std::move(values));
  return results;
}

std::vector<Tensor> Engine::no_values() const {
  const std::scoped_lock lock(spare_mutex_);
  if (spare_.empty()) return std::vector<Tensor>(program_.values.size());
  std::vector<Tensor> values = std::move(spare_.back());
  spare_.pop_back();
  return values;
}

std::vector<StepKernel> Engine::kernels() const {
  std::vector<StepKernel> found;
  for (const Step& step : program_.steps) found.push_back({step.name, operators_of(step, " ")});
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
      steps[s] = {step.name, operators_of(step, " "), y == kNoValue ? 0 : multiply_adds(step.work, values[y].size())};
      steps[s].in_float = computes_in_float(step.work);
      for (const ValueId value : last_used_[s]) values[value] = Tensor();
    }
  }
  for (std::size_t s = 0; s < steps.size(); ++s) steps[s].nanoseconds = clock.median_nanoseconds(s);
  return steps;
}

}  // namespace octet
