#include "octet/integer/interpret.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "octet/program/group_epilogues.h"
#include "tests/analyze/network.h"
#include "tests/integer/comparison.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

using AxisNumbers = std::vector<std::int64_t>;

// Every step, as it is written, of integers alone.
std::int64_t compared(Network& network, Policy policy = Policy::kAsWritten) {
  const Program program = lowered(network.model(), policy);
  EXPECT_TRUE(integer_program(program).before.empty());
  EXPECT_TRUE(integer_program(program).after.empty());
  return expect_equal(program, network.values());
}

std::vector<std::string> names_of_inputs(const IntegerProgram& program) {
  std::vector<std::string> names;
  for (const TensorId input : program.inputs) names.push_back(program.tensors[input].name);
  return names;
}

struct ConvolutionCase {
  DType x = DType::kUint8, w = DType::kInt8;
  Shape x_shape, w_shape;
  Attributes given;
  float y_scale = 0.37F;
};

Network convolution_network(const ConvolutionCase& wanted) {
  Network n;
  const std::int64_t outputs = wanted.w_shape[0];
  n.node("QLinearConv",
         {n.input("x", wanted.x, wanted.x_shape), n.scale("xs", 0.021F), n.zero_point("xz", wanted.x),
          n.constant("w", n.random(wanted.w, wanted.w_shape)), n.constant("ws", n.scales({outputs}, 0.002F, 0.02F)),
          n.constant("wz", n.random(wanted.w, {outputs})), n.scale("ys", wanted.y_scale), n.zero_point("yz", wanted.x),
          n.constant("b", n.random(DType::kInt32, {outputs}))},
         "y", wanted.given);
  return n;
}

TEST(Interpret, EqualsConvolutionsOfOneToFourDimensions) {
  for (const DType x : {DType::kUint8, DType::kInt8})
    for (const DType w : {DType::kUint8, DType::kInt8}) {
      Network line = convolution_network({x,
                                          w,
                                          {2, 4, 11},
                                          {6, 2, 3},
                                          attributes({{"group", std::int64_t{2}},
                                                      {"dilations", AxisNumbers{2}},
                                                      {"strides", AxisNumbers{3}},
                                                      {"pads", AxisNumbers{3, 1}}})});
      EXPECT_EQ(compared(line), 2 * 6 * 4);
      Network image =
          convolution_network({x,
                               w,
                               {2, 3, 5, 4},
                               {4, 3, 3, 2},
                               attributes({{"pads", AxisNumbers{1, 0, 2, 1}}, {"strides", AxisNumbers{2, 1}}})});
      EXPECT_EQ(compared(image), 2 * 4 * 3 * 4);
      Network depthwise =
          convolution_network({x,
                               w,
                               {1, 3, 4, 5},
                               {6, 1, 3, 3},
                               attributes({{"group", std::int64_t{3}}, {"auto_pad", std::string("SAME_LOWER")}})});
      EXPECT_EQ(compared(depthwise), 6 * 4 * 5);
      Network volume = convolution_network(
          {x,
           w,
           {1, 2, 3, 4, 3},
           {3, 2, 2, 3, 2},
           attributes({{"pads", AxisNumbers{1, 0, 0, 0, 2, 1}}, {"strides", AxisNumbers{1, 2, 1}}})});
      EXPECT_EQ(compared(volume), 3 * 3 * 2 * 3);
      Network four = convolution_network({x, w, {1, 1, 2, 3, 2, 3}, {2, 1, 2, 2, 1, 2}, attributes({})});
      EXPECT_EQ(compared(four), 2 * 1 * 2 * 2 * 2);
    }
}

TEST(Interpret, SaturatesAtBothEnds) {
  Network n = convolution_network({DType::kInt8, DType::kInt8, {1, 3, 9, 9}, {8, 3, 3, 3}, {}, 0.001F});
  compared(n);
  const Tensor y = reference_values(lowered(n.model(), Policy::kAsWritten), n.values()).at("y");
  std::set<std::int64_t> seen;
  for (std::int64_t k = 0; k < y.size(); ++k) seen.insert(y.int_at(k));
  EXPECT_TRUE(seen.contains(-128) && seen.contains(127));
}

// 32 bits are not enough: the runtime's registers wrap, and so do these.
TEST(Interpret, WrapsAsTheRuntimeDoes) {
  Network n;
  n.input("x", DType::kUint8, {1, 2, 4, 4});
  n.constant("w", n.random(DType::kInt8, {3, 2, 3, 3}));
  n.node("QLinearConv",
         {"x", n.scale("xs", 1.0F), n.constant("xz", Tensor::scalar(std::uint8_t{7})), "w", n.scale("ws", 1.0F),
          n.constant("wz", Tensor::scalar(std::int8_t{3})), n.scale("ys", 3e7F),
          n.constant("yz", Tensor::scalar(std::uint8_t{128})),
          n.constant("b", Tensor::from<std::int32_t>({3}, {2147483647, -2147483647 - 1, 2147480000}))},
         "y");
  EXPECT_EQ(compared(n), 3 * 2 * 2);
  const IntegerProgram program = integer_program(lowered(n.model(), Policy::kAsWritten));
  const auto& step = std::get<integer::Convolution>(program.steps[0].task);
  // Channel 0 reaches beyond int32, so its constants serve every accumulator: those far from any sum without wrapping, too.
  const Requantizer rule({}, 1.0F / 3e7F, {128, {0, 255}, ZeroPoint::kAfterRounding});
  const auto& requantize = std::get<integer::Requantize>(step.epilogue[0]).channels[0];
  for (std::int64_t acc = -2147483648LL; acc <= 2147483647LL; acc += 997'003)
    ASSERT_EQ(requantize(acc), rule(static_cast<std::int32_t>(acc))) << acc;
}

TEST(Interpret, EqualsSumsThatAreKept) {
  for (const DType w : {DType::kInt8, DType::kUint8}) {
    Network n;
    n.node("ConvInteger",
           {n.input("x", DType::kInt8, {1, 2, 4, 4}), n.constant("w", n.random(w, {3, 2, 2, 2})),
            n.zero_point("xz", DType::kInt8), n.zero_point("wz", w)},
           "y", attributes({{"pads", AxisNumbers{1, 1, 0, 0}}}));
    n.node("MatMulInteger",
           {n.input("a", DType::kUint8, {2, 3, 6}), n.constant("b", n.random(w, {6, 4})),
            n.zero_point("az", DType::kUint8), n.constant("bz", n.random(w, {4}))},
           "sums");
    EXPECT_EQ(compared(n), 3 * 4 * 4 + 2 * 3 * 4);
  }
}

TEST(Interpret, EqualsMatrixProductsWithConstantAndComputedWeights) {
  for (const bool known : {true, false})
    for (const auto& [a, b, y] :
         std::vector<std::array<Shape, 3>>{{Shape{3, 6}, Shape{6, 4}, Shape{3, 4}},
                                           {Shape{2, 3, 6}, Shape{6, 4}, Shape{2, 3, 4}},
                                           {Shape{2, 1, 3, 5}, Shape{4, 5, 2}, Shape{2, 4, 3, 2}},
                                           {Shape{6}, Shape{2, 6, 3}, Shape{2, 3}},
                                           {Shape{3, 6}, Shape{6}, Shape{3}}}) {
      Network n;
      n.input("a", DType::kUint8, a);
      known ? n.constant("b", n.random(DType::kInt8, b)) : n.input("b", DType::kInt8, b);
      n.node("QLinearMatMul",
             {"a", n.scale("as", 0.02F), n.zero_point("az", DType::kUint8), "b", n.scale("bs", 0.013F),
              n.zero_point("bz", DType::kInt8), n.scale("ys", 0.11F), n.zero_point("yz", DType::kUint8)},
             "y");
      EXPECT_EQ(compared(n), element_count(y));
    }
}

TEST(Interpret, EqualsConvolutionsWithComputedWeights) {
  Network n;
  n.node("QLinearConv",
         {n.input("x", DType::kUint8, {1, 4, 4, 3}), n.scale("xs", 0.02F), n.zero_point("xz", DType::kUint8),
          n.input("w", DType::kInt8, {2, 2, 3, 3}), n.scale("ws", 0.01F), n.zero_point("wz", DType::kInt8),
          n.scale("ys", 0.2F), n.zero_point("yz", DType::kUint8)},
         "y", attributes({{"group", std::int64_t{2}}, {"pads", AxisNumbers{1, 1, 1, 1}}}));
  EXPECT_EQ(compared(n), 2 * 4 * 3);
}

TEST(Interpret, EqualsGemmTurnedAndScaled) {
  for (const std::int64_t a_turned : {0, 1})
    for (const std::int64_t b_turned : {0, 1})
      for (const float alpha : {1.0F, 0.7F, -0.7F})
        for (const bool known : {true, false}) {
          Network n;
          n.input("a", DType::kInt8, a_turned ? Shape{5, 3} : Shape{3, 5});
          const Shape b = b_turned ? Shape{4, 5} : Shape{5, 4};
          known ? n.constant("b", n.random(DType::kInt8, b)) : n.input("b", DType::kInt8, b);
          const Shape each = known ? Shape{4} : Shape{1};
          n.node(
              "QGemm",
              {"a", n.scale("as", 0.02F), n.zero_point("az", DType::kInt8), "b",
               n.constant("bs", n.scales(each, 0.01F, 0.03F)), n.constant("bz", n.random(DType::kInt8, each)),
               n.constant("c", n.random(DType::kInt32, each)), n.scale("ys", 0.13F), n.zero_point("yz", DType::kInt8)},
              "y", attributes({{"transA", a_turned}, {"transB", b_turned}, {"alpha", alpha}}));
          EXPECT_EQ(compared(n), 3 * 4);
        }
}

TEST(Interpret, EqualsAdditionsAndMultiplicationsWithBroadcasting) {
  for (const DType dtype : {DType::kInt8, DType::kUint8})
    for (const Shape& a : {Shape{3, 4, 5}, Shape{3, 1, 1}, Shape{4, 1}, Shape{5}, Shape{}})
      for (const bool swapped : {false, true}) {
        Network n(static_cast<unsigned>(a.size()) + 1);
        n.input("a", dtype, a);
        n.input("b", dtype, {3, 4, 5});
        const std::vector<std::string> inputs = {
            swapped ? "b" : "a",   n.scale("as", 0.031F),     n.zero_point("az", dtype), swapped ? "a" : "b",
            n.scale("bs", 0.017F), n.zero_point("bz", dtype), n.scale("cs", 0.029F),     n.zero_point("cz", dtype)};
        n.node("QLinearAdd", inputs, "sum");
        n.node("QLinearMul", inputs, "product");
        EXPECT_EQ(compared(n), 2 * 60);
      }
}

// ONNX Runtime exchanges the operands where they have one element; -112 and -113 are what it computes.
TEST(Interpret, ExchangesTheOperandsOfAnAdditionAsTheRuntimeDoes) {
  for (const std::int64_t elements : {1, 2}) {
    Network n;
    Tensor a(DType::kInt8, {elements}), b(DType::kInt8, {elements});
    for (std::int8_t& value : a.mutable_as<std::int8_t>()) value = -114;
    for (std::int8_t& value : b.mutable_as<std::int8_t>()) value = -122;
    n.node("QLinearAdd",
           {n.input("a", a), n.scale("as", .025346905F), n.constant("az", Tensor::scalar(std::int8_t{-106})),
            n.input("b", b), n.scale("bs", .03580992F), n.constant("bz", Tensor::scalar(std::int8_t{-120})),
            n.scale("cs", .036585972F), n.constant("cz", Tensor::scalar(std::int8_t{-105}))},
           "c");
    const IntegerProgram program = integer_program(lowered(n.model(), Policy::kAsWritten));
    EXPECT_EQ(interpret(program, n.values()).at("c").int_at(0), elements == 1 ? -112 : -113);
  }
}

// All 65,536 pairs, on scales for which no plane is equal everywhere.
TEST(Interpret, EqualsEveryPairOfBytes) {
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    Network n;
    Tensor a(dtype, {256, 1}), b(dtype, {1, 256});
    for (std::size_t k = 0; k < 256; ++k) a.mutable_bytes()[k] = b.mutable_bytes()[k] = static_cast<std::byte>(k);
    const std::vector<std::string> inputs = {
        n.input("a", a),           n.scale("as", .025346905F), n.zero_point("az", dtype),  n.input("b", b),
        n.scale("bs", .03580992F), n.zero_point("bz", dtype),  n.scale("cs", .036585972F), n.zero_point("cz", dtype)};
    n.node("QLinearAdd", inputs, "sum");
    n.node("QLinearMul", inputs, "product");
    EXPECT_EQ(compared(n), 2 * 65536);
  }
}

TEST(Interpret, EqualsPools) {
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    Network n;
    const std::vector<std::string> inputs = {n.input("x", dtype, {2, 3, 6, 5}), n.scale("xs", 0.03F),
                                             n.zero_point("xz", dtype), n.scale("ys", 0.011F),
                                             n.zero_point("yz", dtype)};
    n.node("QLinearAveragePool", inputs, "whole", attributes({{"kernel_shape", AxisNumbers{6, 5}}}));
    n.node("QLinearGlobalAveragePool", inputs, "global");
    n.node("QLinearGlobalAveragePool", inputs, "last", attributes({{"channels_last", std::int64_t{1}}}));
    n.node("MaxPool", {"x"}, "largest",
           attributes({{"kernel_shape", AxisNumbers{2, 3}}, {"strides", AxisNumbers{2, 1}}}));
    n.node("MaxPool", {"x"}, "padded",
           attributes({{"kernel_shape", AxisNumbers{3, 2}},
                       {"pads", AxisNumbers{2, 0, 0, 1}},
                       {"dilations", AxisNumbers{1, 2}},
                       {"strides", AxisNumbers{3, 2}},
                       {"ceil_mode", std::int64_t{1}}}));
    EXPECT_EQ(compared(n), 6 + 6 + 10 + 6 * 3 * 3 + 6 * 3 * 3);
  }
}

TEST(Interpret, EqualsTablesConcatenationsAndSelections) {
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    Tensor all(dtype, {256});
    for (std::size_t k = 0; k < 256; ++k) all.mutable_bytes()[k] = static_cast<std::byte>(k);
    Network n;
    const std::vector<std::string> inputs = {n.input("x", all), n.scale("xs", 0.03F), n.zero_point("xz", dtype),
                                             n.scale("ys", 0.024F), n.zero_point("yz", dtype)};
    n.node("QLinearSigmoid", inputs, "sigmoid");
    n.node("QLinearLeakyRelu", inputs, "leaky", attributes({{"alpha", 0.3F}}));
    n.input("p", dtype, {2, 3, 2});
    n.input("q", dtype, {2, 1, 2});
    n.node("QLinearConcat",
           {"ys", "yz", "p", "xs", "xz", "q", "ys", "yz", n.constant("r", n.random(dtype, {2, 2, 2})), "xs", "yz"},
           "joined", attributes({{"axis", std::int64_t{1}}}));
    n.node(
        "QLinearWhere",
        {n.input("c", Tensor::from<bool>({2, 1}, {true, false})), "x", "xs", "xz", "sigmoid", "ys", "yz", "ys", "yz"},
        "chosen");
    EXPECT_EQ(compared(n), 2 * 256 + 2 * 6 * 2 + 512);
    const IntegerProgram program = integer_program(lowered(n.model(), Policy::kAsWritten));
    for (const std::int32_t number : std::get<integer::Table>(program.steps[1].task).table)
      EXPECT_TRUE(number >= integer_range(dtype).min && number <= integer_range(dtype).max) << number;
  }
}

TEST(Interpret, EqualsMoves) {
  Network n;
  n.input("x", DType::kUint8, {2, 4, 3, 2});
  n.input("z", DType::kUint8, {2, 4, 3, 1});
  const auto ints = [&](const std::string& name, const std::vector<std::int64_t>& values) {
    return n.constant(name, Tensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())},
                                                       std::span<const std::int64_t>(values)));
  };
  n.node("Transpose", {"x"}, "transposed", attributes({{"perm", AxisNumbers{3, 0, 2, 1}}}));
  n.node("Reshape", {"x", ints("shape", {8, -1})}, "reshaped");
  n.node("DepthToSpace", {"x"}, "spread", attributes({{"blocksize", std::int64_t{2}}}));
  n.node("Concat", {"x", "z", "x"}, "joined", attributes({{"axis", std::int64_t{-1}}}));
  n.node("Slice", {"x", ints("starts", {-1}), ints("ends", {-9}), ints("axes", {1}), ints("steps", {-2})}, "sliced");
  n.node("Pad", {"x", ints("pads", {0, 0, 1, 0, 0, 0, 0, 1}), n.constant("fill", Tensor::scalar(std::uint8_t{77}))},
         "padded");
  n.node(
      "Clip",
      {"x", n.constant("low", Tensor::scalar(std::uint8_t{30})), n.constant("high", Tensor::scalar(std::uint8_t{90}))},
      "clipped");
  // More boxes than a move lists: element by element.
  std::vector<std::int64_t> scattered;
  for (std::int64_t k = 0; k < 200; ++k) scattered.push_back(k * k % 48);
  n.node("Gather", {"reshaped", ints("rows", {5, 0, 3})}, "gathered", attributes({{"axis", std::int64_t{0}}}));
  n.node("Reshape", {"x", ints("flat", {48})}, "line");
  n.node("Gather", {"line", ints("scattered", scattered)}, "scattered_line", attributes({{"axis", std::int64_t{0}}}));
  const IntegerProgram program = integer_program(lowered(n.model(), Policy::kAsWritten));
  EXPECT_FALSE(std::get<integer::Move>(program.steps.back().task).indices.empty());
  EXPECT_EQ(compared(n), 48 * 3 + 120 + 24 + 2 * 4 * 4 * 3 + 48 + 18 + 48 + 200);
}

TEST(Interpret, EqualsFusedPatterns) {
  Network n;
  const auto inner = [&](const std::string& op, std::vector<std::string> inputs, const std::string& output) {
    n.node(op, std::move(inputs), output);
    n.model().graph.outputs.pop_back();
  };
  n.input("x", DType::kUint8, {1, 2, 6, 6});
  n.constant("w", n.random(DType::kInt8, {3, 2, 3, 3}));
  inner("DequantizeLinear", {"x", n.scale("xs", 0.02F), n.zero_point("xz", DType::kUint8)}, "xd");
  inner("DequantizeLinear", {"w", n.scale("ws", 0.01F)}, "wd");
  inner("Conv", {"xd", "wd"}, "conv");
  inner("Clip", {"conv", n.scale("low", -1.0F), n.scale("high", 2.0F)}, "clip");
  n.scale("ys", 0.05F);
  n.constant("yz", Tensor::scalar(std::uint8_t{100}));
  n.node("QuantizeLinear", {"clip", "ys", "yz"}, "y");
  inner("DequantizeLinear", {"y", "ys", "yz"}, "yd");
  inner("HardSwish", {"yd"}, "swish");
  n.node("QuantizeLinear", {"swish", n.scale("ts", 0.03F), n.zero_point("tz", DType::kInt8)}, "table");
  EXPECT_EQ(compared(n, Policy::kExact), 2 * 3 * 4 * 4);
  const IntegerProgram program = integer_program(lowered(n.model(), Policy::kExact));
  EXPECT_EQ(std::get<integer::Convolution>(program.steps[0].task).epilogue.size(), 2U) << "requantized, then clamped";
}

// Behind a convolution in one step: an addition and a multiplication of other tensors, a clamp, a table.
TEST(Interpret, EqualsEpiloguesWithOtherOperands) {
  for (const bool second : {false, true})
    for (const std::int64_t size : {1, 3}) {
      Network n;
      n.input("x", DType::kInt8, {1, 2, size, size});
      const Shape y = {1, size, size, size};
      const auto pair = [&](const std::string& op, const std::string& q, const std::string& other, float scale) {
        const std::vector<std::string> mine = {q, n.scale(other + "_qs", 0.11F),
                                               n.zero_point(other + "_qz", DType::kInt8)};
        const std::vector<std::string> others = {n.input(other, DType::kInt8, y), n.scale(other + "_s", scale),
                                                 n.zero_point(other + "_z", DType::kInt8)};
        std::vector<std::string> inputs = second ? others : mine;
        inputs.insert(inputs.end(), (second ? mine : others).begin(), (second ? mine : others).end());
        inputs.insert(inputs.end(), {n.scale(other + "_ys", 0.07F), n.zero_point(other + "_yz", DType::kInt8)});
        n.node(op, inputs, other + "_y");
      };
      n.node("QLinearConv",
             {"x", n.scale("xs", 0.02F), n.zero_point("xz", DType::kInt8),
              n.constant("w", n.random(DType::kInt8, {size, 2, 1, 1})), n.scale("ws", 0.01F),
              n.constant("wz", Tensor::scalar(std::int8_t{0})), n.scale("ys", 0.11F), n.zero_point("yz", DType::kInt8)},
             "conv");
      pair("QLinearAdd", "conv", "added", 0.031F);
      pair("QLinearMul", "added_y", "factor", 0.013F);
      n.node("Clip",
             {"factor_y", n.constant("low", Tensor::scalar(std::int8_t{-90})),
              n.constant("high", Tensor::scalar(std::int8_t{101}))},
             "clipped");
      n.node("QLinearLeakyRelu", {"clipped", "xs", "xz", "ws", "yz"}, "y", attributes({{"alpha", 0.3F}}));
      n.model().graph.outputs = {value("y", {}, std::nullopt)};
      const Program program = group_epilogues(lowered(n.model(), Policy::kAsWritten));
      ASSERT_EQ(program.steps.size(), 1U);
      const IntegerProgram integers = integer_program(program);
      EXPECT_EQ(std::get<integer::Convolution>(integers.steps[0].task).epilogue.size(), 5U);
      EXPECT_EQ(names_of_inputs(integers), (std::vector<std::string>{"x", "added", "factor"}));
      EXPECT_EQ(expect_equal(program, n.values()), element_count(y));
    }
}

// Files may have them, and the float32 rules say what they give.
TEST(Interpret, EqualsWithScalesThatMakeNoSense) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float odd : {0.0F, -0.02F, 1e-45F, 1e-30F, 3e38F, infinity, -infinity, std::nanf("")})
    for (const bool result : {false, true}) {
      SCOPED_TRACE(testing::Message() << odd << (result ? " of y" : " of x"));
      Network n;
      n.input("x", DType::kInt8, {1, 2, 3, 3});
      n.input("o", DType::kInt8, {1, 2, 3, 3});
      n.scale("xs", result ? 0.02F : odd);
      n.scale("ys", result ? odd : 0.3F);
      n.scale("ws", 0.01F);
      n.zero_point("z", DType::kInt8);
      n.node("QLinearConv",
             {"x", "xs", "z", n.constant("w", n.random(DType::kInt8, {2, 2, 2, 2})), "ws", "z", "ys", "z"}, "conv");
      n.node("QLinearMatMul", {"x", "xs", "z", "o", "ws", "z", "ys", "z"}, "product");
      n.node("QLinearAdd", {"x", "xs", "z", "o", "ws", "z", "ys", "z"}, "sum");
      n.node("QLinearMul", {"x", "xs", "z", "o", "ws", "z", "ys", "z"}, "factors");
      n.node("QLinearGlobalAveragePool", {"x", "xs", "z", "ys", "z"}, "average");
      n.node("QLinearConcat", {"ys", "z", "x", "xs", "z", "o", "ws", "z"}, "joined",
             attributes({{"axis", std::int64_t{1}}}));
      const Program program = lowered(n.model(), Policy::kAsWritten);
      EXPECT_EQ(expect_equal(integer_program(program), reference_values(program, n.values())), 8 + 18 * 3 + 2 + 36);
    }
}

TEST(Interpret, RefusesInputsThatDoNotFit) {
  Network n;
  n.node("Transpose", {n.input("x", DType::kUint8, {2, 3})}, "y");
  const IntegerProgram program = integer_program(lowered(n.model(), Policy::kAsWritten));
  std::string what;
  EXPECT_EQ(error_of([&] { interpret(program, {}); }, &what), ErrorCode::kUsage);
  EXPECT_EQ(what, "input x is missing");
  EXPECT_EQ(error_of([&] { interpret(program, {{"x", Tensor(DType::kInt8, {2, 3})}}); }, &what), ErrorCode::kUsage);
  EXPECT_EQ(what, "input x is int8[2,3], wanted uint8[2,3]");
  EXPECT_EQ(error_of(
                [&] {
                  interpret(program, {{"x", Tensor(DType::kUint8, {2, 3})}, {"z", Tensor()}});
                },
                &what),
            ErrorCode::kUsage);
  EXPECT_EQ(what, "the program has no input z");
}

TEST(Interpret, HasNoFloatInIt) {
  std::ifstream file("octet/integer/interpret.cc");
  ASSERT_TRUE(file) << "run in the project's root";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("int32_t"), std::string::npos);
  for (const char* word : {"float", "double", "scale"}) EXPECT_EQ(text.str().find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace octet
