// Runs that are bound to memory of the caller, on every engine.
#include "octet/engine/bound_run.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/engine/fast/residual_network.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

class ABoundRun : public EveryEngine {
 protected:
  static std::string refusal(const Engine& engine, const NamedBuffers& inputs, const NamedBuffers& outputs) {
    const Error error = failure_of([&] {
      BoundRun run(engine, inputs, outputs);
      run();
    });
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.message();
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, ABoundRun, testing::ValuesIn(engines().begin(), engines().end()), name_of_engine);

TEST_P(ABoundRun, GivesWhatARunGives) {
  // The last image and y stand channels last inside; q is made by operations, and h and z by sharing.
  Model model = residual_network();
  for (const char* name : {"d", "g", "h"}) model.graph.outputs.push_back({name, {}});
  const auto engine = this->engine(model, {.threads = 2});
  Tensor x(DType::kUint8, {3, 12, 9, 11}), y(DType::kUint8, {3, 10}), d(DType::kUint8, {3, 20, 9, 11}),
      g(DType::kUint8, {3, 24, 1, 1}), h(DType::kUint8, {3, 24});
  BoundRun run(*engine, {{"x", buffer_of(x)}},
               {{"y", buffer_of(y)}, {"d", buffer_of(d)}, {"g", buffer_of(g)}, {"h", buffer_of(h)}});
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const Tensor given = random_bytes(DType::kUint8, x.shape(), seed);
    std::ranges::copy(given.bytes(), x.mutable_bytes().begin());
    run();
    EXPECT_TRUE(identical({{"y", y}, {"d", d}, {"g", g}, {"h", h}}, engine->run({{"x", given}}))) << seed;
  }
}

TEST_P(ABoundRun, DeliversConstantsAndInputsToo) {
  Model model =
      model_from("main (x) => (w, y, z) { y = Reshape (x, two)\n z = Neg (x) }", {value("x", DType::kFloat, {{2}})});
  add_initializer(model, "w", Tensor::from<float>({1}, {7}));
  add_initializer(model, "two", Tensor::from<std::int64_t>({2}, {1, 2}));
  const auto engine = this->engine(model);
  Tensor x = Tensor::from<float>({2}, {1, 2}), w(DType::kFloat, {1}), y(DType::kFloat, {1, 2}), z(DType::kFloat, {2});
  BoundRun run(*engine, {{"x", buffer_of(x)}}, {{"w", buffer_of(w)}, {"y", buffer_of(y)}, {"z", buffer_of(z)}});
  run();
  x.mutable_as<float>()[0] = 5;
  run();
  EXPECT_EQ(w.as<float>()[0], 7);
  EXPECT_EQ(y.as<float>()[0], 5);
  EXPECT_EQ(z.as<float>()[0], -5);
  BoundRun(*engine, {{"x", buffer_of(x)}}, {})();  // nobody wants the outputs
}

TEST_P(ABoundRun, RefusesMemoryThatDoesNotFit) {
  const auto engine = this->engine(
      model_from("main (x) => (y, z) { y = Neg (x)\n z = Neg (y) }", {value("x", DType::kFloat, {{N()}})}));
  alignas(16) std::array<std::byte, 64> memory{};
  const auto floats = [&](std::int64_t count, std::size_t at) {
    return Buffer{DType::kFloat, {count}, std::span(memory).subspan(at, static_cast<std::size_t>(count) * 4)};
  };
  EXPECT_EQ(refusal(*engine, {{"x", floats(2, 0)}}, {{"y", floats(3, 16)}}),
            "output y is float32[2], and is bound to float32[3]");
  EXPECT_EQ(refusal(*engine, {{"x", floats(2, 2)}}, {}), "input x is bound to memory that is not aligned to 4 bytes");
  EXPECT_EQ(refusal(*engine, {{"x", floats(2, 0)}}, {{"y", {DType::kFloat, {3}, std::span(memory).subspan(16, 8)}}}),
            "output y is bound to 8 bytes, and float32[3] has 3 elements of 4");
  EXPECT_EQ(refusal(*engine, {{"x", floats(2, 0)}}, {{"y", floats(2, 4)}}), "output y is bound to memory of input x");
  EXPECT_EQ(refusal(*engine, {{"x", floats(2, 0)}}, {{"y", floats(2, 16)}, {"z", floats(2, 20)}}),
            "output y is bound to memory of output z");
  EXPECT_EQ(refusal(*engine, {{"x", floats(2, 0)}}, {{"a", floats(2, 16)}}), "the model has no output a");
  EXPECT_EQ(refusal(*engine, {{"x", {DType::kString, {0}, {}}}}, {}), "input x can't be bound to memory of string");
  EXPECT_EQ(refusal(*engine, {}, {}), "input x (float32[N]) is missing");
}

TEST_P(ABoundRun, MayRunAgainAfterAnError) {
  const auto engine = this->engine(residual_network(), {.threads = 2});
  Tensor x = residual_inputs(2).at("x"), y(DType::kUint8, {2, 10});
  BoundRun run(*engine, {{"x", buffer_of(x)}}, {{"y", buffer_of(y)}});
  struct Enough {};
  EXPECT_THROW(run({.progress = [](std::size_t, std::size_t) { throw Enough(); }}), Enough);
  run();
  EXPECT_TRUE(y.identical(engine->run({{"x", x}}).at("y")));
}

}  // namespace
}  // namespace octet
