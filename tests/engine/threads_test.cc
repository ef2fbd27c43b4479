#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <random>
#include <thread>

#include "tests/support/engines.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {
namespace {

Tensor random_tensor(Shape shape, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Tensor tensor(DType::kFloat, std::move(shape));
  for (float& v : tensor.mutable_as<float>()) v = normal(generator);
  return tensor;
}

// Float and integer operators on tensors large enough for many blocks, odd sizes so that blocks end anywhere.
Program two_layers() {
  Model model = model_from(R"(
main (x) => (y, q) {
   a = Conv <pads: ints = [1, 1, 1, 1]> (x, w, b)
   c = Relu (a)
   d = Conv <group: int = 6> (c, depthwise)
   e = GlobalAveragePool (d)
   f = Flatten (e)
   s = Softmax (f)
   y = MatMul (s, v)
   q, q_scale, q_zero = DynamicQuantizeLinear (d)
})",
                           {value("x", DType::kFloat, {{N(), 3, 37, 41}})});
  add_initializer(model, "w", random_tensor({6, 3, 3, 3}, 1));
  add_initializer(model, "b", random_tensor({6}, 2));
  add_initializer(model, "depthwise", random_tensor({6, 1, 5, 5}, 3));
  add_initializer(model, "v", random_tensor({6, 301}, 4));
  return lowered(std::move(model), Policy::kAsWritten);
}

TEST(Threads, DoNotChangeABit) {
  const NamedTensors inputs = {{"x", random_tensor({3, 3, 37, 41}, 5)}};
  const NamedTensors alone = run_every_engine(two_layers(), inputs, {.keep_all = true}, {.threads = 1});
  for (const int threads : {2, 3, 8}) {
    const NamedTensors together = run_every_engine(two_layers(), inputs, {.keep_all = true}, {.threads = threads});
    ASSERT_EQ(together.size(), alone.size());
    for (const auto& [name, tensor] : alone)
      EXPECT_TRUE(tensor.identical(together.at(name))) << name << " with " << threads << " threads";
  }
}

TEST(Threads, MayShareAnEngine) {
  for (const auto& engine : every_engine(two_layers(), {.threads = 2})) {
    const NamedTensors inputs = {{"x", random_tensor({1, 3, 37, 41}, 6)}};
    const Tensor expected = engine->run(inputs).at("y");
    std::vector<std::thread> callers;
    std::vector<Tensor> results(4);
    for (Tensor& result : results) callers.emplace_back([&] { result = engine->run(inputs).at("y"); });
    for (std::thread& caller : callers) caller.join();
    for (const Tensor& result : results) EXPECT_TRUE(result.identical(expected)) << engine->name();
  }
}

TEST(Threads, MayBeSharedByEngines) {
  const auto pool = std::make_shared<const Parallel>(2);
  const NamedTensors inputs = {{"x", random_tensor({2, 3, 37, 41}, 7)}};
  const auto engines = every_engine(two_layers(), {.pool = pool});
  for (const auto& engine : engines) EXPECT_EQ(&engine->parallel(), pool.get()) << engine->name();
  const Tensor expected = engines.front()->run(inputs).at("y");
  std::vector<std::thread> callers;
  std::vector<Tensor> results(2 * engines.size());
  for (std::size_t k = 0; k < results.size(); ++k)
    callers.emplace_back([&, k] { results[k] = engines[k % engines.size()]->run(inputs).at("y"); });
  for (std::thread& caller : callers) caller.join();
  for (const Tensor& result : results) EXPECT_TRUE(result.identical(expected));
}

TEST(Threads, KeepNoRunWaitingThatAreAtWorkElsewhere) {
  const auto pool = std::make_shared<const Parallel>(2);
  std::latch begun(1), may_end(1);
  std::thread other([&] {
    pool->for_each_block(2, 1, [&](std::int64_t begin, std::int64_t) {
      if (begin == 0) begun.count_down();
      may_end.wait();
    });
  });
  begun.wait();
  const NamedTensors inputs = {{"x", random_tensor({2, 3, 37, 41}, 8)}};
  std::vector<Tensor> results;
  for (const auto& engine : every_engine(two_layers(), {.pool = pool})) results.push_back(engine->run(inputs).at("y"));
  may_end.count_down();
  other.join();
  for (const Tensor& result : results) EXPECT_TRUE(result.identical(results.front()));
}

}  // namespace
}  // namespace octet
