// Programs run where their memory plan puts them, and compute the same bits.
#include "octet/program/memory_plan.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "octet/onnx/model_file.h"
#include "tests/engine/poisoned_arena.h"
#include "tests/program/networks.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

// With and without aliases and writing in place, and with narrow and wide alignment.
std::string wrong_in_arena(const ReferenceEngine& engine, const NamedTensors& inputs, Reuse& reuse) {
  std::string wrong;
  for (const bool aliases : {false, true})
    for (const bool in_place : {false, true})
      wrong += wrong_in_arena(engine, inputs, {aliases == in_place ? 64 : 1, aliases, in_place}, reuse);
  return wrong;
}

Tensor random_elements(DType dtype, const Shape& shape, std::mt19937& random) {
  Tensor tensor(dtype, shape);
  if (dtype == DType::kFloat)
    for (float& element : tensor.mutable_as<float>()) element = static_cast<float>(random() % 2001) / 500 - 2;
  else
    for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(random());
  return tensor;
}

NamedTensors random_inputs(const Program& program, std::int64_t batch, unsigned seed) {
  std::mt19937 random(seed);
  NamedTensors inputs;
  for (const ProgramInput& input : program.inputs) {
    Shape shape;
    for (const Dim& dim : *input.type.shape) shape.push_back(dim.known() ? dim.value() : batch);
    inputs[program.values[input.value].name] = random_elements(input.type.dtype, shape, random);
  }
  return inputs;
}

// Operators that rename, work on elements, or look at everything, on earlier values; some of them are outputs.
Model random_model(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
  std::vector<std::string> wide = {"x"}, flat = {"v"};  // [N,4,6] and [N,24]
  std::string text, outputs;
  const std::size_t count = 3 + random() % 20;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string result = fmt::format("t{}", k);
    const bool is_wide = random() % 2 == 0;
    std::vector<std::string>&mine = is_wide ? wide : flat, &others = is_wide ? flat : wide;
    // Mostly what was made last, so that values die.
    const auto operand = [&](const std::vector<std::string>& values) {
      return random() % 3 == 0 ? pick(values) : values.back();
    };
    std::string node;
    switch (random() % 8) {
      case 0: node = fmt::format("{} ({})", pick(std::vector<std::string>{"Relu", "Neg", "Abs"}), operand(mine)); break;
      case 1:
      case 2:
        node = fmt::format("{} ({}, {})", pick(std::vector<std::string>{"Add", "Mul", "Sub", "Max"}), operand(mine),
                           operand(mine));
        break;
      case 3:
      case 4: node = fmt::format("Reshape ({}, {})", operand(others), is_wide ? "to_wide" : "to_flat"); break;
      case 5:
        node = fmt::format("{} ({})", pick(std::vector<std::string>{"Identity", "Dropout"}), operand(mine));
        break;
      case 6: node = fmt::format("Softmax ({})", operand(mine)); break;
      default: node = fmt::format("Where (mask, {}, {})", operand(mine), operand(mine)); break;
    }
    if (node.starts_with("Where") && !is_wide) node = fmt::format("Add (bias, {})", operand(mine));
    text += fmt::format(" {} = {}\n", result, node);
    mine.push_back(result);
    if (random() % 6 == 0) outputs += (outputs.empty() ? "" : ", ") + result;
  }
  if (outputs.empty()) outputs = fmt::format("t{}", count - 1);
  Model model = model_from("main (x, v) => (" + outputs + ") {\n" + text + "}",
                           {value("x", DType::kFloat, {{N(), 4, 6}}), value("v", DType::kFloat, {{N(), 24}})}, 17);
  add_initializer(model, "to_wide", Tensor::from<std::int64_t>({3}, {0, 4, 6}));
  add_initializer(model, "to_flat", Tensor::from<std::int64_t>({2}, {0, 24}));
  add_initializer(model, "mask", convert(random_elements(DType::kUint8, {4, 6}, random), DType::kBool));
  add_initializer(model, "bias", random_elements(DType::kFloat, {24}, random));
  return model;
}

// The same operations, some of them in one step with those before.
Program with_longer_steps(Program program, unsigned seed) {
  std::mt19937 random(seed);
  const unsigned most = seed % 3;  // none in every third network
  std::vector<Step> steps;
  for (Step& step : program.steps) {
    if (!steps.empty() && random() % 4 < most)
      steps.back().operations.push_back(std::move(step.operations[0]));
    else
      steps.push_back(std::move(step));
  }
  program.steps = std::move(steps);
  return program;
}

TEST(MemoryPlans, HoldRandomNetworks) {
  Reuse reuse;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const ReferenceEngine engine(with_longer_steps(lowered(random_model(seed), Policy::kAsWritten), seed),
                                 {.threads = 1});
    ASSERT_EQ(wrong_in_arena(engine, random_inputs(engine.program(), 1 + seed % 3, seed), reuse), "")
        << "seed " << seed;
  }
  EXPECT_GT(reuse.aliases, 300U);
  EXPECT_GT(reuse.in_place, 300U);
}

void expect_models_fit(const fs::path& folder, std::int64_t batch, const std::vector<Policy>& policies,
                       const std::vector<bool>& sharing = {false, true}) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
  ASSERT_FALSE(paths.empty());
  for (const fs::path& path : paths)
    for (const Policy policy : policies) {
      const ReferenceEngine engine(lowered(load_model(path), policy));
      const NamedTensors inputs = random_inputs(engine.program(), batch, 1);
      Reuse reuse;
      for (const bool shared : sharing)
        EXPECT_EQ(wrong_in_arena(engine, inputs, {.aliases = shared, .in_place = shared}, reuse), "")
            << path.filename() << ' ' << name(policy);
    }
}

TEST(MemoryPlans, HoldTheNetworksInTheBox) {
  expect_models_fit("models", 1, {Policy::kExact, Policy::kOnnxRuntime, Policy::kAsWritten});
  expect_models_fit("models", 3, {Policy::kExact});
}

TEST(MemoryPlans, HoldTheNetworksOfOthers) {
  const char* shared = std::getenv("OCTET_SHARED");
  const fs::path folder = fs::path(shared ? shared : "../shared") / "models";
  if (!fs::exists(folder)) GTEST_SKIP() << "there are no networks in " << folder << "; set OCTET_SHARED";
  if (kSanitized) return;  // ten times as long: the release build runs them
  expect_models_fit(folder, 1, {Policy::kExact}, {true});
}

// A plan that is wrong is noticed by whoever runs it.
TEST(PoisonedArena, NoticesWrongPlans) {
  const Model model = network("main (x) => (y) { a = Softmax (x)\n b = Softmax (a)\n c = Neg (b)\n y = Add (c, a) }",
                              {value("x", DType::kFloat, SymbolicShape{2, 8})}, {});
  const ReferenceEngine engine(lowered(model, Policy::kAsWritten), {.threads = 1});
  const Program& program = engine.program();
  const NamedTensors inputs = random_inputs(program, 1, 1), wanted = engine.run(inputs);
  const MemoryPlan plan = plan_memory(program);
  const auto named = [&](MemoryPlan& damaged, std::string_view name) -> PlannedValue& {
    return damaged.values[static_cast<std::size_t>(find_value(program, name) - program.values.data())];
  };
  const auto same = [&](const MemoryPlan& damaged) {
    return PoisonedArena(program, damaged, PoisonedArena::Steps::kOneByOne)
        .run(inputs)
        .at("y")
        .identical(wanted.at("y"));
  };
  EXPECT_TRUE(same(plan));

  MemoryPlan early = plan;  // c where a stands, which is needed
  named(early, "c").place = named(early, "a").place;
  EXPECT_FALSE(same(early));

  MemoryPlan together = plan;  // a result where its operand stands
  named(together, "b").place = named(together, "a").place;
  EXPECT_FALSE(same(together));

  MemoryPlan in_place = plan;  // a row is needed for every element of it
  named(in_place, "b").place = named(in_place, "a").place;
  named(in_place, "b").overwrites = static_cast<ValueId>(find_value(program, "a") - program.values.data());
  EXPECT_EQ(error_of([&] { same(in_place); }), ErrorCode::kUsage);

  MemoryPlan small = plan;
  named(small, "b").place->bytes /= 2;
  EXPECT_EQ(error_of([&] { same(small); }), ErrorCode::kUsage);
}

// What the table of byte_reuse.cc says of an operator, by computing: a result written in place is the same whatever
// stands in the other elements, and a renamed one has the bytes of its input.
TEST(MemoryPlans, ReuseBytesOnlyWhereTheOperatorAllowsIt) {
  struct Case {
    std::string nodes;  // from a and b, [4,6], to y
    DType dtype;
  };
  std::vector<Case> cases;
  for (const std::string op : {"Abs",
                               "Acos",
                               "Acosh",
                               "Asin",
                               "Asinh",
                               "Atan",
                               "Atanh",
                               "Ceil",
                               "Celu",
                               "Clip",
                               "Cos",
                               "Cosh",
                               "Elu",
                               "Erf",
                               "Exp",
                               "Floor",
                               "Gelu",
                               "HardSigmoid",
                               "HardSwish",
                               "LeakyRelu",
                               "Log",
                               "Mish",
                               "Neg",
                               "Reciprocal",
                               "Relu",
                               "Round",
                               "Selu",
                               "Sigmoid",
                               "Sign",
                               "Sin",
                               "Sinh",
                               "Softplus",
                               "Softsign",
                               "Sqrt",
                               "Tan",
                               "Tanh",
                               "ThresholdedRelu",
                               "Identity",
                               "Flatten"})
    cases.push_back({fmt::format(" y = {} (a)\n", op), DType::kFloat});
  for (const std::string op : {"Add", "Div", "Max", "Mean", "Min", "Mul", "PRelu", "Pow", "Sub", "Sum"})
    for (const std::string operands : {"a, b", "b, a", "a, a"})
      cases.push_back({fmt::format(" y = {} ({})\n", op, operands), DType::kFloat});
  for (const std::string op : {"And", "Or", "Xor", "Equal"})
    cases.push_back({fmt::format(" y = {} (a, b)\n", op), DType::kBool});
  for (const std::string op :
       {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
    cases.push_back({fmt::format(" y = {} (a, b)\n", op), DType::kUint8});
  cases.push_back({" y = Not (a)\n", DType::kBool});
  cases.push_back({" y = BitwiseNot (a)\n", DType::kUint8});
  cases.push_back({" y = BitShift (a, b)\n", DType::kUint8});
  cases.push_back({" y = Cast <to: int = 3> (a)\n", DType::kUint8});
  cases.push_back({" y = CastLike (a, b)\n", DType::kUint8});
  cases.push_back({" m = Greater (a, b)\n y = Where (m, a, b)\n", DType::kUint8});
  for (const std::string op : {"QLinearAdd", "QLinearMul"})
    for (const std::string operands : {"a, s, z, b, s, z, s, z", "a, s, z, a, s, z, s, z"})
      cases.push_back({fmt::format(" y = {} ({})\n", op, operands), DType::kUint8});
  cases.push_back({" y = QLinearSigmoid (a, s, z, s, z)\n", DType::kUint8});
  cases.push_back({" y = QLinearLeakyRelu (a, s, z, s, z)\n", DType::kUint8});
  for (const Case& one : cases) {
    Model model = network("main (x, v) => (y) { a = Slice (x, from, to)\n b = Slice (v, from, to)\n" + one.nodes + "}",
                          {value("x", one.dtype, SymbolicShape{5, 6}), value("v", one.dtype, SymbolicShape{5, 6})},
                          {{"from", Tensor::from<std::int64_t>({1}, {1})},
                           {"to", Tensor::from<std::int64_t>({1}, {5})},
                           {"s", f(0.5F)},
                           {"z", u8(3)}},
                          20);
    for (Node& node : model.graph.nodes) {
      if (node.op_type.starts_with("QLinear")) node.domain = "com.microsoft";
      if (node.op_type == "BitShift") node.attributes.set("direction", std::string("LEFT"));
    }
    const ReferenceEngine engine(lowered(model, Policy::kAsWritten), {.threads = 1});
    NamedTensors inputs = random_inputs(engine.program(), 1, 7);
    if (one.dtype == DType::kBool)
      for (auto& [name, tensor] : inputs) {
        std::mt19937 random(static_cast<unsigned>(name[0]));
        for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(random() % 2);
      }
    Reuse reuse;
    EXPECT_EQ(wrong_in_arena(engine, inputs, MemoryOptions(), reuse), "") << one.nodes;
    EXPECT_GT(reuse.aliases + reuse.in_place, 0U) << one.nodes;
  }
}

}  // namespace
}  // namespace octet
