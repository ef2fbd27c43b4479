#include "octet/engine/fast/plan.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "octet/base/error.h"
#include "octet/base/memory.h"
#include "octet/engine/fast/layouts.h"
#include "octet/engine/fast/memory_order.h"
#include "octet/engine/operations.h"
#include "octet/program/last_uses.h"
#include "octet/program/memory_plan.h"

namespace octet::fast {
namespace {

// Values of a step that its kernel wants in the other layout than they have.
struct Converted {
  ValueId value = kNoValue;
  std::size_t buffer = 0;  // into State::buffers
};

std::vector<ValueId> made_by(const octet::Step& step) {
  std::vector<ValueId> made;
  for (const Operation& operation : step.operations)
    for (const ValueId output : operation.outputs)
      if (output != kNoValue) made.push_back(output);
  return made;
}

std::byte* bytes_of(const Tensor& tensor) { return const_cast<std::byte*>(tensor.bytes().data()); }

bool work_fits(const Work& work, const KernelContext& context) {
  return std::visit(
      [&](const auto& kind) {
        if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, std::monostate>)
          return false;
        else
          return fits(kind, context);
      },
      work);
}

// Requires work that fits (fits()).
KernelPtr kernel_for(const Work& work, const KernelContext& context) {
  return std::visit(
      [&](const auto& kind) -> KernelPtr {
        if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, std::monostate>)
          return nullptr;
        else
          return make_kernel(kind, context);
      },
      work);
}

// About what a plan of the program takes, without its values.
std::int64_t described_bytes(const Program& program) {
  constexpr std::size_t kKernel = 1024,
                        kChannel = 40;  // of a sum: what is known of a channel, in the work and the kernel
  std::size_t bytes = program.values.size() * (sizeof(ProgramValue) + sizeof(Operand));
  for (const octet::Step& step : program.steps) {
    bytes += sizeof(step) + step.operations.size() * sizeof(Operation) + kKernel;
    if (const work::Sum* sum = sum_of(step.work)) bytes += static_cast<std::size_t>(sum->channels) * kChannel;
  }
  return static_cast<std::int64_t>(bytes);
}

// What operations made is not what was inferred of them: the plan does not fit.
struct AnotherShape {};

}  // namespace

struct Plan::Step {
  KernelPtr kernel;  // none: its operations
  std::vector<Converted> inputs, outputs;
  std::vector<ValueId> results;       // outputs of the program that it makes
  std::vector<ValueId> written;       // outputs of the program that the kernel writes where the caller gets them
  std::vector<ValueId> reads, makes;  // of its operations, if those run
  bool in_any_layout = false;         // they may as well run on what has its channels last
  std::vector<ValueId> last_used;     // values of operations that no later step needs
};

// What one run needs; kept for the next.
struct Plan::State {
  std::shared_ptr<std::byte> arena;
  std::vector<std::shared_ptr<std::byte>> buffers;  // of converted values
  std::vector<std::byte*> homes;                    // of what the step at work has converted
  std::vector<Tensor> tensors;                      // by ValueId: what operations read and make, while they run
  ValuePointers places;
};

Plan::Plan(Program program, const Simd& simd, bool keeps_all, WeightStore& weights)
    : program_(std::move(program)),
      simd_(simd),
      keeps_all_(keeps_all),
      operands_(lay_out(program_)),
      is_input_(program_.values.size()),
      is_output_(program_.values.size()) {
  for (const ProgramInput& input : program_.inputs) is_input_[input.value] = true;
  for (const ValueId output : program_.outputs) is_output_[output] = true;
  make_steps(weights);
  place_values();
  described_bytes_ = described_bytes(program_);
}

Plan::~Plan() = default;

// A constant or an input under another name or shape: the operation shares its elements, a kernel would copy them.
bool Plan::shares_elements(const octet::Step& step) const {
  const auto* move = std::get_if<work::Move>(&step.work);
  if (!move || !move->only_renames) return false;
  const ValueId source = move->sources.front();
  return !program_.values[source].constant.empty() || is_input_[source];
}

// Whether a kernel takes the step in layouts that are found here: `operands`, those of the context, are the plan's at first, and
// differ in what is `mentioned` afterwards.
bool Plan::find_layouts(const octet::Step& step, const std::vector<ValueId>& mentioned, const KernelContext& context,
                        std::vector<Operand>& operands) const {
  // What stands alike in both layouts may be called either; then everything in one layout.
  for (const Layout coinciding : {Layout::kChannelsLast, Layout::kAsDeclared}) {
    for (const ValueId value : mentioned)
      if (value != kNoValue && operands[value].shape.size() >= 3 && layouts_coincide(operands[value].shape))
        operands[value].layout = coinciding;
    if (work_fits(step.work, context)) return true;
  }
  for (const Layout wanted : {Layout::kAsDeclared, Layout::kChannelsLast}) {
    for (const ValueId value : mentioned)
      if (value != kNoValue && program_.values[value].constant.empty() && operands_[value].shape.size() >= 3)
        operands[value].layout = wanted;
    if (work_fits(step.work, context)) return true;
  }
  return false;
}

// Buffers for what the kernel wants in another layout than the plan has.
void Plan::convert_for_kernel(const octet::Step& step, const std::vector<Operand>& operands, Step& made) {
  const auto convert = [&](const std::vector<ValueId>& values, std::vector<Converted>& to) {
    for (const ValueId value : values)
      if (operands_[value].layout != operands[value].layout && !layouts_coincide(operands_[value].shape)) {
        to.push_back({value, buffer_sizes_.size()});
        buffer_sizes_.push_back(static_cast<std::size_t>(operands_[value].size()) * size_of(operands_[value].type));
      }
  };
  convert(inputs_of(program_, step), made.inputs);
  convert(outputs_of(program_, step), made.outputs);
}

void Plan::make_steps(WeightStore& weights) {
  std::vector<std::vector<ValueId>> last_used = last_uses(program_);
  steps_.resize(program_.steps.size());
  std::vector<Operand> operands = operands_;  // in the layouts that are tried for one step
  const KernelContext context{program_, operands, simd_, weights};
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const octet::Step& step = program_.steps[s];
    Step& made = steps_[s];
    std::vector<ValueId> mentioned = made_by(step);
    std::copy_if(mentioned.begin(), mentioned.end(), std::back_inserter(made.results),
                 [&](ValueId value) { return is_output_[value]; });
    for (const Operation& operation : step.operations)
      mentioned.insert(mentioned.end(), operation.inputs.begin(), operation.inputs.end());
    made.last_used = std::move(last_used[s]);
    made.in_any_layout = runs_in_any_layout(program_, step);
    const bool shows_inside = keeps_all_ && step.operations.size() > 1;
    const auto is_empty = [&](ValueId value) {
      return value != kNoValue && operands_[value].type != DType::kUndefined && operands_[value].size() == 0;
    };
    if (!step.opaque.empty() || shows_inside || shares_elements(step)) continue;
    if (std::any_of(mentioned.begin(), mentioned.end(), is_empty)) continue;

    if (find_layouts(step, mentioned, context, operands)) {
      made.kernel = kernel_for(step.work, context);
      convert_for_kernel(step, operands, made);
    }
    for (const ValueId value : mentioned)
      if (value != kNoValue) operands[value] = operands_[value];
  }

  std::vector<bool> are_tensors(program_.values.size());  // what operations make; kernels write to the arena
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].kernel) continue;
    steps_[s].reads = inputs_of(program_, program_.steps[s]);
    steps_[s].makes = made_by(program_.steps[s]);
    for (const ValueId value : steps_[s].makes) are_tensors[value] = true;
  }
  for (Step& step : steps_) std::erase_if(step.last_used, [&](ValueId value) { return !are_tensors[value]; });
}

// What kernels make stands in the arena, unless it is an output that can be written where it goes.
void Plan::place_values() {
  offsets_.assign(program_.values.size(), -1);
  const MemoryPlan memory = plan_memory(program_, {.aliases = false, .in_place = false});
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (!steps_[s].kernel) continue;
    for (const ValueId value : outputs_of(program_, program_.steps[s])) {
      if (written_in_place(value)) {
        steps_[s].written.push_back(value);
        continue;
      }
      const auto bytes = static_cast<std::int64_t>(size_of(operands_[value].type)) * operands_[value].size();
      if (memory.bytes && memory.values[value].place) {
        offsets_[value] = memory.values[value].place->offset;
        arena_bytes_ = std::max(arena_bytes_, offsets_[value] + bytes);
      } else {
        offsets_[value] = arena_bytes_;
        arena_bytes_ += (bytes + 63) / 64 * 64;
      }
    }
  }
}

bool Plan::written_in_place(ValueId value) const {
  const Operand& operand = operands_[value];
  return is_output_[value] && (operand.layout == Layout::kAsDeclared || layouts_coincide(operand.shape));
}

bool Plan::has_kernel(std::size_t step) const { return steps_[step].kernel != nullptr; }

std::string Plan::describe(std::size_t step) const {
  if (steps_[step].kernel) return steps_[step].kernel->describe();
  const std::string& why = program_.steps[step].opaque;
  return "by its operations" + (why.empty() ? "" : ": " + why);
}

std::unique_ptr<Plan::State> Plan::borrow_state() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<State> state = std::move(idle_.back());
      idle_.pop_back();
      return state;
    }
  }
  auto state = std::make_unique<State>();
  if (arena_bytes_ > 0) state->arena = allocate_bytes(static_cast<std::size_t>(arena_bytes_));
  for (const std::size_t size : buffer_sizes_) state->buffers.push_back(allocate_bytes(size));
  state->places.resize(program_.values.size());
  for (ValueId id = 0; id < offsets_.size(); ++id) {
    if (offsets_[id] >= 0) state->places[id] = state->arena.get() + offsets_[id];
    if (const Tensor& constant = program_.values[id].constant; !constant.empty())
      state->places[id] = bytes_of(constant);
  }
  return state;
}

void Plan::return_state(std::unique_ptr<State> state) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(state));
}

bool Plan::fits(const std::vector<Tensor>& values) const {
  return std::all_of(program_.inputs.begin(), program_.inputs.end(), [&](const ProgramInput& input) {
    const Operand& wanted = operands_[input.value];
    const Tensor& given = values[input.value];
    return wanted.type == DType::kUndefined || (given.dtype() == wanted.type && given.shape() == wanted.shape);
  });
}

std::int64_t Plan::bytes() const {
  std::int64_t of_run = arena_bytes_ + static_cast<std::int64_t>(program_.values.size() * sizeof(std::byte*));
  for (const std::size_t size : buffer_sizes_) of_run += static_cast<std::int64_t>(size);
  const std::lock_guard lock(mutex_);
  return described_bytes_ + std::max<std::int64_t>(std::ssize(idle_), 1) * of_run;
}

void Plan::forget() const {
  const std::lock_guard lock(mutex_);
  idle_.clear();
}

// One run. Values are in the arena (or wherever places say), as tensors in `values`, or both; tensors of values that have
// their channels last have that shape.
class Plan::Running {
 public:
  Running(const Plan& plan, const PlanRun& run, State& state) : plan_(plan), run_(run), state_(state) {
    for (const ProgramInput& input : plan_.program_.inputs)
      state_.places[input.value] =
          run_.values[input.value].empty() ? bound(input.value) : bytes_of(run_.values[input.value]);
  }

  void step(std::size_t s) {
    const Step& step = plan_.steps_[s];
    const octet::Step& meaning = plan_.program_.steps[s];
    if (step.kernel)
      run_kernel(step);
    else
      run_operations_of(step, meaning);
  }

  // Reports the values the step has produced, and frees those that no later step needs.
  void leave(std::size_t s) {
    if (run_.made)
      for (const ValueId value : made_by(plan_.program_.steps[s])) run_.made(value, as_declared(value));
    for (const ValueId value : plan_.steps_[s].last_used) run_.values[value] = Tensor();
  }

  // Hands outputs to the caller once no later step reads them.
  void finish(std::size_t s) {
    for (const ValueId value : plan_.steps_[s].results)
      if (std::byte* to = bound(value))
        deliver(value, to);
      else
        run_.values[value] = as_declared(value);
  }

 private:
  const Operand& operand(ValueId value) const { return plan_.operands_[value]; }
  bool last(ValueId value) const {
    return operand(value).layout == Layout::kChannelsLast && !layouts_coincide(operand(value).shape);
  }

  std::byte* bound(ValueId value) const {
    if (run_.bound.empty()) return nullptr;
    const Buffer& to = run_.bound[value];
    const bool fits = to.dtype == operand(value).type && to.shape == operand(value).shape;
    return fits ? to.bytes.data() : nullptr;
  }

  void deliver(ValueId value, std::byte* to) {
    const std::byte* from = state_.places[value];
    if (last(value))
      change_layout(plan_.simd_, operand(value), Layout::kChannelsLast, from, to);
    else if (from != to)
      std::memcpy(to, from, static_cast<std::size_t>(operand(value).size()) * size_of(operand(value).type));
    run_.values[value] = Tensor();
  }

  void run_kernel(const Step& step) {
    for (const ValueId value : step.written) {
      if ((state_.places[value] = bound(value))) continue;
      run_.values[value] = Tensor::uninitialized(operand(value).type, operand(value).shape);
      state_.places[value] = run_.values[value].mutable_bytes().data();
    }
    std::vector<std::byte*>& homes = state_.homes;
    homes.clear();
    for (const Converted& input : step.inputs) {
      std::byte* buffer = state_.buffers[input.buffer].get();
      change_layout(plan_.simd_, operand(input.value), operand(input.value).layout, state_.places[input.value], buffer);
      homes.push_back(std::exchange(state_.places[input.value], buffer));
    }
    for (const Converted& output : step.outputs)
      homes.push_back(std::exchange(state_.places[output.value], state_.buffers[output.buffer].get()));
    step.kernel->run(state_.places, run_.parallel);
    std::size_t k = 0;
    for (const Converted& input : step.inputs) state_.places[input.value] = homes[k++];
    for (const Converted& output : step.outputs) {
      state_.places[output.value] = homes[k++];
      const bool last = operand(output.value).layout == Layout::kChannelsLast;
      change_layout(plan_.simd_, operand(output.value), last ? Layout::kAsDeclared : Layout::kChannelsLast,
                    state_.buffers[output.buffer].get(), state_.places[output.value]);
    }
  }

  void run_operations_of(const Step& step, const octet::Step& meaning) {
    const std::vector<ValueId>&inputs = step.reads, &made = step.makes;
    // In a layout that all of them have.
    const auto is_last = [&](ValueId value) { return last(value); };
    const bool lasts = step.in_any_layout && std::all_of(inputs.begin(), inputs.end(), is_last) &&
                       std::all_of(made.begin(), made.end(), is_last);
    std::vector<Tensor>& values = state_.tensors;
    values.resize(plan_.program_.values.size());
    for (const ValueId input : inputs) values[input] = lasts || !last(input) ? borrowed(input) : as_declared(input);
    run_operations(plan_.program_, meaning, values, {Arithmetic(), run_.parallel, run_.stop});
    for (const ValueId input : inputs) values[input] = Tensor();
    for (const ValueId value : made) {
      Tensor& tensor = values[value];
      if (!is_as_planned(value, tensor, lasts)) throw AnotherShape();
      if (shares_place(tensor)) tensor = copy_of(tensor);
      if (last(value) && !lasts) {
        Tensor turned = Tensor::uninitialized(tensor.dtype(), memory_shape(operand(value)));
        change_layout(plan_.simd_, operand(value), Layout::kAsDeclared, tensor.bytes().data(),
                      turned.mutable_bytes().data());
        tensor = std::move(turned);
      }
      state_.places[value] = bytes_of(tensor);
      run_.values[value] = std::move(tensor);
    }
  }

  bool is_as_planned(ValueId value, const Tensor& tensor, bool lasts) const {
    const Operand& planned = operand(value);
    if (planned.type == DType::kUndefined) return true;
    return tensor.dtype() == planned.type && tensor.shape() == (lasts ? memory_shape(planned) : planned.shape);
  }

  // While an operation runs: what the arena or the caller holds stays where it is.
  Tensor borrowed(ValueId value) const {
    if (!run_.values[value].empty()) return run_.values[value];
    if (const Tensor& constant = plan_.program_.values[value].constant; !constant.empty()) return constant;
    const Operand& of = operand(value);
    const std::size_t bytes = static_cast<std::size_t>(of.size()) * size_of(of.type);
    return Tensor(of.type, last(value) ? memory_shape(of) : of.shape, {state_.places[value], bytes}, nullptr);
  }

  // Whether an operation has made its result of an operand that it had borrowed: the same elements under another shape.
  bool shares_place(const Tensor& tensor) const {
    const std::byte* const data = tensor.bytes().data();
    const auto inside = [&](const std::byte* place, std::int64_t bytes) {
      return std::greater_equal()(data, place) && std::less()(data, place + bytes);
    };
    if (inside(state_.arena.get(), plan_.arena_bytes_)) return true;
    return std::ranges::any_of(plan_.program_.inputs, [&](const ProgramInput& input) {
      const Operand& of = operand(input.value);
      return run_.values[input.value].empty() &&
             inside(state_.places[input.value], of.size() * static_cast<std::int64_t>(size_of(of.type)));
    });
  }

  static Tensor copy_of(const Tensor& tensor) {
    Tensor copy = Tensor::uninitialized(tensor.dtype(), tensor.shape());
    if (!tensor.bytes().empty()) std::memcpy(copy.mutable_bytes().data(), tensor.bytes().data(), tensor.byte_size());
    return copy;
  }

  // A tensor of its own: what the arena holds may be overwritten while it lives.
  Tensor as_it_is(ValueId value) const {
    const Tensor tensor = borrowed(value);
    const bool is_its_own = !run_.values[value].empty() || !plan_.program_.values[value].constant.empty();
    return is_its_own ? tensor : copy_of(tensor);
  }

  Tensor as_declared(ValueId value) const {
    if (!last(value)) return as_it_is(value);
    Tensor tensor = Tensor::uninitialized(operand(value).type, operand(value).shape);
    change_layout(plan_.simd_, operand(value), Layout::kChannelsLast, state_.places[value],
                  tensor.mutable_bytes().data());
    return tensor;
  }

  const Plan& plan_;
  const PlanRun& run_;
  State& state_;
};

PlanOutcome Plan::run(const PlanRun& run) const {
  std::unique_ptr<State> state;
  try {
    state = borrow_state();
  } catch (const std::exception&) {
    return PlanOutcome::kNoMemory;
  }
  Running running(*this, run, *state);
  const auto naming = [&](std::size_t s, const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      throw error.at(place_of(program_.steps[s]));
    }
  };
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (run.before) run.before(s);
    try {
      naming(s, [&] { running.step(s); });
    } catch (const AnotherShape&) {
      return PlanOutcome::kAnotherShape;
    }
    running.leave(s);
    if (run.after) run.after(s);
  }
  for (std::size_t s = 0; s < steps_.size(); ++s) naming(s, [&] { running.finish(s); });
  return_state(std::move(state));
  return PlanOutcome::kDone;
}

}  // namespace octet::fast
