// The plans that a fast engine keeps: what they share, what they take together, when they are made.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "octet/engine/fast/batch.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "tests/engine/fast/residual_network.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

constexpr std::int64_t kWidth = 256;

// Matrix products of rows of any number: weights of both types, a float one, and one that two products share.
Program products() {
  Model model = network(R"(main (x) => (y) {
  a = QLinearMatMul (x, s, z, w, ws, wz, s, z)
  b = QLinearMatMul (a, s, z, v, ws, wz, s, z)
  c = QLinearMatMul (b, s, z, w, ws, wz, s, z)
  d = DequantizeLinear (c, s, z)
  y = MatMul (d, m)
})",
                        {value("x", DType::kUint8, {{N(), kWidth}})},
                        {{"s", f(0.05F)},
                         {"z", u8(121)},
                         {"ws", f(0.002F)},
                         {"wz", s8(0)},
                         {"w", random_bytes(DType::kInt8, {kWidth, kWidth}, 1)},
                         {"v", random_bytes(DType::kInt8, {kWidth, kWidth}, 2)},
                         {"m", Tensor(DType::kFloat, {kWidth, 3})}});
  return lowered(std::move(model), Policy::kExact);
}

NamedTensors rows(std::int64_t count) { return {{"x", random_bytes(DType::kUint8, {count, kWidth}, 3)}}; }

TEST(Plans, ShareTheirWeights) {
  for (const fast::Simd& target : fast::simd_targets())
    for (const Program& program : {products(), lowered(residual_network(), Policy::kExact)}) {
      const FastEngine engine(program, {.threads = 1}, target);
      const bool has_rows = program.values[program.inputs[0].value].shape->size() == 2;
      const auto inputs = [&](std::int64_t count) { return has_rows ? rows(count) : residual_inputs(count); };
      engine.run(inputs(2));
      const std::int64_t once = engine.packed_weight_bytes();
      EXPECT_GT(once, 0);
      for (const std::int64_t count : {1, 3, 7})
        EXPECT_TRUE(identical(engine.run(inputs(count)), ReferenceEngine(program).run(inputs(count))));
      EXPECT_EQ(engine.packed_weight_bytes(), once) << target.name;
    }
}

// A product of bytes, and one by floats that are a constant, or behind DequantizeLinear and then computed once. Neg keeps the
// second product from being one of integers.
Program float_product(bool folded) {
  Model model = network(fmt::format(R"(main (x) => (y) {{
  {}a = QLinearMatMul (x, s, z, w, ws, wz, s, z)
  d = DequantizeLinear (a, s, z)
  n = Neg (d)
  y = MatMul (n, m)
}})",
                                    folded ? "m = DequantizeLinear (q, s)\n  " : ""),
                        {value("x", DType::kUint8, {{N(), kWidth}})},
                        {{"s", f(0.5F)},
                         {"z", u8(121)},
                         {"ws", f(0.002F)},
                         {"wz", s8(0)},
                         {"w", random_bytes(DType::kInt8, {kWidth, kWidth}, 1)},
                         {folded ? "q" : "m",
                          folded ? Tensor(DType::kInt8, {kWidth, kWidth}) : Tensor(DType::kFloat, {kWidth, kWidth})}});
  return lowered(std::move(model), Policy::kExact);
}

TEST(Plans, ShareTheWeightsBehindDequantizeLinear) {
  const FastEngine constant(float_product(false)), folded(float_product(true));
  for (const std::int64_t count : {2, 3}) {
    constant.run(rows(count));
    EXPECT_TRUE(identical(folded.run(rows(count)), ReferenceEngine(folded.program()).run(rows(count))));
    EXPECT_EQ(folded.packed_weight_bytes(), constant.packed_weight_bytes()) << count;
  }
}

TEST(Plans, ShareTheWeightsOfStepsThatAreRunAlone) {
  const FastEngine engine(products());
  engine.run(rows(2));
  const std::int64_t once = engine.packed_weight_bytes();
  engine.run(rows(2), {.keep_all = true});
  NamedTensors given = rows(5);
  const std::string& name = engine.program().values[engine.program().inputs[0].value].name;
  engine.run_step(0, {{name, given.at("x")}});
  // Floats that are wanted one by one are computed by their operations.
  EXPECT_EQ(engine.packed_weight_bytes(), once);
}

TEST(Plans, AreSmallBesideWeights) {
  const FastEngine engine(products());
  engine.run(rows(1));
  const std::int64_t one = engine.plan_bytes();
  engine.run(rows(2));
  EXPECT_GT(engine.plan_bytes(), one);
  EXPECT_LT(engine.plan_bytes() - one, 3 * kWidth * kWidth / 2) << "half of the weights of bytes";
}

TEST(Plans, TakeNoMoreThanTheyMay) {
  const Program program = products();
  const ReferenceEngine reference(program);
  std::int64_t of_one = 0;
  {
    const FastEngine engine(program);
    engine.run(rows(100));
    of_one = engine.plan_bytes();
    EXPECT_GT(of_one, 100 * kWidth) << "what it keeps for the next run counts";
  }
  const FastEngine engine(program, {.plan_bytes = 2 * of_one + of_one / 2});
  for (std::int64_t count = 95; count < 105; ++count) {
    EXPECT_TRUE(identical(engine.run(rows(count)), reference.run(rows(count))));
    EXPECT_LE(engine.plan_bytes(), 2 * of_one + of_one / 2);
  }
  EXPECT_GT(engine.plan_bytes(), of_one + of_one / 2) << "room for two";
  const FastEngine narrow(program, {.plan_bytes = 1});
  for (const std::int64_t count : {2, 3, 2})
    EXPECT_TRUE(identical(narrow.run(rows(count)), reference.run(rows(count))));
  EXPECT_GT(narrow.plan_bytes(), 0) << "the latest";
}

TEST(Plans, AreMadeByPrepare) {
  const FastEngine engine(products());
  EXPECT_EQ(engine.plan_bytes(), 0);
  engine.prepare({{"x", {4, kWidth}}});
  const std::int64_t prepared = engine.plan_bytes(), packed = engine.packed_weight_bytes();
  EXPECT_GT(prepared, 0);
  EXPECT_GT(packed, 0);
  engine.prepare({{"x", {4, kWidth}}});
  engine.run(rows(4));
  EXPECT_EQ(engine.plan_bytes(), prepared) << "the run has found it";
}

TEST(Plans, SayWhatDoesNotFitInside) {
  Model model = network(
      "main (x, y) => (z) { z = MatMul (x, y) }",
      {value("x", DType::kFloat, {{N(), Dim::symbol("K")}}), value("y", DType::kFloat, {{Dim::symbol("L"), 2}})}, {});
  const FastEngine engine(lowered(std::move(model), Policy::kExact));
  engine.prepare({{"x", {1, 3}}, {"y", {3, 2}}});
  const Error error = failure_of([&] { engine.prepare({{"x", {1, 3}}, {"y", {4, 2}}}); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_NE(std::string(error.what()).find("[1,3] and [4,2]"), std::string::npos) << error.what();
}

TEST(Plans, AreMadeByManyThreadsAtOnce) {
  const Program program = products();
  const ReferenceEngine reference(program);
  std::vector<NamedTensors> expected;
  for (std::int64_t count = 1; count <= 4; ++count) expected.push_back(reference.run(rows(count)));
  const FastEngine engine(program, {.threads = 2});
  std::vector<std::thread> callers;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 8; ++thread)
    callers.emplace_back([&, thread] {
      for (int i = 0; i < 8; ++i) {
        const std::int64_t count = (thread + i) % 4 + 1;
        right += identical(engine.run(rows(count)), expected[static_cast<std::size_t>(count) - 1]);
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 64);
}

// No memory plan holds what nobody knows the size of before the run; the arena has a place for each of the other values then.
Program with_unknown_size() {
  Model model = network(
      "main (x, mask) => (y, some) { a = QLinearAdd (x, s, z, x, s, z, s, z)\n b = QLinearMul (a, s, z, x, s, z, s, "
      "z)\n"
      " y = QLinearAdd (b, s, z, a, s, z, s, z)\n some = Compress (x, mask) }",
      {value("x", DType::kUint8, {{N()}}), value("mask", DType::kBool, {{Dim::symbol("M")}})},
      {{"s", f(0.5F)}, {"z", u8(7)}});
  for (Node& node : model.graph.nodes)
    if (node.op_type != "Compress") node.domain = "com.microsoft";
  return lowered(std::move(model), Policy::kAsWritten);
}

TEST(Plans, AlignValuesToCacheLinesWithoutAMemoryPlan) {
  const Program program = with_unknown_size();
  const auto bytes_for = [&](std::int64_t elements) {
    const NamedTensors inputs = {{"x", random_bytes(DType::kUint8, {elements}, 1)},
                                 {"mask", Tensor(DType::kBool, {elements})}};
    const FastEngine engine(program);
    EXPECT_TRUE(identical(engine.run(inputs), ReferenceEngine(program).run(inputs)));
    return engine.plan_bytes();
  };
  const std::int64_t one_line = bytes_for(64);
  EXPECT_GT(one_line, 0);
  EXPECT_EQ(bytes_for(5), one_line);
  EXPECT_EQ((bytes_for(65) - one_line) % 64, 0);
  EXPECT_GT(bytes_for(65), one_line);
}

// What comes of a shape that is an input is not known when a plan is made, whatever the file declares its output to be.
TEST(Plans, DoNotBelieveDeclaredShapes) {
  Model model = network("main (x, shape) => (y, z) { y = Reshape (x, shape)\n z = Neg (y) }",
                        {value("x", DType::kFloat, {{2, 6}}), value("shape", DType::kInt64, {{2}})}, {});
  model.graph.outputs[0] = value("y", DType::kFloat, {{3, 4}});
  const Program program = lowered(std::move(model), Policy::kAsWritten);
  EXPECT_EQ(program.values[program.outputs[0]].shape, (SymbolicShape{3, 4}));
  const FastEngine engine(program);
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{4, 3}, {3, 4}, {12, 1}}) {
    const NamedTensors inputs = {{"x", Tensor(DType::kFloat, {2, 6})},
                                 {"shape", Tensor::from<std::int64_t>({2}, shape)}};
    EXPECT_TRUE(identical(engine.run(inputs), ReferenceEngine(program).run(inputs))) << shape[0];
    EXPECT_GT(engine.plan_bytes(), 0) << "the plan fits " << shape[0];
  }
}

TEST(Plans, AreOfProgramsThatSpecializationKeepsTrue) {
  for (const Program& program : {products(), lowered(residual_network(), Policy::kExact)}) {
    const Program special = consistent(specialized(program, {{"N", 3}}));
    for (std::size_t s = 0; s < special.steps.size(); ++s)
      if (const work::Sum* sum = sum_of(special.steps[s].work)) {
        EXPECT_EQ(sum->weights.bytes().data(), sum_of(program.steps[s].work)->weights.bytes().data()) << "not a copy";
      }
  }
}

}  // namespace
}  // namespace octet
