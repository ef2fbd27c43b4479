// poisoned_arena.h: runs a program with its values where a memory plan puts them, in one stretch of memory in which
// every byte that nobody needs is poison. A value that is overwritten too early, or read from the wrong place, changes
// results.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "octet/base/error.h"
#include "octet/base/one_nan.h"
#include "octet/engine/reference_engine.h"
#include "octet/program/memory_plan.h"
#include "octet/program/run_operation.h"
#include "octet/spec/operator.h"
#include "tests/program/memory_plan_check.h"

namespace octet {

class PoisonedArena {
 public:
  // How a step is computed: one operation after the other, each with its results in the arena; or all at once, where
  // the values inside the step are never stored.
  enum class Steps { kOneByOne, kAtOnce };

  PoisonedArena(const Program& program, const MemoryPlan& plan, Steps steps)
      : program_(program), plan_(plan), steps_(steps), last_use_(program.values.size(), 0) {
    std::size_t now = 0;
    for (const Step& step : program.steps) {
      const std::size_t end = now + step.operations.size();
      for (const Operation& operation : step.operations) {
        for (const auto* values : {&operation.inputs, &operation.outputs})
          for (const ValueId value : *values)
            if (value != kNoValue) last_use_[value] = steps == Steps::kAtOnce ? end - 1 : now;
        ++now;
      }
    }
    for (const ValueId output : program.outputs) last_use_[output] = now;
  }

  // The outputs, from inputs as ReferenceEngine::checked_inputs gives them. Throws kUsage where the plan does not fit
  // the values, or one is written in place that depends on more than its own element.
  NamedTensors run(const NamedTensors& inputs) {
    arena_.assign(static_cast<std::size_t>(*plan_.bytes), kPoison);
    for (const ProgramInput& input : program_.inputs)
      if (is_variable(input.value)) put(input.value, inputs.at(program_.values[input.value].name));
    std::size_t now = 0;
    for (const Step& step : program_.steps) {
      const std::size_t end = now + step.operations.size();
      steps_ == Steps::kAtOnce ? compute_at_once(step, end) : compute_one_by_one(step, now);
      poison_after(end - 1);
      now = end;
    }
    NamedTensors results;
    for (const ValueId output : program_.outputs) results[program_.values[output].name] = with_one_nan(get(output));
    return results;
  }

 private:
  static constexpr std::byte kPoison{0xA5};
  using Values = std::map<ValueId, Tensor>;

  bool is_variable(ValueId value) const { return value != kNoValue && program_.values[value].constant.empty(); }
  const MemoryPlace& place(ValueId value) const { return *plan_.values[value].place; }
  ValueId content(ValueId value) const {
    return plan_.values[value].alias_of == kNoValue ? value : plan_.values[value].alias_of;
  }

  [[noreturn]] void refuse(ValueId value, const std::string& why) const {
    throw Error(ErrorCode::kUsage, program_.values[value].name + why);
  }

  void put(ValueId value, const Tensor& tensor) {
    if (static_cast<std::int64_t>(tensor.byte_size()) != place(value).bytes)
      refuse(value, " has another size than its place");
    if (tensor.byte_size() > 0)
      std::memcpy(arena_.data() + place(value).offset, tensor.bytes().data(), tensor.byte_size());
    stored_.insert_or_assign(value, std::pair(tensor.dtype(), tensor.shape()));
  }

  Tensor get(ValueId value) const {
    if (value == kNoValue) return {};
    if (!is_variable(value)) return program_.values[value].constant;
    const auto& [dtype, shape] = stored_.at(value);
    Tensor tensor = Tensor::uninitialized(dtype, shape);
    if (tensor.byte_size() > 0)
      std::memcpy(tensor.mutable_bytes().data(), arena_.data() + place(value).offset, tensor.byte_size());
    return tensor;
  }

  // A result may be written before the inputs are read, unless it has the bytes of one.
  void poison_place_of(ValueId value) {
    if (plan_.values[value].alias_of == kNoValue && plan_.values[value].overwrites == kNoValue)
      std::fill_n(arena_.begin() + place(value).offset, place(value).bytes, kPoison);
  }

  void poison_after(std::size_t now) {
    std::vector<std::byte> kept(arena_.size(), kPoison);
    for (const auto& [value, type] : stored_)
      if (last_use_[value] > now)
        std::copy_n(arena_.begin() + place(value).offset, place(value).bytes, kept.begin() + place(value).offset);
    arena_ = std::move(kept);
  }

  std::vector<Tensor> compute(const Operation& operation, const Values& values) const {
    std::vector<Tensor> arguments;
    for (const ValueId input : operation.inputs) {
      const auto found = values.find(input);
      arguments.push_back(found != values.end() ? found->second
                          : input == kNoValue   ? Tensor()
                                                : program_.values[input].constant);
    }
    static const Arithmetic arithmetic;
    static const Parallel parallel(1);
    return run_operation(operation, std::move(arguments), {arithmetic, parallel});
  }

  void compute_one_by_one(const Step& step, std::size_t now) {
    Values values;
    for (const Operation& operation : step.operations) {
      for (const ValueId output : operation.outputs)
        if (is_variable(output)) poison_place_of(output);
      for (const ValueId input : operation.inputs)
        if (is_variable(input)) values[input] = get(input);
      const std::vector<Tensor> results = compute(operation, values);
      for (std::size_t i = 0; i < operation.outputs.size(); ++i)
        if (const ValueId output = operation.outputs[i]; is_variable(output)) {
          values[output] = results[i];
          put(output, results[i]);
          check_elements(step, output, values);
        }
      poison_after(now++);
    }
  }

  void compute_at_once(const Step& step, std::size_t end) {
    const std::vector<ValueId> outputs = stored_by(step, end);
    for (const ValueId output : outputs) poison_place_of(output);
    Values values;
    for (const ValueId input : inputs_of(program_, step)) values[input] = get(input);
    for (const Operation& operation : step.operations) {
      const std::vector<Tensor> results = compute(operation, values);
      for (std::size_t i = 0; i < operation.outputs.size(); ++i)
        if (operation.outputs[i] != kNoValue) values[operation.outputs[i]] = results[i];
    }
    for (const ValueId output : outputs) put(output, values.at(output));
  }

  // What a step makes and somebody reads after it, or nobody at all.
  std::vector<ValueId> stored_by(const Step& step, std::size_t end) const {
    std::vector<ValueId> stored = outputs_of(program_, step);
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue && last_use_[output] >= end) stored.push_back(output);
    std::erase_if(stored, [&](ValueId value) { return !is_variable(value); });
    return stored;
  }

  // A result that is written in place must not depend on elements that may be gone: whatever stands in the others of
  // all that had its place during the step, its own stays the same.
  void check_elements(const Step& step, ValueId result, const Values& values) {
    if (plan_.values[result].overwrites == kNoValue) return;
    std::set<ValueId> overwritten;
    for (ValueId value = result; values.contains(value) && plan_.values[content(value)].overwrites != kNoValue;)
      overwritten.insert(content(value = plan_.values[content(value)].overwrites));
    const std::int64_t count = values.at(result).size();
    for (const std::int64_t k : {std::int64_t{0}, count / 2, count - 1}) {
      Values changed;
      for (const auto& [value, tensor] : values)
        if (value != result) changed[value] = overwritten.contains(content(value)) ? all_but(k, tensor) : tensor;
      const Tensor again = recompute(step, result, std::move(changed), overwritten);
      const std::size_t width = size_of(again.dtype()), at = static_cast<std::size_t>(k) * width;
      if (std::memcmp(again.bytes().data() + at, values.at(result).bytes().data() + at, width) != 0)
        refuse(result, " is written in place, and depends on other elements than its own");
    }
  }

  // Every element but k exchanged for the one behind it.
  static Tensor all_but(std::int64_t k, const Tensor& tensor) {
    Tensor changed = tensor;
    const std::size_t width = size_of(tensor.dtype()), count = static_cast<std::size_t>(tensor.size());
    for (std::size_t i = 0; i < count; ++i)
      if (i != static_cast<std::size_t>(k))
        std::memcpy(changed.mutable_bytes().data() + i * width, tensor.bytes().data() + (i + 1) % count * width, width);
    return changed;
  }

  // The result, from `values`, of which those with the bytes of `kept` stay as they are.
  Tensor recompute(const Step& step, ValueId result, Values values, const std::set<ValueId>& kept) const {
    for (const Operation& operation : step.operations) {
      const std::vector<Tensor> results = compute(operation, values);
      for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        const ValueId output = operation.outputs[i];
        if (output != kNoValue && !kept.contains(content(output))) values[output] = results[i];
        if (output == result) return results[i];
      }
    }
    return {};
  }

  const Program& program_;
  const MemoryPlan& plan_;
  const Steps steps_;
  std::vector<std::size_t> last_use_;  // the operation; behind them all for outputs
  std::vector<std::byte> arena_;
  std::map<ValueId, std::pair<DType, Shape>> stored_;
};

// What was shared by the plans that were looked at, so that a test knows that there was something to look at.
struct Reuse {
  std::size_t aliases = 0, in_place = 0;
};

// Plans the memory of an engine's program with what symbols stand for in `inputs`, checks the plan, and runs the program
// by it. One line for each thing that is wrong; empty when the results are the engine's.
inline std::string wrong_in_arena(const ReferenceEngine& engine, const NamedTensors& inputs, MemoryOptions options,
                                  Reuse& reuse) {
  const Program& program = engine.program();
  const NamedTensors given = engine.checked_inputs(inputs), wanted = engine.run(inputs);
  for (const ProgramInput& input : program.inputs)
    for (std::size_t i = 0; input.type.shape && i < input.type.shape->size(); ++i)
      if (const Dim& dim = (*input.type.shape)[i]; dim.is_symbol())
        options.symbols[dim.symbol()] = given.at(program.values[input.value].name).shape()[i];

  const MemoryPlan plan = plan_memory(program, options);
  std::string wrong = wrong_with_plan(program, plan, options);
  if (!plan.bytes) return wrong;
  for (const PlannedValue& value : plan.values) {
    reuse.aliases += value.alias_of != kNoValue;
    reuse.in_place += value.overwrites != kNoValue;
  }
  for (const auto steps : {PoisonedArena::Steps::kOneByOne, PoisonedArena::Steps::kAtOnce}) try {
      for (const auto& [name, tensor] : PoisonedArena(program, plan, steps).run(given))
        if (!tensor.identical(wanted.at(name))) wrong += name + " differs in the arena\n";
    } catch (const Error& error) {
      wrong += error.what() + std::string("\n");
    }
  return wrong;
}

}  // namespace octet
