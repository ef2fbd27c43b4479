// fast_engine.h: runs a program with kernels for this processor, to the reference engine's bits.
//
// The first run with inputs of some shapes makes a plan for them (fast/plan.h): epilogues are grouped, layouts chosen, memory
// placed. Weights are packed once for all plans (fast/weight_store.h). The latest plans are kept, up to
// EngineOptions::plan_bytes; while one is made, runs with other shapes go on. A batch whose samples are independent is run a few images at a time (fast/batch.h). Later runs with the same shapes allocate little but their outputs, and nothing where those are bound (bound_run.h). What has no kernel runs by its operations.
#pragma once

#include <memory>

#include "octet/engine/engine.h"

namespace octet {

namespace fast {
class Batch;
struct BatchSplit;
struct PlanRun;
struct Simd;
}  // namespace fast

class FastEngine final : public Engine {
 public:
  static constexpr std::string_view kName = "fast";

  explicit FastEngine(Program program, const EngineOptions& options = {});
  // With these instructions (fast/simd/simd.h) instead of the best that the processor has, and batches cut otherwise.
  FastEngine(Program program, const EngineOptions& options, const fast::Simd& simd);
  FastEngine(Program program, const EngineOptions& options, const fast::Simd& simd, const fast::BatchSplit& cut);
  ~FastEngine() override;

  std::string_view name() const override { return kName; }
  std::vector<StepKernel> kernels() const override;
  std::vector<StepTime> time_steps(const NamedTensors& inputs, int repetitions) const override;

  // What packed weights, and what plans of single shapes take.
  std::int64_t packed_weight_bytes() const;
  std::int64_t plan_bytes() const;

 private:
  void compute_all(std::vector<Tensor>& values, const ValueCallback& made, const RunOptions& options) const override;
  void compute_bound(std::vector<Tensor>& values, std::span<const Buffer> bound,
                     const RunOptions& options) const override;
  void compute_step(std::size_t step, std::vector<Tensor>& values, const ValueCallback& made,
                    const std::stop_token& stop) const override;
  void compute(std::size_t step, std::vector<Tensor>& values, const std::stop_token& stop) const override;
  void prepare_shapes(const std::vector<Shape>& shapes) const override;

  struct PlanRequest;
  struct Key;   // of what a plan was made
  class Plans;  // those that were asked for last, and the weights of all
  // Plans the program, or a single step, for inputs of these shapes. Throws if the shapes do not fit.
  std::shared_ptr<const fast::Batch> make_plan(const Key& key, const std::vector<ValueId>& given) const;
  // Null where shapes do not fit: walking the steps one by one says which.
  std::shared_ptr<const fast::Batch> make_plan_if_fit(const Key& key, const std::vector<ValueId>& given) const;
  // The plan that is kept, or a new one, by a key or a request for it. Null where it can't be, or memory is short.
  std::shared_ptr<const fast::Batch> plan_for(const PlanRequest& request) const;
  // False where walking the steps may do what the plan could not.
  bool try_run(const fast::Batch& plan, const fast::PlanRun& run) const;
  bool try_run_all(std::vector<Tensor>& values, std::span<const Buffer> bound, const ValueCallback& made,
                   const RunOptions& options) const;

  const fast::Simd& simd_;
  const std::vector<ValueId> inputs_;  // of the program
  const std::vector<std::size_t> operations_up_to_;
  const std::unique_ptr<Plans> plans_;
};

}  // namespace octet
