// plan.h: a program made ready to run many times, for one set of input shapes: layouts chosen, kernels made, memory placed.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "octet/engine/engine.h"
#include "octet/engine/fast/kernel.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/weight_store.h"

namespace octet::fast {

struct PlanRun {
  std::vector<Tensor>& values;  // by ValueId: the inputs, which stay; the outputs are put there
  const Parallel& parallel;
  // By ValueId, or empty: where an input stands that is not among the values, and where an output goes instead; both if that
  // has their type and shape.
  std::span<const Buffer> bound = {};
  std::function<void(std::size_t step)> before = {}, after = {};  // each step; may be empty
  // Called for every value a step produces. May be empty.
  std::function<void(ValueId value, const Tensor& tensor)> made = {};
  std::stop_token stop = {};  // ends loops inside a step
};

enum class PlanOutcome {
  kDone,
  kNoMemory,
  kAnotherShape,  // than was inferred of what a step makes
};

class Plan {
 public:
  // Steps whose `made` values are wanted one by one (keeps_all) run as the program has them.
  Plan(Program program, const Simd& simd, bool keeps_all, WeightStore& weights);
  ~Plan();

  const Program& program() const { return program_; }
  bool has_kernel(std::size_t step) const;
  // What runs a step: a kernel, or its operations.
  std::string describe(std::size_t step) const;

  // Whether the inputs among the values have the types and shapes that it was made for.
  bool fits(const std::vector<Tensor>& values) const;
  // By ValueId: what is known of each value.
  const std::vector<Operand>& operands() const { return operands_; }
  // Several threads may run it at once. Unless it is done, the outputs are not to be used.
  PlanOutcome run(const PlanRun& run) const;
  // Frees the memory that it keeps for the next run.
  void forget() const;
  // What it takes with the memory that it keeps, that of one run at least; weights do not count.
  std::int64_t bytes() const;

 private:
  struct Step;
  struct State;
  class Running;

  void make_steps(WeightStore& weights);
  bool find_layouts(const octet::Step& step, const std::vector<ValueId>& mentioned, const KernelContext& context,
                    std::vector<Operand>& operands) const;
  void convert_for_kernel(const octet::Step& step, const std::vector<Operand>& operands, Step& made);
  bool shares_elements(const octet::Step& step) const;
  void place_values();
  bool written_in_place(ValueId value) const;  // where the caller gets it
  std::unique_ptr<State> borrow_state() const;
  void return_state(std::unique_ptr<State> state) const;

  Program program_;
  const Simd& simd_;
  const bool keeps_all_;
  std::vector<Operand> operands_;           // by ValueId
  std::vector<bool> is_input_, is_output_;  // by ValueId
  std::vector<Step> steps_;
  std::vector<std::size_t> buffer_sizes_;  // of what kernels want converted
  std::vector<std::int64_t> offsets_;      // by ValueId: in the arena, or -1
  std::int64_t arena_bytes_ = 0;
  std::int64_t described_bytes_ = 0;  // about what everything but the memory of runs takes
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<State>> idle_;
};

}  // namespace octet::fast
