#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/networks.h"

namespace octet {
namespace {

// int8 [1,2,1,3], scale 0.5 and zero point 3, through `nodes` to t, and to int8 of scale 0.25 and zero point -5.
Model table_of(const std::string& nodes, const Constants& constants = {}) {
  Constants all = {{"s", f(0.5F)}, {"z", s8(3)}, {"ys", f(0.25F)}, {"yz", s8(-5)}, {"six", f(6)}, {"zero", f(0)}};
  all.insert(all.end(), constants.begin(), constants.end());
  return network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n" + nodes + " y = QuantizeLinear (t, ys, yz) }",
                 {value("x", DType::kInt8, SymbolicShape{1, 2, 1, 3})}, all);
}

const Names kOneTable = {"Cast", "Gather"}, kTables = {"Cast", "Add", "Gather"};

Names table_operators(const std::string& nodes, const Constants& constants = {}) {
  return operators_of(lowered(table_of(nodes, constants), Policy::kExact));
}

Tensor per_channel(const Shape& shape, std::vector<float> values) { return Tensor::from<float>(shape, values); }

// What the byte x becomes in a channel.
int entry(const work::ChannelTables& work, std::size_t channel, std::int8_t x) {
  return static_cast<std::int8_t>(work.tables[channel][static_cast<std::uint8_t>(x)]);
}

TEST(FuseTables, TakesBranchesThatMeetAgain) {
  const Program program = lowered(table_of(" b = Add (a, three)\n c = Clip (b, zero, six)\n d = Mul (a, c)\n"
                                           " t = Div (d, six)\n",
                                           {{"three", f(3)}}),
                                  Policy::kExact);
  ASSERT_EQ(operators_of(program), kOneTable);
  EXPECT_EQ(program.steps[0].reason, "Add, Clip, Mul, Div between DequantizeLinear and QuantizeLinear");
  EXPECT_EQ(program.steps[0].sources.size(), 6U);
  const auto& table = std::get<work::Table>(program.steps[0].work);
  EXPECT_EQ(static_cast<std::int8_t>(table.bytes[3]), -5);  // 0
  EXPECT_EQ(static_cast<std::int8_t>(table.bytes[5]), -2);  // 1 * 4 / 6 = 0.667, in quarters 2.67
  EXPECT_EQ(table_operators(" b = Sigmoid (a)\n t = Mul (b, a)\n"), kOneTable);
}

TEST(FuseTables, TakesEveryOperatorOnElements) {
  const Constants constants = {{"two", f(2)}, {"zero_point_one", f(0.1F)}};
  EXPECT_EQ(table_operators(" t = Shrink <lambd: float = 0.5, bias: float = 0.25> (a)\n", constants), kOneTable);
  Model gelu = table_of(" t = QuickGelu (a)\n");
  gelu.graph.nodes[1].domain = "com.microsoft";
  EXPECT_EQ(operators_of(lowered(gelu, Policy::kExact)), kOneTable);
  EXPECT_EQ(table_operators(" t = Sum (a, two, a)\n", constants), kOneTable);
  EXPECT_EQ(table_operators(" t = Mod <fmod: int = 1> (a, two)\n", constants), kOneTable);
  EXPECT_EQ(table_operators(" t = CumSum (a, two)\n", {{"two", Tensor::scalar(std::int64_t{3})}}).back(),
            "QuantizeLinear");

  const Program program =  // LeakyRelu, as some exporters write it
      lowered(table_of(" b = Greater (a, zero)\n c = Mul (a, zero_point_one)\n t = Where (b, a, c)\n", constants),
              Policy::kExact);
  ASSERT_EQ(operators_of(program), kOneTable);
  EXPECT_EQ(program.steps[0].reason, "Greater, Mul, Where between DequantizeLinear and QuantizeLinear");
  const auto& table = std::get<work::Table>(program.steps[0].work);
  EXPECT_EQ(static_cast<std::int8_t>(table.bytes[5]), -1);         // 1 stays 1: 4 quarters
  EXPECT_EQ(static_cast<std::int8_t>(table.bytes[0xF3]), -5 - 3);  // -16 / 2 = -8 becomes -0.8: -3.2 quarters
}

TEST(FuseTables, LeavesIntegersOnTheWay) {
  EXPECT_EQ(table_operators(" b = Cast <to: int = 7> (a)\n t = Cast <to: int = 1> (b)\n").back(), "QuantizeLinear");
}

TEST(FuseTables, LeavesBranchesThatOthersRead) {
  Model model = table_of(" b = Sigmoid (a)\n t = Mul (b, a)\n");
  model.graph.outputs.push_back(value("b", DType::kFloat, std::nullopt));
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)),
            (Names{"DequantizeLinear", "Sigmoid", "Mul", "QuantizeLinear"}));
}

TEST(FuseTables, TakesConstantsOfOneElementAndAnyRank) {
  EXPECT_EQ(table_operators(" t = Mul (a, k)\n", {{"k", per_channel({1, 1, 1, 1}, {2})}}), kOneTable);
  EXPECT_EQ(table_operators(" t = Mul (a, k)\n", {{"k", per_channel({1, 1, 1, 1, 1}, {2})}}).back(), "QuantizeLinear");
}

TEST(FuseTables, MakesATableForEachChannel) {
  const Program program =
      lowered(table_of(" t = PRelu (a, k)\n", {{"k", per_channel({2, 1, 1}, {0.5F, -2})}}), Policy::kExact);
  ASSERT_EQ(operators_of(program), kTables);
  EXPECT_EQ(program.steps[0].kind, StepKind::kTable);
  EXPECT_TRUE(program.steps[0].opaque.empty());
  const auto& work = std::get<work::ChannelTables>(program.steps[0].work);
  EXPECT_EQ(work.axis, 1);
  ASSERT_EQ(work.tables.size(), 2U);
  EXPECT_EQ(entry(work, 0, 5), -1);      // 1 is 4 quarters
  EXPECT_EQ(entry(work, 0, -1), -9);     // -2 * 0.5
  EXPECT_EQ(entry(work, 1, -1), 11);     // -2 * -2
  EXPECT_EQ(entry(work, 1, -128), 127);  // 131
}

TEST(FuseTables, NormalizesBytes) {
  const Constants constants = {{"g", per_channel({2}, {2, 1})},
                               {"b", per_channel({2}, {0.25F, -0.5F})},
                               {"m", per_channel({2}, {0.5F, 1})},
                               {"v", per_channel({2}, {4, 1})}};
  const std::string node = " t = BatchNormalization <epsilon: float = 0> (a, g, b, m, v)\n";
  const Program program = lowered(table_of(node, constants), Policy::kExact);
  ASSERT_EQ(operators_of(program), kTables);
  const auto& work = std::get<work::ChannelTables>(program.steps[0].work);
  EXPECT_EQ(entry(work, 0, 5), -2);  // (1 - 0.5) * 2 / 2 + 0.25 = 0.75
  EXPECT_EQ(entry(work, 1, 5), -7);  // (1 - 1) - 0.5
  // As ONNX Runtime's quantizer writes it: the scale is quantized, too.
  Constants quantized = constants;
  quantized[0] = {"gq", Tensor::from<std::int8_t>({2}, {4, 2})};
  const Program same = lowered(table_of(" g = DequantizeLinear (gq, s)\n" + node, quantized), Policy::kExact);
  ASSERT_EQ(operators_of(same), kTables);
  EXPECT_EQ(std::get<work::ChannelTables>(same.steps[0].work).tables, work.tables);
  EXPECT_EQ(same.steps[0].sources.size(), 4U);
}

TEST(FuseTables, WantsOneAxisOfChannels) {
  const Constants constants = {{"c", per_channel({2, 1, 1}, {1, 2})},
                               {"w", per_channel({3}, {1, 2, 3})},
                               {"n", per_channel({2, 1, 3}, {1, 2, 3, 4, 5, 6})},
                               {"wide", per_channel({2, 1}, {1, 2})}};
  EXPECT_EQ(table_operators(" b = Mul (a, c)\n t = Add (b, c)\n", constants), kTables);
  EXPECT_EQ(table_operators(" t = Mul (w, a)\n", constants), kTables);
  EXPECT_EQ(table_operators(" b = Mul (a, c)\n t = Add (b, w)\n", constants).back(), "QuantizeLinear");
  EXPECT_EQ(table_operators(" t = Mul (a, n)\n", constants).back(), "QuantizeLinear");
  EXPECT_EQ(table_operators(" t = Mul (a, wide)\n", constants).back(), "QuantizeLinear");  // [1,2,2,3]
}

// All the values of a byte stand along the first axis where tables are computed.
TEST(FuseTables, LeavesNumbersAlongTheFirstAxis) {
  const Model model =
      network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n t = Mul (a, n)\n y = QuantizeLinear (t, s, z) }",
              {value("x", DType::kUint8, SymbolicShape{2, 3})},
              {{"s", f(0.5F)}, {"z", u8(3)}, {"n", per_channel({2, 1}, {1, 2})}});
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"DequantizeLinear", "Mul", "QuantizeLinear"}));
}

TEST(FuseTables, NormalizesAsManyChannelsAsThereAre) {
  const auto normalized = [](const Dim& channels) {
    const Tensor one = Tensor::from<float>({2}, {1, 1});
    return operators_of(lowered(
        network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n"
                " t = BatchNormalization (a, n, n, n, n)\n y = QuantizeLinear (t, s, z) }",
                {value("x", DType::kUint8, SymbolicShape{1, channels, 3})}, {{"s", f(0.5F)}, {"z", u8(3)}, {"n", one}}),
        Policy::kExact));
  };
  EXPECT_EQ(normalized(2), (Names{"Cast", "Add", "Gather"}));
  EXPECT_EQ(normalized(Dim::symbol("C"))[1], "BatchNormalization");
}

// Each has a megabyte: 16 of them are as many as a program may have.
TEST(FuseTables, MakesNoMoreTablesThanAreWorthWhile) {
  constexpr std::int64_t kChannels = 4096;
  Tensor factors(DType::kFloat, {kChannels});
  std::ranges::fill(factors.mutable_as<float>(), 0.5F);
  std::string text = "v0 = QuantizeLinear (x, s, z)";
  for (int k = 0; k < 17; ++k)
    text += fmt::format(
        "\n a{0} = DequantizeLinear (v{0}, s, z)\n t{0} = Mul (a{0}, w)\n v{1} = QuantizeLinear (t{0}, s, z)", k,
        k + 1);
  const Names names = operators_of(
      lowered(network("main (x) => (v17) { " + text + " }", {value("x", DType::kFloat, SymbolicShape{1, kChannels})},
                      {{"s", f(0.5F)}, {"z", u8(3)}, {"w", factors}}),
              Policy::kExact));
  EXPECT_EQ(std::ranges::count(names, "Gather"), 16);
  EXPECT_EQ(std::ranges::count(names, "Mul"), 1);
}

}  // namespace
}  // namespace octet
