// fast_engine.h: runs a program with kernels for this processor, to the reference engine's bits.
//
// The first run with inputs of some shapes makes a plan for them (fast/plan.h): epilogues are grouped, weights packed, memory
// placed. Later runs with the same shapes allocate little but their outputs. What has no kernel runs by its operations.
#pragma once

#include <map>
#include <mutex>

#include "octet/engine/engine.h"

namespace octet {

namespace fast {
class Plan;
struct PlanRun;
struct Simd;
}  // namespace fast

class FastEngine final : public Engine {
 public:
  static constexpr std::string_view kName = "fast";

  explicit FastEngine(Program program, const EngineOptions& options = {});
  // With these instructions (fast/simd/simd.h) instead of the best that the processor has.
  FastEngine(Program program, const EngineOptions& options, const fast::Simd& simd);
  ~FastEngine() override;

  std::string_view name() const override { return kName; }
  std::vector<StepKernel> kernels() const override;
  std::vector<StepTime> time_steps(const NamedTensors& inputs, int repetitions) const override;

 private:
  void compute_all(std::vector<Tensor>& values, const Made& made, const RunOptions& options) const override;
  void compute_step(std::size_t step, std::vector<Tensor>& values, const Made& made) const override;
  void compute(std::size_t step, std::vector<Tensor>& values) const override;

  // Of what a plan was made.
  struct Key {
    std::size_t step;  // or kWhole, or kEveryValue
    std::vector<Shape> shapes;

    bool operator<(const Key& other) const { return step != other.step ? step < other.step : shapes < other.shapes; }
  };
  bool has_run(const fast::Plan& plan, const fast::PlanRun& run) const;
  std::shared_ptr<const fast::Plan> plan_for(Key key, const std::vector<ValueId>& given) const;
  // For inputs of these shapes; of every value where they are all asked for.
  std::shared_ptr<const fast::Plan> plan_for(const std::vector<Tensor>& values, bool every_value) const;

  const fast::Simd& simd_;
  mutable std::mutex mutex_;
  mutable std::map<Key, std::shared_ptr<const fast::Plan>> plans_;
  mutable Key latest_key_{};  // of whole runs: most have the shapes of the one before
  mutable std::shared_ptr<const fast::Plan> latest_;
};

}  // namespace octet
