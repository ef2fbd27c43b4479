#include "octet/verify/verify.h"

#include <gtest/gtest.h>

#include "tests/program/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

// Two convolutions' worth of bytes: x -> QLinearConv y -> Transpose u.
Model two_steps() {
  Model model = convolution();
  model.graph.nodes.push_back({.op_type = "DequantizeLinear", .inputs = {"y", "ys", "yz"}, .outputs = {"d"}});
  model.graph.nodes.push_back({.op_type = "Transpose", .inputs = {"d"}, .outputs = {"e"}});
  model.graph.nodes.push_back({.op_type = "QuantizeLinear", .inputs = {"e", "ys", "yz"}, .outputs = {"u"}});
  model.graph.outputs[0].name = "u";
  return model;
}

class Verify : public testing::Test {
 protected:
  Verify() : engine(lower(two_steps(), Policy::kExact), {.threads = 1}) {
    answer.tensors = engine.run(inputs, {.keep_all = true});
  }

  Verification verified() const {
    Verifier verifier(engine);
    verifier.add(inputs, answer);
    return verifier.result();
  }
  void change(const std::string& tensor, std::size_t element, int by) {
    std::int8_t& value = answer.tensors.at(tensor).mutable_as<std::int8_t>()[element];
    value = static_cast<std::int8_t>(value + by);
  }

  const NamedTensors inputs = {{"x", Tensor::from<std::int8_t>({1, 2, 1, 2}, {3, 105, 3, 1})}};
  ReferenceEngine engine;
  JudgeAnswer answer;
};

TEST_F(Verify, FindsEqualWhatIsEqual) {
  const Verification found = verified();
  EXPECT_TRUE(found.identical());
  EXPECT_EQ(found.end_to_end.size(), 2U);
  EXPECT_EQ(found.end_to_end[0].elements, 4);
}

TEST_F(Verify, BlamesTheStepThatDiffersAndNotTheNext) {
  change("y", 1, 1);
  answer.tensors.at("u") = engine.run_step(1, {{"y", answer.tensors.at("y")}}).at("u");
  const Verification found = verified();
  EXPECT_FALSE(found.agrees());
  EXPECT_EQ(found.end_to_end[0].differing, 1);
  EXPECT_EQ(found.end_to_end[1].differing, 1);
  ASSERT_EQ(found.steps.size(), 2U);
  EXPECT_EQ(found.steps[0].differing, 1);
  EXPECT_EQ(found.steps[1].differing, 0);
  ASSERT_EQ(found.witnesses.size(), 1U);
  EXPECT_EQ(found.witnesses[0].tensor, "y");
  EXPECT_EQ(found.witnesses[0].index, (Shape{0, 0, 0, 1}));
}

TEST_F(Verify, DoesNotExcuseAFloatComputationFarFromATie) {
  // Element 0 is exactly 10 / 8 = 1.25.
  answer.made_by["y"] = "QuantizeLinear";
  change("y", 0, 1);
  answer.tensors.erase("u");
  answer.tensors["u"] = engine.run_step(1, {{"y", answer.tensors.at("y")}}).at("u");
  EXPECT_FALSE(verified().agrees());
}

TEST_F(Verify, RefusesWrongTypesAndShapes) {
  answer.tensors.at("y") = answer.tensors.at("y").reshaped({4});
  EXPECT_EQ(verified().end_to_end[0].wrong, "int8[1,2,1,2] against int8[4]");
  EXPECT_FALSE(verified().agrees());
  answer.tensors.at("y") = Tensor(DType::kInt32, {1, 2, 1, 2});
  EXPECT_FALSE(verified().agrees());
}

TEST_F(Verify, WantsTheOutputsOfTheNetwork) {
  answer.tensors.erase("u");
  EXPECT_EQ(verified().missing, (Names{"u"}));
  EXPECT_FALSE(verified().agrees());
}

TEST_F(Verify, WantsSomethingToCompare) {
  answer.tensors = {{"other", Tensor(DType::kInt8, {1})}};
  EXPECT_EQ(failure_of([&] { verified(); }).message(),
            "no tensor that the program computes is on both sides; the other has other");
}

// x = 5 / 2 in units of y: a tie, which float arithmetic may break either way.
TEST(VerifyNearTies, CountsWhatTheJudgeComputedInFloat) {
  const Program program = lower(convolution(), Policy::kExact);
  const ReferenceEngine engine(program, {.threads = 1});
  // 2 * 5 + 10 = 20; 20 / 8 = 2.5
  const NamedTensors inputs = {{"x", Tensor::from<std::int8_t>({1, 2, 1, 2}, {8, 8, 3, 3})}};
  JudgeAnswer answer{engine.run(inputs), "", {{"y", "QuantizeLinear"}}, {}};
  ASSERT_EQ(answer.tensors.at("y").int_at(0), -128 + 2);
  answer.tensors.at("y").mutable_as<std::int8_t>()[0] = -128 + 3;
  Verifier verifier(engine);
  verifier.add(inputs, answer);
  EXPECT_EQ(verifier.result().steps[0].near_ties, 1);
  EXPECT_TRUE(verifier.result().agrees());
  EXPECT_FALSE(verifier.result().identical());

  answer.made_by["y"] = "QLinearConv";  // an integer kernel has no such excuse
  Verifier strict(engine);
  strict.add(inputs, answer);
  EXPECT_FALSE(strict.result().agrees());
}

TEST_F(Verify, DoesNotExcuseWhatNoRoundingLeadsTo) {
  // Every step agrees on the judge's own tensors, which are of another input.
  answer.tensors = engine.run({{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}}, {.keep_all = true});
  const Verification found = verified();
  EXPECT_FALSE(found.agrees());
}

TEST(VerifyOutputs, ComparesThoseThatNoStepMakes) {
  Model model = convolution();
  add_initializer(model, "k", Tensor::from<std::int8_t>({2}, {2, 4}));
  model.graph.outputs.push_back(value("k", DType::kInt8, SymbolicShape{2}));
  const ReferenceEngine engine(lower(model, Policy::kExact), {.threads = 1});
  const NamedTensors inputs = {{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}};
  JudgeAnswer answer{engine.run(inputs), "", {}, {}};
  Verifier right(engine);
  right.add(inputs, answer);
  EXPECT_TRUE(right.result().agrees());
  answer.tensors.at("k").mutable_as<std::int8_t>()[0] = 77;
  Verifier wrong(engine);
  wrong.add(inputs, answer);
  EXPECT_FALSE(wrong.result().agrees());
}

// 25 units of the accumulator are not a rounding.
TEST(VerifyFloats, HoldsIntegerSumsToAFewRoundings) {
  const Model model = network(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s, z)\n y = MatMul (a, w) }",
      {value("x", DType::kInt8, SymbolicShape{1, 2})},
      {{"s", f(0.01F)}, {"z", s8(0)}, {"wq", Tensor::from<std::int8_t>({2, 2}, {100, 100, 100, 100})}});
  const ReferenceEngine engine(lower(model, Policy::kExact), {.threads = 1});
  ASSERT_EQ(operators_of(engine.program()), (Names{"MatMulIntegerToFloat"}));
  const NamedTensors inputs = {{"x", Tensor::from<std::int8_t>({1, 2}, {100, 100})}};
  JudgeAnswer answer{engine.run(inputs), "", {}, {}};
  answer.tensors.at("y").mutable_as<float>()[0] += 0.0001F;  // one unit
  Verifier verifier(engine);
  verifier.add(inputs, answer);
  EXPECT_FALSE(verifier.result().agrees());
}

TEST(VerifyDumps, RefuseDumpsOfDifferentInputs) {
  const ReferenceEngine engine(lower(convolution(), Policy::kExact), {.threads = 1});
  NamedTensors golden = {{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}}, mine = golden;
  mine.at("x").mutable_as<std::int8_t>()[0] = 1;
  Verifier verifier(engine);
  EXPECT_EQ(failure_of([&] { verifier.add_dumps(golden, mine); }).code(), ErrorCode::kUsage);
}

TEST(VerifyDumps, FindsTheFirstStepThatIsWrong) {
  const ReferenceEngine engine(lower(two_steps(), Policy::kExact), {.threads = 1});
  const NamedTensors inputs = {{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}};
  NamedTensors golden = engine.run(inputs, {.keep_all = true}), mine = golden;
  golden.insert(inputs.begin(), inputs.end());
  mine.at("u").mutable_as<std::int8_t>()[0] ^= 1;
  Verifier verifier(engine);
  verifier.add_dumps(golden, mine);
  const Verification& found = verifier.result();
  EXPECT_TRUE(found.steps[0].equal());
  EXPECT_FALSE(found.steps[1].equal());
  EXPECT_EQ(engine.program().steps[found.steps[1].step].kind, StepKind::kMove);
}

TEST(ExposedValues, LeaveOutWhatWouldKeepARuntimeFromFusing) {
  const Model model = two_steps();
  const Model exposed = with_values_exposed(model, lower(model, Policy::kExact));
  Names outputs;
  for (const Value& output : exposed.graph.outputs) outputs.push_back(output.name);
  EXPECT_EQ(outputs, (Names{"u", "y"}));
}

}  // namespace
}  // namespace octet
