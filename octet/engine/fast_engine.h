// fast_engine.h: runs a program with kernels for this processor, to the reference engine's bits.
//
// The first run with inputs of some shapes makes a plan for them (fast/plan.h): epilogues are grouped, weights packed, memory
// placed. A batch whose images do not meet is taken through it a few images at a time (fast/batch.h). Later runs with the same shapes allocate little but their outputs, and nothing where those are bound (bound_run.h). What has no kernel runs by its operations.
#pragma once

#include <memory>

#include "octet/engine/engine.h"

namespace octet {

namespace fast {
class Batch;
struct Cut;
struct PlanRun;
struct Simd;
}  // namespace fast

class FastEngine final : public Engine {
 public:
  static constexpr std::string_view kName = "fast";

  explicit FastEngine(Program program, const EngineOptions& options = {});
  // With these instructions (fast/simd/simd.h) instead of the best that the processor has, and batches cut otherwise.
  FastEngine(Program program, const EngineOptions& options, const fast::Simd& simd);
  FastEngine(Program program, const EngineOptions& options, const fast::Simd& simd, const fast::Cut& cut);
  ~FastEngine() override;

  std::string_view name() const override { return kName; }
  std::vector<StepKernel> kernels() const override;
  std::vector<StepTime> time_steps(const NamedTensors& inputs, int repetitions) const override;

 private:
  void compute_all(std::vector<Tensor>& values, const Made& made, const RunOptions& options) const override;
  void compute_bound(std::vector<Tensor>& values, std::span<const Buffer> bound,
                     const RunOptions& options) const override;
  void compute_step(std::size_t step, std::vector<Tensor>& values, const Made& made,
                    const std::stop_token& stop) const override;
  void compute(std::size_t step, std::vector<Tensor>& values, const std::stop_token& stop) const override;

  struct Sought;
  struct Key;   // of what a plan was made
  class Plans;  // those that were asked for last
  // Of the program, or of a step alone, where the values that it is given have these shapes. Null where they do not fit:
  // walking the steps one by one says which.
  std::shared_ptr<const fast::Batch> make_plan(const Key& key, const std::vector<ValueId>& given) const;
  // Null where memory is short, too.
  std::shared_ptr<const fast::Batch> plan_for(const Sought& sought) const;
  // False where walking the steps may do what the plan could not.
  bool has_run(const fast::Batch& plan, std::size_t step, const fast::PlanRun& run) const;
  bool has_run_all(std::vector<Tensor>& values, std::span<const Buffer> bound, const Made& made,
                   const RunOptions& options) const;

  const fast::Simd& simd_;
  const std::vector<ValueId> inputs_;  // of the program
  const std::vector<std::size_t> operations_up_to_;
  const std::unique_ptr<Plans> plans_;
};

}  // namespace octet
