#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/program/networks.h"

namespace octet {
namespace {

// uint8 [1,2,2,2], scale 0.5 and zero point 3, through `nodes` to t, and back with a scale of its own.
Model moving(const std::string& nodes, const Constants& constants, float y_scale = 0.5F) {
  Constants all = {{"s", f(0.5F)}, {"z", u8(3)}, {"ys", f(y_scale)}};
  all.insert(all.end(), constants.begin(), constants.end());
  return network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n" + nodes + " y = QuantizeLinear (t, ys, z) }",
                 {value("x", DType::kUint8, SymbolicShape{1, 2, 2, 2})}, all);
}

Tensor indices(const std::vector<std::int64_t>& values) {
  return Tensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

Model padding(float fill, float y_scale = 0.5F) {
  return moving(" t = Pad (a, pads, fill)\n", {{"pads", indices({0, 0, 1, 1, 0, 0, 0, 0})}, {"fill", f(fill)}},
                y_scale);
}

TEST(FuseMoves, PadsBytesByWhatTheNumberQuantizesTo) {
  for (const auto& [fill, byte] : {std::pair{0.0F, 3}, {1.5F, 6}, {1.6F, 6}, {-100.0F, 0}, {1e30F, 255}}) {
    const Program program = lowered(padding(fill), Policy::kExact);
    ASSERT_EQ(operators_of(program), (Names{"Pad"})) << fill;
    EXPECT_EQ(program.steps[0].kind, StepKind::kMove);
    EXPECT_EQ(std::get<work::Move>(program.steps[0].work).fill.int_at(0), byte) << fill;
  }
}

TEST(FuseMoves, PadsBytesByTheZeroPointWhereNoNumberIsSaid) {
  const Program program =
      lowered(moving(" t = Pad (a, pads)\n", {{"pads", indices({0, 0, 1, 0, 0, 0, 0, 0})}}), Policy::kExact);
  ASSERT_EQ(operators_of(program), (Names{"Pad"}));
  EXPECT_EQ(std::get<work::Move>(program.steps[0].work).fill.int_at(0), 3);
}

TEST(FuseMoves, LetsDequantizeLinearPassAPadWhoseNumberComesBack) {
  EXPECT_EQ(operators_of(lowered(padding(1.5F, 0.25F), Policy::kExact)), (Names{"Pad", "Cast", "Gather"}));
  EXPECT_EQ(operators_of(lowered(padding(1.6F, 0.25F), Policy::kExact)).back(), "QuantizeLinear");
}

TEST(FuseMoves, PadsByFiniteNumbersThatAreKnown) {
  for (const float fill : {std::nanf(""), std::numeric_limits<float>::infinity()})
    EXPECT_EQ(operators_of(lowered(padding(fill), Policy::kExact)),
              (Names{"DequantizeLinear", "Pad", "QuantizeLinear"}));
  EXPECT_EQ(operators_of(lowered(padding(0), Policy::kOnnxRuntime)),
            (Names{"DequantizeLinear", "Pad", "QuantizeLinear"}));
}

TEST(FuseMoves, TilesAndGathersBytes) {
  EXPECT_EQ(operators_of(lowered(moving(" t = Tile (a, r)\n", {{"r", indices({1, 2, 1, 1})}}), Policy::kExact)),
            (Names{"Tile"}));
  EXPECT_EQ(
      operators_of(lowered(moving(" t = GatherND (a, i)\n", {{"i", Tensor(DType::kInt64, {1, 2})}}), Policy::kExact)),
      (Names{"GatherND"}));
}

// uint16 or int16 [1,4,2], through one move to t and back, with the same parameters.
Model moving_wide(const std::string& move, Tensor zero_point, const Constants& constants = {}) {
  Constants all = {{"s", f(0.5F)}, {"z", zero_point}};
  all.insert(all.end(), constants.begin(), constants.end());
  return network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n t = " + move + "\n y = QuantizeLinear (t, s, z) }",
                 {value("x", zero_point.dtype(), SymbolicShape{1, 4, 2})}, all);
}

TEST(FuseMoves, MovesIntegersOf16BitsAsTheyAre) {
  const Tensor unsigned_zero = Tensor::scalar(std::uint16_t{40000}), signed_zero = Tensor::scalar(std::int16_t{-7});
  for (const Tensor& zero_point : {unsigned_zero, signed_zero}) {
    const Program turned = lowered(moving_wide("Transpose (a)", zero_point), Policy::kExact);
    ASSERT_EQ(operators_of(turned), (Names{"Transpose"}));
    EXPECT_EQ(turned.steps[0].kind, StepKind::kMove);
    EXPECT_TRUE(std::holds_alternative<work::Move>(turned.steps[0].work));
    EXPECT_EQ(
        operators_of(lowered(moving_wide("Reshape (a, r)", zero_point, {{"r", indices({4, 2})}}), Policy::kExact)),
        (Names{"Reshape"}));
  }
  const Names floats = {"DequantizeLinear", "Tile", "QuantizeLinear"};  // ONNX Runtime has no kernel for 16 bits
  EXPECT_EQ(
      operators_of(lowered(moving_wide("Tile (a, r)", unsigned_zero, {{"r", indices({1, 1, 2})}}), Policy::kExact)),
      floats);
  EXPECT_EQ(operators_of(lowered(moving_wide("Transpose (a)", unsigned_zero), Policy::kOnnxRuntime)),
            (Names{"DequantizeLinear", "Transpose", "QuantizeLinear"}));
}

TEST(FuseMoves, CutsBytesForEachResultOfASplit) {
  Model model = network(
      "main (x) => (y, u, c) { a = DequantizeLinear (x, s, z)\n p, q, c = Split <axis: int = -3> (a, lengths)\n"
      " y = QuantizeLinear (p, s, z)\n u = QuantizeLinear (q, ys, z) }",
      {value("x", DType::kUint8, SymbolicShape{1, 6, 2, 2})},
      {{"s", f(0.5F)}, {"z", u8(3)}, {"ys", f(0.25F)}, {"lengths", indices({1, 2, 3})}});
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(operators_of(program), (Names{"Slice", "DequantizeLinear", "Slice", "Slice", "Cast", "Gather"}));
  const auto& second = std::get<work::Move>(program.steps[2].work);  // u's: channels 1 and 2
  ASSERT_EQ(second.boxes.size(), 1U);
  EXPECT_EQ(second.boxes[0].offset, 4);
  EXPECT_EQ(second.boxes[0].shape, (Shape{1, 2, 2, 2}));
  EXPECT_EQ(operators_of(lowered(model, Policy::kOnnxRuntime))[1], "Split");
}

TEST(FuseMoves, LeavesASplitWholeWhoseLengthsAreNotKnown) {
  Model model =
      network("main (x) => (p, q) { a = DequantizeLinear (x, s, z)\n p, q = Split <axis: int = 0> (a) }",
              {value("x", DType::kUint8, SymbolicShape{Dim::symbol("N"), 2})}, {{"s", f(0.5F)}, {"z", u8(3)}});
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"DequantizeLinear", "Split"}));
}

TEST(FuseMoves, BelievesNoDeclaredLengthOfASplit) {
  Model model =
      network("main (x, n) => (p, q) { a = DequantizeLinear (x, s, z)\n p, q = Split <axis: int = 0> (a, n) }",
              {value("x", DType::kUint8, SymbolicShape{3, 2}), value("n", DType::kInt64, SymbolicShape{2})},
              {{"s", f(0.5F)}, {"z", u8(3)}});
  model.graph.outputs = {value("p", DType::kFloat, SymbolicShape{1, 2}),
                         value("q", DType::kFloat, SymbolicShape{2, 2})};
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"DequantizeLinear", "Split"}));
}

// A function may bring operators of an older opset than the model's.
Model moving_in_opset(const std::string& move, int opset) {
  Model model = moving(" t = " + move + "\n", {});
  model.graph.nodes[1].opset = opset;
  return model;
}

TEST(FuseMoves, LeavesNodesFloatWhoseOwnOpsetTakesNoBytes) {
  const std::string pool = "MaxPool <kernel_shape: ints = [2, 2]> (a)",
                    pad = "Pad <pads: ints = [0, 0, 0, 1, 0, 0, 0, 0], value: float = 1.5> (a)";
  EXPECT_EQ(operators_of(lowered(moving_in_opset(pool, 12), Policy::kExact)), (Names{"MaxPool"}));
  for (const Policy policy : {Policy::kExact, Policy::kOnnxRuntime})
    EXPECT_EQ(operators_of(lowered(moving_in_opset(pool, 11), policy)),
              (Names{"DequantizeLinear", "MaxPool", "QuantizeLinear"}));
  const Program padded = lowered(moving_in_opset(pad, 2), Policy::kExact);
  ASSERT_EQ(operators_of(padded), (Names{"DequantizeLinear", "Pad", "QuantizeLinear"}));
  EXPECT_EQ(padded.steps[1].reason, "Pad takes 8-bit integers from opset 13 on, and this one is of opset 2");
}

}  // namespace
}  // namespace octet
