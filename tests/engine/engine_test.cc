// What holds for every engine.
#include "octet/engine/engine.h"

#include <gtest/gtest.h>

#include <thread>

#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "tests/engine/fast/residual_network.h"
#include "tests/program/networks.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

const Tensor kPair = Tensor::from<float>({2}, {1, -2});

Model identity(DType dtype, std::optional<SymbolicShape> shape) {
  return model_from("main (x) => (y) { y = Identity (x) }", {value("x", dtype, std::move(shape))});
}

class AnEngine : public EveryEngine {
 protected:
  std::string refusal(const Model& model, const NamedTensors& inputs) const {
    std::string what;
    const auto engine = this->engine(model);
    EXPECT_EQ(error_of([&] { engine->run(inputs); }, &what), ErrorCode::kUsage);
    return what;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, AnEngine, testing::ValuesIn(engines().begin(), engines().end()), name_of_engine);

TEST_P(AnEngine, ReturnsTheOutputs) {
  const NamedTensors results = engine(identity(DType::kFloat, {{N()}}))->run({{"x", kPair}});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results.at("y").identical(kPair));
}

TEST_P(AnEngine, KeepsEveryIntermediateValueWhenAsked) {
  const auto engine =
      this->engine(model_from("main (x) => (c) { a = Identity (x)\n b = Identity (a)\n c = Identity (a) }",
                              {value("x", DType::kFloat, {{N()}})}));
  EXPECT_EQ(engine->run({{"x", kPair}}).size(), 1U);
  const NamedTensors all = engine->run({{"x", kPair}}, {.keep_all = true});
  EXPECT_EQ(all.size(), 3U);
  EXPECT_TRUE(all.at("b").identical(kPair));
}

TEST_P(AnEngine, ShowsEveryValueInTheOrderOfTheSteps) {
  const auto engine = this->engine(
      model_from("main (x) => (c) { a = Neg (x)\n b = Neg (a)\n c = Neg (a) }", {value("x", DType::kFloat, {{N()}})}));
  std::vector<std::pair<std::string, float>> seen;
  const auto observe = [&](const std::string& name, const Tensor& tensor) {
    seen.emplace_back(name, tensor.as<float>()[0]);
  };
  EXPECT_EQ(engine->run({{"x", kPair}}, {.observe = observe}).size(), 1U);
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, float>>{{"a", -1}, {"b", 1}, {"c", 1}}));
}

TEST_P(AnEngine, SharesInitializersAndReturnsThemAsOutputs) {
  Model model = model_from("main () => (w, y) { y = Identity (w) }", {});
  add_initializer(model, "w", kPair);
  const NamedTensors results = engine(model)->run({});
  EXPECT_EQ(results.at("y").bytes().data(), kPair.bytes().data());
  EXPECT_EQ(results.at("w").bytes().data(), kPair.bytes().data());
}

TEST_P(AnEngine, LetsInputsOverrideTheInitializersTheyRepeat) {
  Model model = model_from("main (w) => (y) { y = Identity (w) }", {value("w", DType::kFloat, {{2}})});
  add_initializer(model, "w", kPair);
  const auto engine = this->engine(model);
  EXPECT_TRUE(engine->run({}).at("y").identical(kPair));
  const Tensor other = Tensor::from<float>({2}, {5, 6});
  EXPECT_TRUE(engine->run({{"w", other}}).at("y").identical(other));
  EXPECT_TRUE(engine->run({}).at("y").identical(kPair));
}

TEST_P(AnEngine, ReportsProgress) {
  const auto engine = this->engine(
      model_from("main (x) => (b) { a = Identity (x)\n b = Identity (a) }", {value("x", DType::kFloat, {{N()}})}));
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  engine->run({{"x", kPair}},
              {.progress = [&](std::size_t done, std::size_t total) { seen.emplace_back(done, total); }});
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}, {2, 2}}));
}

TEST_P(AnEngine, EndsARunInWhichProgressThrows) {
  const auto engine =
      this->engine(model_from("main (x) => (b) { a = Neg (x)\n b = Neg (a) }", {value("x", DType::kFloat, {{N()}})}));
  struct Cancelled {};
  int steps = 0;
  const auto cancel = [&](std::size_t, std::size_t) {
    ++steps;
    throw Cancelled();
  };
  EXPECT_THROW(engine->run({{"x", kPair}}, {.progress = cancel}), Cancelled);
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(engine->run({{"x", kPair}}).at("b").identical(kPair));
}

TEST_P(AnEngine, EndsARunThatAnotherThreadCancels) {
  const auto engine = this->engine(residual_network(), {.threads = 2});
  const NamedTensors inputs = residual_inputs(2);
  const NamedTensors expected = engine->run(inputs);
  std::stop_source source;
  std::size_t steps = 0;
  // In the middle, while nobody looks.
  const auto cancel = [&](std::size_t done, std::size_t) {
    steps = done;
    if (done == 3) std::thread([&] { source.request_stop(); }).join();
  };
  const Error error = failure_of([&] { engine->run(inputs, {.progress = cancel, .stop = source.get_token()}); });
  EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  EXPECT_EQ(error.message(), "the run was cancelled");
  EXPECT_EQ(steps, 3U);
  EXPECT_EQ(failure_of([&] { engine->run(inputs, {.keep_all = true, .stop = source.get_token()}); }).code(),
            ErrorCode::kCancelled);
  EXPECT_TRUE(identical(engine->run(inputs), expected));
}

TEST_P(AnEngine, ExpandsFunctions) {
  Model model = model_from("main (x) => (y) { y = F (x) }", {value("x", DType::kFloat, {{N()}})});
  model.functions.push_back(function_from("F (A) => (B) { T = Identity (A)\n B = Identity (T) }", "", 21));
  const NamedTensors all = engine(model)->run({{"x", kPair}}, {.keep_all = true});
  EXPECT_TRUE(all.at("y").identical(kPair));
  EXPECT_TRUE(all.at("y/T").identical(kPair));
}

TEST_P(AnEngine, ChecksInputsAgainstTheirDeclaredTypes) {
  const Model model = identity(DType::kFloat, {{2, N()}});
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kInt8, {2, 3})}}),
            "input x is int8[2,3], and the model wants float32[2,N]");
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kFloat, {2})}}),
            "input x is float32[2], and the model wants float32[2,N]");
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kFloat, {3, 3})}}),
            "input x is float32[3,3], and the model wants float32[2,N]");
  EXPECT_EQ(refusal(model, {}), "input x (float32[2,N]) is missing");
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kFloat, {2, 3})}, {"z", kPair}}),
            "the model has no input z; it wants x");
}

TEST_P(AnEngine, HoldsASymbolToOneMeaning) {
  const Model model = model_from("main (x, z) => (y) { y = Identity (x) }",
                                 {value("x", DType::kFloat, {{N()}}), value("z", DType::kFloat, {{N(), Dim()}})});
  EXPECT_EQ(refusal(model, {{"x", kPair}, {"z", Tensor(DType::kFloat, {3, 1})}}),
            "input z is float32[3,1], and the model wants float32[N,?], where N is 2 already");
}

TEST_P(AnEngine, PlacesErrorsAtTheNode) {
  const Model model = model_from("main (x) => (y) { y = Reshape (x, x) }", {value("x", DType::kFloat, {{N()}})});
  std::string what;
  const auto engine = this->engine(model);
  EXPECT_TRUE(error_of([&] { engine->run({{"x", kPair}}); }, &what));
  EXPECT_EQ(what.substr(0, 13), "y (Reshape): ");
}

TEST_P(AnEngine, NamesTheNodeThatWantsMoreThanTheBudget) {
  Model model = model_from("main () => (y) { y = ConstantOfShape (s) }", {});
  add_initializer(model, "s", Tensor::from<std::int64_t>({2}, {1 << 16, 1 << 15}));
  const auto engine = this->engine(model);
  const MemoryBudget budget(1 << 20);
  std::string what;
  EXPECT_EQ(error_of([&] { engine->run({}); }, &what), ErrorCode::kLimit);
  EXPECT_EQ(what,
            "y (ConstantOfShape): output 0 of shape [65536,32768]: 8 GiB of memory are wanted, and 1 MiB of 1 MiB are "
            "left");
  EXPECT_LT(budget.peak(), 1 << 20);
}

TEST_P(AnEngine, NamesAllOperatorsOfTheStep) {
  const auto engine = make_engine(GetParam(), lowered(convolution({"r", " r = Relu (t)\n", 0.125F, 7}), Policy::kExact),
                                  {.threads = 1});
  ASSERT_EQ(engine->program().steps.size(), 1U);
  const NamedTensors inputs = {{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}};
  const MemoryBudget budget(1);
  std::string what;
  EXPECT_EQ(error_of([&] { engine->run(inputs); }, &what), ErrorCode::kLimit);
  EXPECT_EQ(what.substr(0, 23), "t (QLinearConv Clip): o");
}

TEST_P(AnEngine, TimesTheStepsAndCountsTheirProducts) {
  const auto engine =
      make_engine(GetParam(), lowered(convolution({"r", " r = Relu (t)\n", 0.125F, 7}), Policy::kExact), {});
  std::int64_t products = 0;
  double nanoseconds = 0;
  for (const StepTime& step : engine->time_steps({{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}}, 3)) {
    EXPECT_FALSE(step.kernel.empty());
    products += step.multiply_adds;
    nanoseconds += step.nanoseconds;
  }
  EXPECT_EQ(products, 2 * 1 * 2 * 2);  // channels, height, width, channels of x
  EXPECT_GT(nanoseconds, 0);
}

TEST_P(AnEngine, CountsTheValuesThatAreAliveTogether) {
  // Four values of 256 KiB in a row: two are alive at a time. Kept for the end, they are five with the input.
  const Model model = model_from("main (x) => (d) { a = Neg (x)\n b = Neg (a)\n c = Neg (b)\n d = Neg (c) }",
                                 {value("x", DType::kFloat, {{N(), 1 << 16}})});
  const auto engine = this->engine(model, {.threads = 1});
  const NamedTensors inputs = {{"x", Tensor(DType::kFloat, {1, 1 << 16})}};
  const MemoryBudget budget(600 << 10);
  EXPECT_NO_THROW(engine->run(inputs));
  EXPECT_EQ(budget.peak(), 512 << 10);
  std::string what;
  EXPECT_EQ(error_of([&] { engine->run(inputs, {.keep_all = true}); }, &what), ErrorCode::kLimit);
  EXPECT_EQ(what.substr(0, 9), "c (Neg): ");
  EXPECT_EQ(budget.used(), 0);
}

// A plan that keeps its memory does not fit; walking the steps does, from wherever it got.
TEST_P(AnEngine, ShowsAllValuesOnceWhereMemoryIsShort) {
  const Program program = lowered(residual_network(), Policy::kExact);
  const NamedTensors inputs = residual_inputs(64);
  const auto run = [&](const Engine& engine, RunOptions options, std::vector<std::string>& order) {
    NamedTensors seen;
    options.observe = [&](const std::string& name, const Tensor& tensor) {
      order.push_back(name);
      if (options.keep_all) seen[name] = tensor;
    };
    const NamedTensors results = engine.run(inputs, options);
    EXPECT_TRUE(!options.keep_all || identical(seen, results));
    return results;
  };
  const auto reference = make_engine(engines().front(), program, {.threads = 1});
  for (const bool keep_all : {true, false}) {
    std::vector<std::string> order, expected_order;
    NamedTensors expected;
    std::int64_t peak = 0;
    {
      const MemoryBudget budget(1 << 30);
      expected = run(*reference, {.keep_all = keep_all}, expected_order);
      peak = budget.peak();
    }
    const auto engine = make_engine(GetParam(), program, {.threads = 1});
    const MemoryBudget budget(peak + (100 << 10));
    EXPECT_TRUE(identical(run(*engine, {.keep_all = keep_all}, order), expected)) << keep_all;
    EXPECT_EQ(order, expected_order);
  }
}

TEST_P(AnEngine, ListsItsInputsAndOutputs) {
  Model model = model_from("main (x, o) => (y, s) { y = Add (x, o)\n s = Size (x) }",
                           {value("x", DType::kFloat, {{N(), 2}}), value("o", DType::kFloat, {{1}})});
  add_initializer(model, "o", Tensor::from<float>({1}, {7}));
  model.graph.outputs[0].type = {DType::kFloat, {{N(), 2}}};
  const auto engine = this->engine(model);
  const std::vector<EngineValue> inputs = engine->inputs(), outputs = engine->outputs();
  ASSERT_GE(inputs.size(), 1U);
  EXPECT_EQ(inputs[0], (EngineValue{"x", DType::kFloat, SymbolicShape{N(), 2}, false}));
  if (inputs.size() > 1) {
    EXPECT_EQ(inputs[1], (EngineValue{"o", DType::kFloat, SymbolicShape{1}, true}));
  }
  const std::vector<EngineValue> wanted = {{"y", DType::kFloat, SymbolicShape{N(), 2}},
                                           {"s", DType::kInt64, SymbolicShape{}}};
  EXPECT_EQ(outputs, wanted);
}

TEST_P(AnEngine, PreparesForShapesThatFit) {
  const auto engine =
      this->engine(model_from("main (x, w) => (y) { y = Add (x, w) }",
                              {value("x", DType::kFloat, {{N(), 2}}), value("w", DType::kFloat, {{N(), 2}})}));
  engine->prepare({{"x", {3, 2}}, {"w", {3, 2}}});
  const auto refusal = [&](const std::map<std::string, Shape>& shapes) {
    const Error error = failure_of([&] { engine->prepare(shapes); });
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.message();
  };
  EXPECT_EQ(refusal({{"x", {3, 2}}}), "input w (float32[N,2]) is missing");
  EXPECT_NE(refusal({{"x", {3, 2}}, {"w", {3, 5}}}).find("input w is float32[3,5]"), std::string::npos);
  EXPECT_NE(refusal({{"x", {3, 2}}, {"w", {4, 2}}}).find("where N is 3 already"), std::string::npos);
  EXPECT_NE(refusal({{"x", {3, 2}}, {"w", {3, 2}}, {"v", {1}}}).find("no input v"), std::string::npos);
}

}  // namespace
}  // namespace octet
