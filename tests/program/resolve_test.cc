// Work with numbers small enough for a head. tests/engine/work_test.cc has every kind of work at random.
#include "octet/program/resolve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "octet/spec/registry.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

// A network that may use operators of com.microsoft.
Program lowered_network(const std::string& text, std::vector<Value> inputs, const Constants& constants,
                        Policy policy = Policy::kExact) {
  Model model = network(text, std::move(inputs), constants);
  for (Node& node : model.graph.nodes)
    if (!find_operator("", node.op_type)) node.domain = "com.microsoft";
  return lowered(std::move(model), policy);
}

Program of_one_input(const std::string& node, DType type, SymbolicShape shape, const Constants& constants,
                     Policy policy = Policy::kExact) {
  return lowered_network("main (x) => (y) { y = " + node + " }", {value("x", type, std::move(shape))}, constants,
                         policy);
}

// ---- sums

// int8 [1,2] by [2,2]: alpha 0.75, scales 0.5, {0.25, 2} and 0.125.
Program gemm(const std::string& attributes) {
  return of_one_input("QGemm <" + attributes + "> (x, xs, xz, w, ws, wz, b, ys, yz)", DType::kInt8, {1, 2},
                      {{"xs", f(0.5F)},
                       {"xz", s8(3)},
                       {"w", Tensor::from<std::int8_t>({2, 2}, {1, 2, 3, 4})},
                       {"ws", Tensor::from<float>({2}, {0.25F, 2})},
                       {"wz", Tensor::from<std::int8_t>({2}, {0, 1})},
                       {"b", Tensor::from<std::int32_t>({2}, {10, 20})},
                       {"ys", f(0.125F)},
                       {"yz", s8(7)}});
}

TEST(Resolve, CountsAlphaAmongTheMultipliers) {
  EXPECT_EQ(scaling_of(gemm("alpha: float = 0.75").steps[0].work).multipliers, (std::vector<float>{0.75F, 6.0F}));
}

TEST(Resolve, OrdersWeightsByChannel) {
  // Stored [K, N]: channel 0 has 1 and 3, channel 1 has 2 and 4, less its zero point 1 and 3.
  const Program by_rows = gemm("transB: int = 0");
  const work::Sum& sum = *sum_of(by_rows.steps[0].work);
  EXPECT_EQ(sum.weights, Tensor::from<std::int8_t>({2, 2}, {1, 3, 2, 4}));
  EXPECT_EQ(sum.starts, (std::vector<std::int64_t>{10 - 3 * 4, 20 - 3 * 4}));
  // x - 3 lies within [-131, 124].
  EXPECT_EQ(sum.least, (std::vector<std::int64_t>{10 - 131 * 4, 20 - 131 * 4}));
  EXPECT_EQ(sum.greatest, (std::vector<std::int64_t>{10 + 124 * 4, 20 + 124 * 4}));
  // Stored [N, K]: channel 0 has 1 and 2, channel 1 has 3 and 4, less 1: 2 and 3.
  const Program by_columns = gemm("transB: int = 1");
  const work::Sum& turned = *sum_of(by_columns.steps[0].work);
  EXPECT_EQ(turned.weights, Tensor::from<std::int8_t>({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(turned.starts, (std::vector<std::int64_t>{10 - 3 * 3, 20 - 3 * 5}));
  EXPECT_EQ(turned.least, (std::vector<std::int64_t>{10 - 131 * 3, 20 - 131 * 5}));
}

// ---- moves

const work::Move& move_of(const Program& program) { return std::get<work::Move>(program.steps.at(0).work); }

TEST(Resolve, SaysWhereASliceBegins) {
  // x[:, 3:0:-2] of [2, 4]: columns 3 and 1.
  const Program program = of_one_input("Slice (x, b, e, a, s)", DType::kInt8, {2, 4},
                                       {{"b", Tensor::from<std::int64_t>({1}, {3})},
                                        {"e", Tensor::from<std::int64_t>({1}, {0})},
                                        {"a", Tensor::from<std::int64_t>({1}, {1})},
                                        {"s", Tensor::from<std::int64_t>({1}, {-2})}});
  const work::MoveBox box{.source = 0, .begin = {0, 0}, .shape = {2, 2}, .offset = 3, .strides = {4, -2}};
  EXPECT_EQ(move_of(program).boxes, std::vector<work::MoveBox>{box});
  EXPECT_FALSE(move_of(program).only_renames);
}

TEST(Resolve, FillsWhatIsPadded) {
  const Program program =
      of_one_input("Pad (x, p, c)", DType::kInt8, {2}, {{"p", Tensor::from<std::int64_t>({2}, {1, 0})}, {"c", s8(-7)}});
  const work::MoveBox padding{.source = std::nullopt, .begin = {0}, .shape = {1}, .offset = 0, .strides = {0}},
      rest{.source = 0, .begin = {1}, .shape = {2}, .offset = 0, .strides = {1}};
  EXPECT_EQ(move_of(program).boxes, (std::vector<work::MoveBox>{padding, rest}));
  EXPECT_EQ(move_of(program).fill, s8(-7));
}

TEST(Resolve, KnowsABoxOfEachSource) {
  const Program program = lowered_network(
      "main (a, b) => (y) { y = Concat <axis: int = 1> (a, b) }",
      {value("a", DType::kUint8, SymbolicShape{2, 1}), value("b", DType::kUint8, SymbolicShape{2, 2})}, {});
  const work::MoveBox first{.source = 0, .begin = {0, 0}, .shape = {2, 1}, .offset = 0, .strides = {1, 0}},
      second{.source = 1, .begin = {0, 1}, .shape = {2, 2}, .offset = 0, .strides = {2, 1}};
  EXPECT_EQ(move_of(program).boxes, (std::vector<work::MoveBox>{first, second}));
}

// Of 8 Mi elements, which nothing follows one by one.
TEST(Resolve, TransposesAndJoinsLargeTensorsByFormula) {
  const Program transposed = of_one_input("Transpose <perm: ints = [1, -1, 0]> (x)", DType::kInt8, {4096, 2, 1024}, {});
  const work::MoveBox whole{.source = 0, .begin = {0, 0, 0}, .shape = {2, 1024, 4096}, .strides = {1024, 1, 2048}};
  EXPECT_EQ(move_of(transposed).boxes, std::vector<work::MoveBox>{whole});
  EXPECT_FALSE(move_of(transposed).only_renames);

  const Program joined = lowered_network(
      "main (a, b, c) => (y) { y = Concat <axis: int = -1> (a, b, c) }",
      {value("a", DType::kUint8, SymbolicShape{4096, 1024}), value("b", DType::kUint8, SymbolicShape{4096, 0}),
       value("c", DType::kUint8, SymbolicShape{4096, 1024})},
      {});
  const work::MoveBox left{.source = 0, .begin = {0, 0}, .shape = {4096, 1024}, .strides = {1024, 1}},
      right{.source = 2, .begin = {0, 1024}, .shape = {4096, 1024}, .strides = {1024, 1}};
  EXPECT_EQ(move_of(joined).boxes, (std::vector<work::MoveBox>{left, right}));
}

TEST(Resolve, TellsARenameFromAMove) {
  const Tensor shape = Tensor::from<std::int64_t>({2}, {4, 2});
  EXPECT_TRUE(move_of(of_one_input("Reshape (x, s)", DType::kInt8, {2, 4}, {{"s", shape}})).only_renames);
  EXPECT_FALSE(move_of(of_one_input("Transpose (x)", DType::kInt8, {2, 4}, {})).only_renames);
  EXPECT_TRUE(move_of(of_one_input("Transpose (x)", DType::kInt8, {1, 4}, {})).only_renames);
}

// As converters write it: the batch is read off the shape, so the shape is computed at run time, and known all the same.
TEST(Resolve, KnowsAShapeThatIsComputedFromShapes) {
  const Program program = lowered_network(
      "main (x) => (y) { s = Shape (x)\n n = Gather (s, zero)\n c = Concat <axis: int = 0> (n, rest)\n"
      " y = Reshape (x, c) }",
      {value("x", DType::kUint8, SymbolicShape{N(), 2, 3})},
      {{"zero", Tensor::from<std::int64_t>({1}, {0})}, {"rest", Tensor::from<std::int64_t>({1}, {-1})}});
  EXPECT_EQ(program.steps.back().opaque, "a shape is not known before the run");
  Program forgetful = program;
  for (ProgramValue& value : forgetful.values)
    if (value.constant.empty() && value.name != "x") value.shape = std::nullopt;
  resolve(forgetful);
  EXPECT_EQ(find_value(forgetful, "y")->shape, (SymbolicShape{N(), 6}));
  const Program special = consistent(specialized(program, {{"N", 4}}));
  EXPECT_EQ(special.steps.back().opaque, "");
  EXPECT_TRUE(std::get<work::Move>(special.steps.back().work).only_renames);
}

TEST(Resolve, CountsElementsWhereBoxesWouldBeTooMany) {
  Tensor indices(DType::kInt64, {200});
  for (std::size_t k = 0; k < 200; ++k) indices.mutable_as<std::int64_t>()[k] = static_cast<std::int64_t>(k * k % 97);
  const Program program = of_one_input("Gather (x, i)", DType::kInt8, {97}, {{"i", indices}});
  const work::Move& move = move_of(program);
  EXPECT_TRUE(move.boxes.empty());
  ASSERT_EQ(move.indices.size(), 200U);
  EXPECT_EQ(move.indices[13], 13 * 13 % 97 + 1);
}

// ---- what is opaque

TEST(Resolve, SaysWhyWorkIsOpaque) {
  const auto why = [](const Program& program) { return program.steps.at(0).opaque; };
  const Constants bytes = {{"s", f(1)}, {"z", u8(0)}, {"wz", s8(0)}};
  EXPECT_EQ(why(lowered_network("main (x) => (y, z) { y, z = Split <axis: int = 0> (x) }",
                                {value("x", DType::kUint8, SymbolicShape{2})}, {})),
            "it has several results");
  EXPECT_EQ(
      why(of_one_input("Reshape (x, i)", DType::kUint8, {N(), 2}, {{"i", Tensor::from<std::int64_t>({1}, {-1})}})),
      "a shape is not known before the run");
  EXPECT_EQ(why(lowered_network("main (x, w) => (y) { y = QLinearAdd (x, s, z, w, s, z, s, z) }",
                                {value("x", DType::kUint8, SymbolicShape{5, N()}),
                                 value("w", DType::kUint8, SymbolicShape{5, Dim::symbol("M")})},
                                bytes)),
            "which operand is added first depends on shapes that are not known before the run");
  EXPECT_EQ(
      why(lowered_network("main (x, z) => (y) { y = MatMulInteger (x, w, z) }",
                          {value("x", DType::kUint8, SymbolicShape{2, 2}), value("z", DType::kUint8, SymbolicShape{2})},
                          {{"w", Tensor(DType::kInt8, {2, 2})}})),
      "x has a zero point for each row");
  EXPECT_EQ(
      why(lowered_network("main (x, s) => (y) { y = QGemm <alpha: float = 0.5> (x, s, z, w, ws, wz) }",
                          {value("x", DType::kUint8, SymbolicShape{2, 2}), value("s", DType::kFloat, SymbolicShape{})},
                          {{"z", u8(0)}, {"w", Tensor(DType::kInt8, {2, 2})}, {"ws", f(1)}, {"wz", s8(0)}})),
      "more factors than the scales of x and w, and one of them computed at run time");
}

// ---- what others ask of work

TEST(Work, TellsMultipliersOnlyWhereTheyAreKnown) {
  const Constants constants = {
      {"w", Tensor::from<std::int8_t>({2, 1}, {1, 2})}, {"ws", f(0.5F)}, {"z", u8(0)}, {"wz", s8(0)}};
  const std::string product = "main (x, s) => (y) { y = MatMulIntegerToFloat (x, w, ";
  const std::vector<Value> inputs = {value("x", DType::kUint8, SymbolicShape{1, 2}),
                                     value("s", DType::kFloat, SymbolicShape{})};
  const Program known = lowered_network(product + "ws, ws, z, wz) }", inputs, constants);
  EXPECT_EQ(scaling_of(known.steps[0].work).multipliers, std::vector<float>{0.25F});
  const Program computed = lowered_network(product + "s, ws, z, wz) }", inputs, constants);
  EXPECT_EQ(computed.steps[0].opaque, "");
  EXPECT_TRUE(scaling_of(computed.steps[0].work).multipliers.empty());
}

TEST(Work, TellsMeaningsInTheOrderOfOperands) {
  const Program sum =
      lowered_network("main (x, w) => (y) { y = QLinearAdd (x, s, z, w, t, u, v, z) }",
                      {value("x", DType::kUint8, SymbolicShape{2}), value("w", DType::kUint8, SymbolicShape{2})},
                      {{"s", f(1)}, {"t", f(2)}, {"v", f(3)}, {"z", u8(4)}, {"u", u8(5)}});
  const std::optional<Meanings> meanings = meanings_of(sum.steps[0].work);
  EXPECT_EQ(meanings.value().inputs, (std::vector<Quantization>{{1, 4}, {2, 5}}));
  EXPECT_EQ(meanings->output, (Quantization{3, 4}));
  const Program largest = of_one_input("MaxPool <kernel_shape: ints = [2]> (x)", DType::kUint8, {1, 1, 4}, {});
  EXPECT_FALSE(meanings_of(largest.steps[0].work));  // it has none of its own
}

// ---- integers or not

TEST(Program, CallsNoStepIntegerThatSumsInFloat) {
  const Constants meanings = {{"s", f(0.5F)}, {"z", u8(3)}};
  const auto pool = [&](const std::string& kernel) {
    const Program program = of_one_input("QLinearAveragePool <kernel_shape: ints = " + kernel + "> (x, s, z, s, z)",
                                         DType::kUint8, {1, 1, 4, 4}, meanings);
    return is_integer(program.steps.at(0));
  };
  EXPECT_FALSE(pool("[2, 2]"));
  EXPECT_TRUE(pool("[4, 4]"));  // the whole image is summed in integers
  EXPECT_TRUE(is_integer(
      of_one_input("QLinearGlobalAveragePool (x, s, z, s, z)", DType::kUint8, {1, 1, 4, 4}, meanings).steps.at(0)));
  EXPECT_FALSE(is_integer(
      of_one_input("QLinearSoftmax <opset: int = 13> (x, s, z, s, z)", DType::kUint8, {1, 4}, meanings).steps.at(0)));
  EXPECT_TRUE(is_integer(
      of_one_input("MaxPool <kernel_shape: ints = [2, 2]> (x)", DType::kUint8, {1, 1, 4, 4}, {}).steps.at(0)));
  EXPECT_FALSE(is_integer(of_one_input("Relu (x)", DType::kFloat, {4}, {}).steps.at(0)));
  const Program at_run_time = lowered_network(
      "main (x, r) => (y) { y = QLinearAveragePool <kernel_shape: ints = [2, 2]> (x, s, z, r, z) }",
      {value("x", DType::kUint8, SymbolicShape{1, 1, 4, 4}), value("r", DType::kFloat, SymbolicShape{})}, meanings);
  EXPECT_FALSE(is_integer(at_run_time.steps.at(0)));
}

// ---- what can't run

TEST(Resolve, SaysWhichRuleAStepBreaks) {
  const Constants meanings = {{"s", f(0.5F)}, {"z", u8(3)}};
  const Program program = of_one_input("QLinearAveragePool <kernel_shape: ints = [1]> (x, s, z, s, z)", DType::kUint8,
                                       {5}, meanings, Policy::kAsWritten);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(program.steps.at(0).work));
  EXPECT_NE(program.steps[0].opaque.find("qlinear_average_pool_c3"), std::string::npos) << program.steps[0].opaque;
}

TEST(Specialized, RefusesSizesThatDoNotFit) {
  const Program program = lowered_network(
      "main (a, b) => (y) { y = QLinearAdd (a, s, z, b, s, z, s, z) }",
      {value("a", DType::kUint8, SymbolicShape{N(), 3}), value("b", DType::kUint8, SymbolicShape{3, 3})},
      {{"s", f(0.5F)}, {"z", u8(3)}});
  EXPECT_EQ(find_value(specialized(program, {{"N", 1}}), "y")->shape, (SymbolicShape{3, 3}));
  EXPECT_EQ(failure_of([&] { specialized(program, {{"N", 2}}); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(failure_of([&] { specialized(program, {{"N", -1}}); }).code(), ErrorCode::kUsage);
}

// Numbers of elements would fill memory, and finding them would take minutes.
TEST(Resolve, FollowsElementsWithinABudget) {
  std::string text = "main (x) => (y) { v0 = DepthToSpace <blocksize: int = 2> (x)\n";
  for (int k = 0; k < 40; ++k)
    text += " u" + std::to_string(k) + " = SpaceToDepth <blocksize: int = 2> (v" + std::to_string(k) + ")\n v" +
            std::to_string(k + 1) + " = DepthToSpace <blocksize: int = 2> (u" + std::to_string(k) + ")\n";
  const Program program =
      lower(network(text + " y = Identity (v40) }", {value("x", DType::kUint8, SymbolicShape{1, 4, 256, 256})}, {}),
            Policy::kExact);
  std::size_t kept = 0, given_up = 0;
  for (const Step& step : program.steps) {
    const auto* move = std::get_if<work::Move>(&step.work);
    kept += move ? move->indices.size() : 0;
    given_up += step.opaque == "too many elements to follow each";
  }
  EXPECT_GT(kept, 0U);
  EXPECT_LE(kept, std::size_t{1} << 22);
  EXPECT_GT(given_up, 0U);
}

TEST(Resolve, LooksAtNoElementOfARename) {
  const Program program = of_one_input("Reshape (x, i)", DType::kFloat, {std::int64_t{1} << 20, std::int64_t{1} << 20},
                                       {{"i", Tensor::from<std::int64_t>({1}, {-1})}});
  EXPECT_TRUE(std::get<work::Move>(program.steps.at(0).work).only_renames);
}

// ---- consistency

class Consistency : public testing::Test {
 protected:
  std::string complaint() const {
    return failure_of([&] { require_consistent(program); }).message();
  }
  // QLinearConv, its clamp and a Transpose behind it.
  Program program = lowered(
      [] {
        Model model = convolution({"r", " r = Relu (t)\n", 0.125F, 7});
        model.graph.nodes.push_back({.op_type = "Transpose", .inputs = {"y"}, .outputs = {"z"}});
        model.graph.outputs.push_back(value("z", DType::kUndefined, std::nullopt));
        return model;
      }(),
      Policy::kExact);
};

TEST_F(Consistency, HoldsForWhatLowerMakes) { require_consistent(program); }

TEST_F(Consistency, SeesAStaleShape) {
  for (ProgramValue& value : program.values)
    if (value.name == "z") value.shape = SymbolicShape{1, 2, 2, 1};
  EXPECT_EQ(complaint(), "the program is not consistent: z: its shape is stale");
}

TEST_F(Consistency, SeesAStaleType) {
  for (ProgramValue& value : program.values)
    if (value.name == "z") value.dtype = DType::kUint8;
  EXPECT_EQ(complaint(), "the program is not consistent: z: its type is stale");
}

TEST_F(Consistency, SeesAStaleMeaning) {
  for (ProgramValue& value : program.values)
    if (value.name == "y") value.quantization->zero_point += 1;
  EXPECT_EQ(complaint(), "the program is not consistent: y: what its integers mean is stale");
}

TEST_F(Consistency, SeesStaleWork) {
  std::get<work::Convolution>(program.steps[0].work).sum.bias[0] += 1;
  EXPECT_EQ(complaint(), "the program is not consistent: " + program.steps[0].name + ": its work is stale");
}

TEST_F(Consistency, SeesAReasonThatIsStale) {
  program.steps[0].opaque = "it was";
  EXPECT_EQ(complaint(), "the program is not consistent: " + program.steps[0].name + ": its work is stale");
}

TEST_F(Consistency, SeesADoubledHazard) {
  program = lowered_network(
      "main (x) => (y) { q = QuantizeLinear (x, a, z)\n m = Identity (q)\n y = DequantizeLinear (m, b, z) }",
      {value("x", DType::kFloat, SymbolicShape{2})}, {{"a", f(0.5F)}, {"b", f(0.25F)}, {"z", s8(0)}},
      Policy::kAsWritten);
  ASSERT_EQ(program.steps[2].hazards.size(), 1U);
  program.steps[2].hazards.push_back(program.steps[2].hazards[0]);
  EXPECT_EQ(complaint(), "the program is not consistent: y: its hazards are stale");
  resolve(program);
  EXPECT_EQ(program.steps[2].hazards.size(), 1U);
  require_consistent(program);
}

TEST_F(Consistency, WantsValuesMadeBeforeTheyAreRead) {
  std::swap(program.steps[0], program.steps[1]);
  EXPECT_EQ(complaint(), "the program is not consistent: z: y is read before it is made");
}

TEST_F(Consistency, WantsValuesMadeOnce) {
  program.steps.push_back(program.steps[1]);
  EXPECT_EQ(complaint(), "the program is not consistent: z: z is made twice");
}

TEST_F(Consistency, WantsOutputsMade) {
  program.steps.pop_back();
  EXPECT_EQ(complaint(), "the program is not consistent: z: an output that nothing makes");
}

TEST_F(Consistency, WantsStepsToDoSomething) {
  program.steps[1].operations.clear();
  EXPECT_EQ(complaint(), "the program is not consistent: z: it has no operation");
}

TEST_F(Consistency, WantsConstantsToBeWhatTheySay) {
  for (ProgramValue& value : program.values)
    if (value.name == "xz") value.constant = u8(3);
  EXPECT_EQ(complaint(), "the program is not consistent: xz: its type or shape is not that of the constant");
}

TEST_F(Consistency, LetsScalesBeNoNumbers) {
  program = of_one_input("DequantizeLinear (x, s)", DType::kInt8, {2}, {{"s", f(std::nanf(""))}});
  require_consistent(program);
}

// ---- symbols

TEST(Specialized, GivesSymbolsTheirNumbers) {
  const Program program = lowered_network(
      "main (x, v) => (y, u) { y = Transpose (x)\n u = Transpose (v) }",
      {value("x", DType::kInt8, SymbolicShape{N(), 3}), value("v", DType::kInt8, SymbolicShape{Dim::symbol("M"), 3})},
      {});
  const Program special = consistent(specialized(program, {{"N", 2}, {"K", 9}}));
  EXPECT_EQ(find_value(special, "y")->shape, (SymbolicShape{3, 2}));
  EXPECT_EQ(find_value(special, "u")->shape, (SymbolicShape{3, Dim::symbol("M")}));
  EXPECT_EQ(special.inputs[0].type.shape, (SymbolicShape{2, 3}));
  EXPECT_EQ(special.steps[0].opaque, "");
  EXPECT_EQ(special.steps[1].opaque, "a shape is not known before the run");
}

// FLOAT is what 0, the default, is too.
TEST(Resolve, QuantizesInFloatThatIsSaid) {
  const auto opaque = [](int precision) {
    return lowered(network("main (x) => (y) { y = QuantizeLinear <precision: int = " + std::to_string(precision) +
                               "> (x, s, z) }",
                           {value("x", DType::kFloat, SymbolicShape{2})}, {{"s", f(0.5F)}, {"z", u8(3)}}, 23),
                   Policy::kAsWritten)
        .steps[0]
        .opaque;
  };
  EXPECT_EQ(opaque(0), "");
  EXPECT_EQ(opaque(1), "");
  EXPECT_EQ(opaque(16), "another precision than float32");
}

}  // namespace
}  // namespace octet
