#include "octet/verify/verify.h"

#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
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
  Verify() : engine(lowered(two_steps(), Policy::kExact), {.threads = 1}) {
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
            "no tensor that the program computes is on both sides; the other has other. The policy as-written computes "
            "every tensor of the file");
}

// x = 5 / 2 in units of y: a tie, which float arithmetic may break either way.
TEST(VerifyNearTies, CountsWhatTheJudgeComputedInFloat) {
  const Program program = lowered(convolution(), Policy::kExact);
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
  const ReferenceEngine engine(lowered(model, Policy::kExact), {.threads = 1});
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
  const ReferenceEngine engine(lowered(model, Policy::kExact), {.threads = 1});
  ASSERT_EQ(operators_of(engine.program()), (Names{"MatMulIntegerToFloat"}));
  const NamedTensors inputs = {{"x", Tensor::from<std::int8_t>({1, 2}, {100, 100})}};
  JudgeAnswer answer{engine.run(inputs), "", {}, {}};
  answer.tensors.at("y").mutable_as<float>()[0] += 0.0001F;  // one unit
  Verifier verifier(engine);
  verifier.add(inputs, answer);
  EXPECT_FALSE(verifier.result().agrees());
}

TEST(VerifyFloats, HoldsSumsInFloatToTheSumsBound) {
  const Model model = network(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s, z)\n y = MatMul (a, w) }",
      {value("x", DType::kInt8, SymbolicShape{1, 2})},
      {{"s", f(0.01F)}, {"z", s8(0)}, {"wq", Tensor::from<std::int8_t>({2, 2}, {100, 100, 100, 50})}});
  const ReferenceEngine engine(lowered(model, Policy::kExact), {.threads = 1});
  // 1 - 0.99: what is left is small, what was added up is not. (2 + 16) * 2^-23 * 1.99 is 4.27e-06.
  const NamedTensors inputs = {{"x", Tensor::from<std::int8_t>({1, 2}, {100, -99})}};
  JudgeAnswer answer{engine.run(inputs), "", {}, {}};
  answer.tensors.at("y").mutable_as<float>()[0] += 4e-6F;
  const auto verdict = [&] {
    Verifier verifier(engine);
    verifier.add(inputs, answer);
    return verifier.result().steps[0];
  };
  for (const char* op : {"", "MatMul"}) {
    answer.made_by["y"] = op;
    EXPECT_EQ(verdict().differing, 0) << op;
  }
  answer.made_by["y"] = "MatMulIntegerToFloat";  // its sum is exact
  EXPECT_EQ(verdict().differing, 1);
  EXPECT_LT(verdict().tolerance,
            verdict().largest);  // of the element that differs, not of the other, which is 50 times it
  answer.made_by["y"] = "MatMul";
  answer.tensors.at("y").mutable_as<float>()[0] += 1e-6F;
  EXPECT_EQ(verdict().differing, 1);
}

TEST(VerifyDumps, RefuseDumpsOfDifferentInputs) {
  const ReferenceEngine engine(lowered(convolution(), Policy::kExact), {.threads = 1});
  NamedTensors golden = {{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}}, mine = golden;
  mine.at("x").mutable_as<std::int8_t>()[0] = 1;
  Verifier verifier(engine);
  EXPECT_EQ(failure_of([&] { verifier.add_dumps(golden, mine); }).code(), ErrorCode::kUsage);
}

TEST(VerifyDumps, FindsTheFirstStepThatIsWrong) {
  const ReferenceEngine engine(lowered(two_steps(), Policy::kExact), {.threads = 1});
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

// Pairs of products: 255 * 127 + 255 * 127 = 64770 leaves 16 bits; 1 * 127 + 0 does not.
class VerifySaturation : public testing::Test {
 protected:
  VerifySaturation()
      : engine(lowered(network("main (a, b) => (y) { y = MatMulInteger (a, b) }",
                               {value("a", DType::kUint8, SymbolicShape{1, 4}),
                                value("b", DType::kInt8, SymbolicShape{4, 2})},
                               {}),
                       Policy::kExact),
               {.threads = 1}) {}

  Verification verified(std::int32_t first, std::int32_t second) const {
    Verifier verifier(engine);
    verifier.add(inputs, {{{"y", Tensor::from<std::int32_t>({1, 2}, {first, second})}}, "", {}, {}});
    return verifier.result();
  }

  const NamedTensors inputs = {{"a", Tensor::from<std::uint8_t>({1, 4}, {255, 255, 1, 0})},
                               {"b", Tensor::from<std::int8_t>({4, 2}, {127, 1, 127, 1, 127, 1, 0, 0})}};
  ReferenceEngine engine;
};

TEST_F(VerifySaturation, IsNamedWhereItExplainsEveryDifference) {
  const Verification found = verified(32767 + 127, 511);
  EXPECT_FALSE(found.agrees());
  EXPECT_TRUE(found.differs_by_saturation());
  EXPECT_EQ(found.steps[0].differing, 1);
  EXPECT_EQ(found.steps[0].saturated, 1);
  ASSERT_EQ(found.witnesses.size(), 1U);
  EXPECT_TRUE(found.witnesses[0].saturated);
  EXPECT_EQ(found.witnesses[0].index, (Shape{0, 0}));
  EXPECT_TRUE(verified(64770 + 127, 511).identical());
}

TEST_F(VerifySaturation, ExcusesNothingElse) {
  const Verification near = verified(32767 + 126, 511);  // not quite
  EXPECT_FALSE(near.differs_by_saturation());
  EXPECT_EQ(near.steps[0].saturated, 0);
  const Verification mixed = verified(32767 + 127, 512);  // and a mistake besides
  EXPECT_FALSE(mixed.differs_by_saturation());
  EXPECT_EQ(mixed.steps[0].differing, 2);
  EXPECT_EQ(mixed.steps[0].saturated, 0);
  ASSERT_EQ(mixed.witnesses.size(), 1U);
  EXPECT_FALSE(mixed.witnesses[0].saturated);
}

// The inputs of a step are there for the call alone, and a witness that is not kept is not described.
TEST_F(VerifySaturation, DescribesEachWitnessThatIsKept) {
  std::vector<std::string> described;
  Verifier verifier(engine, Floats::kWithinTolerance, [&](Witness& witness, const NamedTensors& read, bool first) {
    EXPECT_TRUE(read.at("a").identical(inputs.at("a")));
    EXPECT_TRUE(first);
    described.push_back(witness.saturated ? "saturated" : "wrong");
    witness.note = described.back();
  });
  const auto add = [&](std::int32_t first, std::int32_t second) {
    verifier.add(inputs, {{{"y", Tensor::from<std::int32_t>({1, 2}, {first, second})}}, "", {}, {}});
  };
  add(32767 + 127, 511);
  add(32767 + 127, 511);
  EXPECT_EQ(described, std::vector<std::string>{"saturated"});
  add(64770 + 127, 510);  // takes the place of the first
  add(64770 + 127, 509);
  EXPECT_EQ(described, (std::vector<std::string>{"saturated", "wrong"}));
  ASSERT_EQ(verifier.result().witnesses.size(), 1U);
  EXPECT_EQ(verifier.result().witnesses[0].note, "wrong");
}

// In a later batch the mistake takes the place of the witness.
TEST_F(VerifySaturation, GivesWayToAMistakeAsTheWitness) {
  Verifier verifier(engine);
  verifier.add(inputs, {{{"y", Tensor::from<std::int32_t>({1, 2}, {32767 + 127, 511})}}, "", {}, {}});
  verifier.add(inputs, {{{"y", Tensor::from<std::int32_t>({1, 2}, {64770 + 127, 510})}}, "", {}, {}});
  const Verification& found = verifier.result();
  EXPECT_EQ(found.steps[0].differing, 2);
  EXPECT_EQ(found.steps[0].saturated, 1);
  EXPECT_FALSE(found.differs_by_saturation());
  ASSERT_EQ(found.witnesses.size(), 1U);
  EXPECT_FALSE(found.witnesses[0].saturated);
  EXPECT_EQ(found.witnesses[0].index, (Shape{0, 1}));
}

// The floats that follow from a saturated sum are excused, other floats are not.
TEST(VerifySaturatedFloats, AreHeldToTheSaturatedSum) {
  Model model = network("main (a, b) => (y) { y = MatMulIntegerToFloat (a, b, as, bs) }",
                        {value("a", DType::kUint8, SymbolicShape{1, 2}), value("b", DType::kInt8, SymbolicShape{2, 1})},
                        {{"as", f(0.5F)}, {"bs", f(0.25F)}});
  model.graph.nodes[0].domain = "com.microsoft";
  const ReferenceEngine engine(lowered(model, Policy::kExact), {.threads = 1});
  const NamedTensors inputs = {{"a", Tensor::from<std::uint8_t>({1, 2}, {255, 255})},
                               {"b", Tensor::from<std::int8_t>({2, 1}, {-128, -128})}};
  const auto verified = [&](float y) {
    Verifier verifier(engine);
    verifier.add(inputs, {{{"y", Tensor::from<float>({1, 1}, {y})}}, "", {}, {}});
    return verifier.result();
  };
  EXPECT_TRUE(verified(-65280 * 0.125F).identical());
  EXPECT_TRUE(verified(-32768 * 0.125F).differs_by_saturation());
  EXPECT_FALSE(verified(-32769 * 0.125F).differs_by_saturation());
}

// x -> p -> y -> d (dequantized: no judge is asked for it) -> e -> f; 16, 4, 16 and 16 bytes without d.
class VerifyGroups : public testing::Test {
 protected:
  VerifyGroups()
      : model(network("main (x) => (f) { p = MaxPool <kernel_shape: ints = [1, 1]> (x)\n"
                      " y = MaxPool <kernel_shape: ints = [2, 2], strides: ints = [2, 2]> (p)\n"
                      " d = DequantizeLinear (y, s, z)\n e = Exp (d)\n f = Add (e, d) }",
                      {value("x", DType::kInt8, SymbolicShape{1, 1, 4, 4})},
                      {{"s", Tensor::scalar(0.5F)}, {"z", s8(0)}})),
        engine(lowered(model, Policy::kExact), {.threads = 1}),
        all(engine.run(inputs, {.keep_all = true})) {}

  std::vector<StepGroup> groups(std::int64_t budget) const {
    return group_steps(engine.program(), exposable_values(model, engine.program()), value_sizes(engine, inputs),
                       budget);
  }
  Verification verified(std::int64_t budget) const {
    Verifier verifier(engine);
    verifier.add(inputs, groups(budget), [&](const StepGroup& group) {
      JudgeAnswer answer{{{"f", all.at("f")}}, "", {}, {}};  // no more than it is asked for
      for (const std::string& tensor : group.tensors) answer.tensors[tensor] = all.at(tensor);
      return answer;
    });
    return verifier.result();
  }

  const NamedTensors inputs = {
      {"x", Tensor::from<std::int8_t>({1, 1, 4, 4}, {3, -1, 0, 2, 1, 2, -3, -4, 0, 0, 1, 1, -9, 0, 4, 1})}};
  const Model model;
  ReferenceEngine engine;
  NamedTensors all;
};

TEST_F(VerifyGroups, AreAsLongAsTheBudgetAllows) {
  ASSERT_EQ(engine.program().steps.size(), 5U);
  const std::vector<StepGroup> one = groups(52);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].bytes, 52);
  EXPECT_EQ(one[0].tensors, (std::set<std::string>{"e", "f", "p", "y"}));
  EXPECT_TRUE(one[0].before.empty());

  // The second group reads d, which is computed again from y, which is asked for again.
  const std::vector<StepGroup> two = groups(51);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].end, 3U);
  EXPECT_EQ(two[0].bytes, 16 + 4 + 16);  // f is an output: it is always there
  EXPECT_EQ(two[1].first, 3U);
  EXPECT_EQ(two[1].end, 5U);
  EXPECT_EQ(two[1].before, (std::vector<std::size_t>{2}));
  EXPECT_EQ(two[1].tensors, (std::set<std::string>{"e", "f", "y"}));
  EXPECT_EQ(two[0].kept, (std::set<std::string>{"f", "y"}));  // for the second group, and an output
  EXPECT_EQ(two[1].kept, (std::set<std::string>{"f"}));
  EXPECT_EQ(failure_of([&] { groups(35); }).code(), ErrorCode::kLimit);
}

TEST_F(VerifyGroups, GiveTheSameVerdict) {
  for (const bool wrong : {false, true}) {
    if (wrong) all.at("e").mutable_as<float>()[1] = 70;
    const Verification whole = verified(1000), parts = verified(36);
    EXPECT_EQ(whole.runs, 1);
    EXPECT_EQ(parts.runs, 2);
    EXPECT_EQ(whole.identical(), !wrong);
    EXPECT_EQ(parts.identical(), !wrong);
    ASSERT_EQ(whole.steps.size(), 4U);
    ASSERT_EQ(parts.steps.size(), 4U);
    for (std::size_t i = 0; i < whole.steps.size(); ++i) {
      EXPECT_EQ(whole.steps[i].tensor, parts.steps[i].tensor);
      EXPECT_EQ(whole.steps[i].elements, parts.steps[i].elements);
      EXPECT_EQ(whole.steps[i].differing, parts.steps[i].differing);
      EXPECT_EQ(whole.end_to_end[i].differing, parts.end_to_end[i].differing);
    }
    EXPECT_EQ(whole.rounded_before, parts.rounded_before);
  }
}

// e and f are right for the y that the judge has.
TEST_F(VerifyGroups, HandOverTheJudgesTensors) {
  all.at("y").mutable_as<std::int8_t>()[1] += 2;
  for (std::size_t step = 2; step < 5; ++step)
    for (const auto& [tensor, values] : engine.run_step(step, all)) all.at(tensor) = values;
  for (const std::int64_t budget : {1000, 36}) {
    const Verification found = verified(budget);
    EXPECT_EQ(found.steps[1].differing, 1) << budget;
    EXPECT_TRUE(found.steps[2].equal()) << budget;
    EXPECT_TRUE(found.steps[3].equal()) << budget;
    EXPECT_EQ(found.end_to_end[3].differing, 1) << budget;
  }
}

TEST(VerifyDumps, CheckStepsThoughTheInputIsInNeither) {
  const ReferenceEngine engine(lowered(two_steps(), Policy::kExact), {.threads = 1});
  const NamedTensors golden = engine.run({{"x", Tensor(DType::kInt8, {1, 2, 1, 2})}}, {.keep_all = true});
  NamedTensors mine = golden;
  mine.at("u").mutable_as<std::int8_t>()[0] ^= 1;
  Verifier verifier(engine);
  verifier.add_dumps(golden, mine);
  ASSERT_EQ(verifier.result().steps.size(), 1U);
  EXPECT_EQ(verifier.result().steps[0].tensor, "u");
  EXPECT_EQ(verifier.result().steps[0].differing, 1);
}

TEST(ExposedValues, LeaveOutWhatWouldKeepARuntimeFromFusing) {
  const Model model = two_steps();
  const Model exposed = with_values_exposed(model, lowered(model, Policy::kExact));
  Names outputs;
  for (const Value& output : exposed.graph.outputs) outputs.push_back(output.name);
  EXPECT_EQ(outputs, (Names{"u", "y"}));
}

}  // namespace
}  // namespace octet
