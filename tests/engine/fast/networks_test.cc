// Whole networks on the fast engine: the reference engine's bits with every instruction set, whatever inputs came before.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "octet/base/memory_budget.h"
#include "octet/engine/fast/batch_split.h"
#include "octet/engine/fast/images.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "octet/program/group_epilogues.h"
#include "octet/program/resolve.h"
#include "tests/engine/fast/residual_network.h"
#include "tests/program/random_network.h"
#include "tests/support/engines.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// What the reference engine makes of inputs: the outputs, all values, and those of each step alone.
class ExpectedRun {
 public:
  ExpectedRun(const ReferenceEngine& reference, NamedTensors inputs) : inputs_(std::move(inputs)) {
    outputs_ = reference.run(inputs_);
    all_ = reference.run(inputs_, {.keep_all = true});
    given_ = all_;
    given_.insert(inputs_.begin(), inputs_.end());
    for (std::size_t s = 0; s < reference.program().steps.size(); ++s) steps_.push_back(reference.run_step(s, given_));
  }

  testing::AssertionResult outputs_of(const Engine& engine) const { return identical(engine.run(inputs_), outputs_); }
  testing::AssertionResult all_of(const Engine& engine) const {
    return identical(engine.run(inputs_, {.keep_all = true}), all_);
  }
  testing::AssertionResult steps_of(const Engine& engine) const {
    for (std::size_t s = 0; s < steps_.size(); ++s)
      if (const auto result = identical(engine.run_step(s, given_), steps_[s]); !result)
        return testing::AssertionFailure() << "step " << s << ": " << result.message();
    return testing::AssertionSuccess();
  }
  const NamedTensors& inputs() const { return inputs_; }

 private:
  NamedTensors inputs_, outputs_, all_, given_;
  std::vector<NamedTensors> steps_;
};

// Which stages stand behind convolutions once epilogues are grouped.
void note_stages(const Program& program, std::set<std::string>& stages) {
  for (const Step& step : group_epilogues(specialized(program, {{"N", 1}})).steps) {
    if (!std::holds_alternative<work::Convolution>(step.work)) continue;
    for (const work::Stage& stage : *epilogue_of(step.work)) {
      if (std::holds_alternative<work::Clamp>(stage)) stages.insert("clamp");
      if (std::holds_alternative<work::LookUp>(stage)) stages.insert("table");
      if (const auto* combine = std::get_if<work::Combine>(&stage)) stages.insert(combine->product ? "product" : "sum");
    }
  }
}

TEST(FastNetworks, AreTheReferencesForOneBatchAfterAnother) {
  std::set<std::string> stages;
  constexpr fast::BatchSplit kAlways{.near = 1, .least = 0};
  int cut = 0;
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 20 : 150); ++seed) {
    const RandomNetwork network = random_network(seed);
    for (const Policy policy : {Policy::kExact, Policy::kAsWritten}) {
      const Program program = lowered(network.model, policy);
      note_stages(program, stages);
      const ReferenceEngine reference(program, {.threads = 1});
      std::vector<ExpectedRun> runs;
      for (const std::int64_t batch : {1, 2, 3}) runs.emplace_back(reference, network.inputs(batch, seed));
      for (const fast::Simd& target : fast::simd_targets()) {
        SCOPED_TRACE(fmt::format("seed {}, {}, {}", seed, name(policy), target.name));
        const FastEngine engine(program, {.threads = seed % 10 == 0 ? 3 : 1}, target);
        for (const std::size_t k : {0, 1, 2, 1, 0}) {
          ASSERT_TRUE(runs[k].outputs_of(engine)) << "batch " << k + 1;
          ASSERT_TRUE(runs[k].all_of(engine)) << "batch " << k + 1;
        }
        for (const ExpectedRun& run : runs) ASSERT_TRUE(run.steps_of(engine));
      }
      const FastEngine one_by_one(program, {.threads = seed % 2 == 0 ? 3 : 1}, fast::chosen_simd(), kAlways);
      for (const std::size_t k : {2, 1, 0, 2}) ASSERT_TRUE(runs[k].outputs_of(one_by_one)) << "seed " << seed;
      cut += fast::part_of(group_epilogues(specialized(program, {{"N", 3}})), 1) ? 1 : 0;
    }
  }
  EXPECT_GT(cut, kSanitized ? 2 : 30) << "batches that are taken image by image";
  EXPECT_EQ(stages, (std::set<std::string>{"clamp", "table", "product", "sum"}));
}

TEST(FastNetworks, HaveOneStepForAConvolutionWithItsResidual) {
  const Program program = lowered(residual_network(), Policy::kExact);
  for (const fast::Simd& target : fast::simd_targets()) {
    const FastEngine engine(program, {.threads = 1}, target);
    const std::vector<StepKernel> steps = engine.kernels();
    EXPECT_EQ(steps.size(), program.steps.size() - 2) << target.name;
    for (const StepKernel& step : steps) EXPECT_FALSE(step.kernel.starts_with("by its operations")) << step.step;
  }
}

// No plan can be made then, and the steps are walked one by one.
TEST(FastNetworks, NameTheStepWhoseShapesDoNotFit) {
  const Program program = lowered(
      model_from("main (x, z) => (y) { a = Transpose (x)\n b = Transpose (x)\n c = Add (a, b)\n y = Add (c, z) }",
                 {value("x", DType::kFloat, {{N(), 3}}), value("z", DType::kFloat, {{3, 7}})}),
      Policy::kAsWritten);
  const NamedTensors inputs = {{"x", Tensor(DType::kFloat, {2, 3})}, {"z", Tensor(DType::kFloat, {3, 7})}};
  std::string wanted, found;
  EXPECT_TRUE(error_of([&] { ReferenceEngine(program, {.threads = 1}).run(inputs); }, &wanted));
  EXPECT_TRUE(error_of([&] { FastEngine(program, {.threads = 1}).run(inputs); }, &found));
  EXPECT_EQ(found, wanted);
  EXPECT_TRUE(wanted.starts_with("y (Add): ")) << wanted;
}

TEST(FastNetworks, MayBeRunForMoreShapesThanPlansAreKept) {
  const Program program = lowered(residual_network(), Policy::kExact);
  const ReferenceEngine reference(program, {.threads = 1});
  std::vector<ExpectedRun> runs;
  for (const std::int64_t batch : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) runs.emplace_back(reference, residual_inputs(batch));
  const FastEngine engine(program, {.threads = 2});
  for (int times = 0; times < 2; ++times)
    for (const ExpectedRun& run : runs) {
      ASSERT_TRUE(run.outputs_of(engine));
      ASSERT_TRUE(run.all_of(engine));
    }
}

TEST(FastNetworks, MayBeRunByManyThreadsFromTheFirstRunOn) {
  const Program program = lowered(residual_network(), Policy::kExact);
  const ReferenceEngine reference(program, {.threads = 1});
  std::vector<ExpectedRun> runs;
  for (const std::int64_t batch : {1, 2, 3, 4}) runs.emplace_back(reference, residual_inputs(batch));
  const FastEngine engine(program, {.threads = 2});
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 6; ++caller)
    callers.emplace_back([&, caller] {
      for (std::size_t k = 0; k < 2 * runs.size(); ++k) {
        const ExpectedRun& run = runs[(k + caller) % runs.size()];
        EXPECT_TRUE(run.outputs_of(engine));
        EXPECT_TRUE(run.all_of(engine));
        EXPECT_TRUE(run.steps_of(engine));
      }
    });
  for (std::thread& caller : callers) caller.join();
}

TEST(FastNetworks, GiveResultsWithinAnyBudgetOrNameTheStep) {
  const Program program = lowered(residual_network(), Policy::kExact);
  const ExpectedRun run(ReferenceEngine(program, {.threads = 1}), residual_inputs(2));
  std::set<bool> results;
  for (std::int64_t bytes = 1 << 9; bytes < 1 << 18; bytes += bytes / 4) {
    const FastEngine engine(program, {.threads = 1});
    const MemoryBudget budget(bytes);
    std::string what;
    const std::optional<ErrorCode> code = error_of([&] { EXPECT_TRUE(run.outputs_of(engine)); }, &what);
    EXPECT_EQ(code.value_or(ErrorCode::kLimit), ErrorCode::kLimit);
    if (code) {
      const auto is_named = [&](const Step& step) { return what.starts_with(step.name + " ("); };
      EXPECT_TRUE(std::ranges::any_of(program.steps, is_named)) << what;
    }
    results.insert(!code);
  }
  EXPECT_EQ(results, (std::set<bool>{false, true}));
}

}  // namespace
}  // namespace octet
