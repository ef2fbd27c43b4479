#include "octet/program/group_epilogues.h"

#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
#include "octet/onnx/model_file.h"
#include "octet/spec/registry.h"
#include "tests/program/networks.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

constexpr const char* kScales = ", s, z, ";

// Of int8 [1, 2]; c is a constant, every scale 0.5 and every zero point 3. A table of 256 bytes is `t`.
Program program_of(const std::string& nodes, const std::string& outputs = "y") {
  Tensor table(DType::kInt8, {256});
  for (std::size_t k = 0; k < 256; ++k) table.mutable_bytes()[k] = static_cast<std::byte>(255 - k);
  Model model = network("main (a, b) => (" + outputs + ") { " + nodes + " }",
                        {value("a", DType::kInt8, SymbolicShape{1, 2}), value("b", DType::kInt8, SymbolicShape{1, 2})},
                        {{"s", f(0.5F)},
                         {"z", s8(3)},
                         {"w", Tensor::from<std::int8_t>({2, 2}, {3, -4, 5, 6})},
                         {"c", Tensor::from<std::int8_t>({1, 2}, {9, -20})},
                         {"row", Tensor::from<std::int8_t>({1, 1}, {9})},
                         {"low", s8(-5)},
                         {"high", s8(60)}});
  for (Node& node : model.graph.nodes)
    if (!find_operator("", node.op_type)) node.domain = "com.microsoft";
  return lowered(std::move(model), Policy::kExact);
}

std::string product(const std::string& y, const std::string& x) {
  return " " + y + " = QLinearMatMul (" + x + kScales + "w" + kScales + "s, z)\n";
}
std::string sum(const std::string& y, const std::string& a, const std::string& b) {
  return " " + y + " = QLinearAdd (" + a + kScales + b + kScales + "s, z)\n";
}

struct Grouped {
  std::vector<std::string> names;  // of the steps' results, in order
  std::vector<std::size_t> sizes;  // operations of each step
  Program program;
};

// Checks that nothing else changes.
Grouped grouped(const Program& program) {
  Grouped result{{}, {}, consistent(group_epilogues(program))};
  const NamedTensors inputs = {{"a", Tensor::from<std::int8_t>({1, 2}, {10, -70})},
                               {"b", Tensor::from<std::int8_t>({1, 2}, {-33, 120})}};
  EXPECT_EQ(ReferenceEngine(result.program).run(inputs, {.keep_all = true}),
            ReferenceEngine(program).run(inputs, {.keep_all = true}));
  for (const Step& step : result.program.steps) {
    EXPECT_EQ(step.opaque, "");
    result.sizes.push_back(step.operations.size());
    for (const ValueId output : outputs_of(result.program, step))
      result.names.push_back(result.program.values[output].name);
  }
  return result;
}

using Sizes = std::vector<std::size_t>;

template <typename Stage>
const Stage& stage(const Program& program, std::size_t step, std::size_t number) {
  return std::get<Stage>(epilogue_of(program.steps.at(step).work)->at(number));
}

TEST(GroupEpilogues, TakesUpAResidualAdditionAndAClamp) {
  const Grouped found = grouped(program_of(product("p", "a") + sum("q", "p", "b") + " y = Clip (q, low, high)"));
  ASSERT_EQ(found.sizes, (Sizes{3}));
  const auto& combine = stage<work::Combine>(found.program, 0, 1);
  EXPECT_EQ(found.program.values[combine.other].name, "b");
  EXPECT_FALSE(combine.other_first);
  EXPECT_EQ(stage<work::Clamp>(found.program, 0, 2), (work::Clamp{-5, 60}));
  EXPECT_EQ(found.program.steps[0].kind, StepKind::kMatMul);
  EXPECT_EQ(found.program.steps[0].sources.size(), 3U);
}

TEST(GroupEpilogues, JoinsWhatIsSaidOfTheSteps) {
  Program program = program_of(product("p", "a") + sum("q", "p", "b") + " y = Clip (q, low, high)");
  program.steps[0].reason = "one";
  program.steps[2].reason = "two";
  program.steps[0].warnings = {"a"};
  program.steps[1].warnings = {"b"};
  const Program together = consistent(group_epilogues(program));
  ASSERT_EQ(together.steps.size(), 1U);
  EXPECT_EQ(together.steps[0].name, "p");
  EXPECT_EQ(together.steps[0].reason, "one; two");
  EXPECT_EQ(together.steps[0].warnings, (Names{"a", "b"}));
}

TEST(GroupEpilogues, KeepsTheOrderOfOperands) {
  const Grouped found = grouped(program_of(product("p", "a") + sum("y", "b", "p")));
  ASSERT_EQ(found.sizes, (Sizes{2}));
  EXPECT_TRUE(stage<work::Combine>(found.program, 0, 1).other_first);
}

TEST(GroupEpilogues, WaitsForTheOtherOperand) {
  // Both products have one reader; the later one takes up the addition, and the earlier one is made before it.
  const Grouped found = grouped(program_of(product("p", "a") + product("q", "b") + sum("y", "p", "q")));
  EXPECT_EQ(found.names, (Names{"p", "y"}));
  EXPECT_EQ(found.sizes, (Sizes{1, 2}));
  // What the addition reads besides is made between the two.
  const Grouped later = grouped(program_of(product("p", "a") +
                                           " q = Identity (b)\n r = Transpose <perm: ints = [1, 0]> (q)\n"
                                           " t = Transpose <perm: ints = [1, 0]> (r)\n" +
                                           sum("y", "p", "t")));
  EXPECT_EQ(later.names.back(), "y");
  EXPECT_EQ(later.sizes.back(), 2U);
}

TEST(GroupEpilogues, TakesUpProductsAndTables) {
  const Grouped found = grouped(program_of(product("p", "a") + " q = QLinearMul (p" + kScales + "c" + kScales +
                                           "s, z)\n" + " y = QLinearSigmoid (q" + kScales + "s, z)"));
  ASSERT_EQ(found.sizes, (Sizes{3}));
  EXPECT_TRUE(stage<work::Combine>(found.program, 0, 1).product);
  EXPECT_EQ(find_value(found.program, "c")->quantization, (Quantization{0.5F, 3}));  // an operand, not weights
  EXPECT_EQ(stage<work::LookUp>(found.program, 0, 2).type, DType::kInt8);
}

TEST(GroupEpilogues, StartsFromSumsAndPoolsToo) {
  EXPECT_EQ(grouped(program_of(sum("p", "a", "b") + " y = Clip (p, low, high)")).sizes, (Sizes{2}));
  EXPECT_EQ(grouped(program_of(sum("p", "a", "b") + sum("y", "p", "c"))).sizes, (Sizes{2}));
}

TEST(GroupEpilogues, LeavesWhatOthersReadAlone) {
  EXPECT_EQ(grouped(program_of(product("p", "a") + sum("y", "p", "b"), "y, p")).sizes, (Sizes{1, 1}));
  EXPECT_EQ(grouped(program_of(product("p", "a") + sum("q", "p", "b") + product("y", "p"), "y, q")).sizes,
            (Sizes{1, 1, 1}));
  EXPECT_EQ(grouped(program_of(product("p", "a") + sum("y", "p", "p"))).sizes, (Sizes{1, 1}));
}

TEST(GroupEpilogues, LeavesBroadcastsAlone) {
  EXPECT_EQ(grouped(program_of(product("p", "a") + sum("y", "p", "row"))).sizes, (Sizes{1, 1}));
}

TEST(GroupEpilogues, LeavesFifteenOfTheEighteenStepsOfResNet8) {
  const Program program = lowered(load_model("models/resnet8_uint8.onnx"), Policy::kExact);
  const Program special = consistent(specialized(program, {{"N", 1}}));
  const Program grouped = consistent(group_epilogues(special));
  EXPECT_EQ(special.steps.size(), 18U);
  EXPECT_EQ(grouped.steps.size(), 15U);
  std::vector<std::string> with_addition;
  for (const Step& step : grouped.steps)
    if (step.operations.size() > 1) with_addition.push_back(step.name);
  EXPECT_EQ(with_addition, (Names{"block1.conv2", "block2.shortcut", "block3.shortcut"}));
}

// Each operation that joins a step has all of it resolved again: without an end that would be quadratic.
TEST(GroupEpilogues, EndsWhereStepsGetLong) {
  std::string chain = product("v0", "a");
  for (int i = 0; i < 100; ++i) chain += sum("v" + std::to_string(i + 1), "v" + std::to_string(i), "b");
  const Grouped found = grouped(program_of(chain, "v100"));
  EXPECT_EQ(found.sizes, (std::vector<std::size_t>{32, 32, 32, 5}));
}

}  // namespace
}  // namespace octet
