// Random networks of every quantized operator: each step that is of integers alone, and each network that is.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "octet/program/group_epilogues.h"
#include "octet/program/lower.h"
#include "tests/integer/comparison.h"
#include "tests/program/random_network.h"
#include "tests/support/lowered.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

struct Seen {
  std::vector<int> tasks = std::vector<int>(std::variant_size_v<integer::Task>);
  std::vector<int> stages = std::vector<int>(std::variant_size_v<integer::Stage>);
  int whole = 0;

  void add(const IntegerProgram& program) {
    for (const IntegerStep& step : program.steps) {
      ++tasks[step.task.index()];
      std::visit(
          [&](const auto& task) {
            if constexpr (requires { task.epilogue; })
              for (const integer::Stage& stage : task.epilogue) ++stages[stage.index()];
          },
          step.task);
    }
  }
};

void compare_network(const Program& program, const NamedTensors& inputs, Seen& seen) {
  for (const IntegerProgram& step : expect_equal_steps(program, inputs)) seen.add(step);
  std::optional<IntegerProgram> whole;
  if (error_of([&] { whole = integer_program(program, {.host_border = true}); })) return;
  EXPECT_GT(expect_equal(*whole, reference_values(program, inputs)), 0);
  ++seen.whole;
}

// make judge sets OCTET_NETWORKS.
std::uint64_t compared_networks() {
  if (const char* count = std::getenv("OCTET_NETWORKS")) return std::strtoull(count, nullptr, 10);
  return kSanitized ? 12 : 150;
}

TEST(RandomNetworks, InterpretEqualsTheReferenceEngine) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= compared_networks(); ++seed) {
    const RandomNetwork network = random_network(seed);
    const Policy policy = std::array{Policy::kExact, Policy::kOnnxRuntime, Policy::kAsWritten}[seed % 3];
    SCOPED_TRACE(fmt::format("seed {}, policy {}", seed, name(policy)));
    const std::int64_t batch = seed % 2 == 0 ? 1 : 2;
    const Program program = specialized(lowered(network.model, policy), {{"N", batch}});
    const NamedTensors inputs = network.inputs(batch, seed);
    compare_network(program, inputs, seen);
    compare_network(group_epilogues(program), inputs, seen);
    if (testing::Test::HasFailure()) return;
  }
  if (compared_networks() < 100) return;  // too few to have everything in them
  for (std::size_t task = 0; task < seen.tasks.size(); ++task) EXPECT_GT(seen.tasks[task], 0) << "task " << task;
  for (std::size_t stage = 0; stage < seen.stages.size(); ++stage)
    EXPECT_GT(seen.stages[stage], 0) << "stage " << stage;
  EXPECT_GT(seen.whole, 10);
}

}  // namespace
}  // namespace octet
