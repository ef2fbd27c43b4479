// ConvTranspose as a convolution of its phases: when, and when not. tests/judge/random_network.py has what it computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/program/networks.h"

namespace octet {
namespace {

// uint8 [1,1,3,3] through a ConvTranspose with int8 [1,1,2,2], back to uint8.
Model transposed(const std::string& attributes, const SymbolicShape& x = SymbolicShape{1, 1, 3, 3}, float y_scale = 4) {
  return network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n t = ConvTranspose" +
                     attributes + " (a, w)\n y = QuantizeLinear (t, ys, z) }",
                 {value("x", DType::kUint8, x)},
                 {{"s", f(0.5F)},
                  {"z", u8(3)},
                  {"ys", f(y_scale)},
                  {"wq", Tensor::from<std::int8_t>({1, 1, 2, 2}, {2, -3, 5, 7})}});
}

bool is_phased(const Model& model) {
  const Names names = operators_of(lowered(model, Policy::kExact));
  const bool convolves = std::ranges::count(names, "QLinearConv") == 1;
  EXPECT_EQ(convolves, std::ranges::count(names, "ConvTranspose") == 0);
  return convolves;
}

TEST(PhaseTransposed, TakesStridesNotFarBeyondTheKernel) {
  EXPECT_TRUE(is_phased(transposed("")));
  EXPECT_TRUE(is_phased(transposed("<strides: ints = [2, 2]>")));
  EXPECT_TRUE(is_phased(transposed("<strides: ints = [1, 2], pads: ints = [1, 0, 0, 1]>")));
  EXPECT_TRUE(is_phased(transposed("<strides: ints = [4, 4]>")));
  EXPECT_FALSE(is_phased(transposed("<strides: ints = [9, 9]>"))) << "more than fifteen zeros for each weight";
  EXPECT_FALSE(is_phased(transposed("<strides: ints = [2147483648, 2147483648]>", SymbolicShape{1, 1, 1, 1})));
  EXPECT_FALSE(is_phased(transposed("<dilations: ints = [2, 1]>")));
}

TEST(PhaseTransposed, WantsAnImageWhoseSizeFollowsFromTheInputs) {
  EXPECT_FALSE(is_phased(transposed("", SymbolicShape{1, 1, Dim::symbol("H"), 3})));
  EXPECT_TRUE(is_phased(transposed("", SymbolicShape{Dim::symbol("N"), 1, 3, 3})));
  Model told = transposed("", SymbolicShape{1, 1, Dim::symbol("H"), 3});
  told.graph.value_info.push_back(value("a", DType::kFloat, SymbolicShape{1, 1, 3, 3}));
  EXPECT_FALSE(is_phased(told)) << "a file may declare anything";
}

TEST(PhaseTransposed, MeetsAQuantizeLinearBehindAMove) {
  Model model = transposed("<strides: ints = [2, 2]>");
  Node& last = model.graph.nodes.back();
  last.inputs[0] = "moved";
  Node move{.name = "move", .op_type = "Transpose", .inputs = {"t"}, .outputs = {"moved"}};
  move.attributes.set("perm", std::vector<std::int64_t>{0, 2, 3, 1});
  model.graph.nodes.insert(model.graph.nodes.end() - 1, move);
  EXPECT_TRUE(is_phased(model));
}

// The same with a bias, and a result of another type perhaps.
Names biased_operators(const Tensor& bias, const Tensor& y_zero_point) {
  return operators_of(lowered(
      network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n"
              " t = ConvTranspose <strides: ints = [2, 2]> (a, w, b)\n r = Relu (t)\n y = QuantizeLinear (r, ys, yz) }",
              {value("x", DType::kUint8, SymbolicShape{1, 1, 3, 3})},
              {{"s", f(0.5F)},
               {"z", u8(3)},
               {"ys", f(4)},
               {"yz", y_zero_point},
               {"b", bias},
               {"wq", Tensor::from<std::int8_t>({1, 1, 2, 2}, {2, -3, 5, 7})}}),
      Policy::kExact));
}

TEST(PhaseTransposed, ScalesSumsToFloatThatCantBeRequantized) {
  const Names moves = {"Reshape", "Transpose", "Reshape", "Slice"};
  Names integers = {"QLinearConv"}, to_float = {"ConvInteger", "Cast", "Mul", "Add", "Relu", "QuantizeLinear"};
  for (Names* names : {&integers, &to_float}) names->insert(names->end(), moves.begin(), moves.end());
  EXPECT_EQ(biased_operators(Tensor::from<float>({1}, {0.25F}), u8(0)), integers);
  EXPECT_EQ(biased_operators(Tensor::from<float>({1}, {0.3F}), u8(0)), to_float) << "no multiple of 1/4";
  EXPECT_EQ(biased_operators(Tensor::from<float>({1}, {0.25F}), s8(-128)), to_float) << "uint8 in, int8 out";
  const Names left = biased_operators(Tensor::from<float>({1}, {std::numeric_limits<float>::infinity()}), u8(0));
  EXPECT_EQ(std::ranges::count(left, "ConvTranspose"), 1) << "an integer sum has no infinite bias";
}

// A scale for each channel of a group belongs to as many outputs as there are groups.
TEST(PhaseTransposed, LeavesGroupsWithScalesOfTheirChannels) {
  const auto grouped = [](const Tensor& scales) {
    return network(
        "main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear <axis: int = 1> (wq, ws)\n"
        " t = ConvTranspose <group: int = 2> (a, w)\n y = QuantizeLinear (t, ys, z) }",
        {value("x", DType::kUint8, SymbolicShape{1, 2, 3, 3})},
        {{"s", f(0.5F)},
         {"z", u8(3)},
         {"ys", f(4)},
         {"ws", scales},
         {"wq", Tensor::from<std::int8_t>({2, 2, 1, 1}, {2, -3, 5, 7})}});
  };
  EXPECT_TRUE(is_phased(grouped(f(0.5F))));
  EXPECT_FALSE(is_phased(grouped(Tensor::from<float>({2}, {0.5F, 0.25F}))));
}

TEST(PhaseTransposed, LeavesSumsWhoseRoundingsWouldShow) {
  EXPECT_FALSE(is_phased(transposed("", SymbolicShape{1, 1, 3, 3}, 1e-4F)));
  // A unit of the sum is M steps, and of 4 products the float form may be 12 * 2^-24 * 4 * 252 * 128 = 0.092 units off.
  EXPECT_TRUE(is_phased(transposed("", SymbolicShape{1, 1, 3, 3}, 0.025F)));  // M = 10
  EXPECT_FALSE(is_phased(transposed("", SymbolicShape{1, 1, 3, 3}, 0.01F)));  // M = 25
}

}  // namespace
}  // namespace octet
