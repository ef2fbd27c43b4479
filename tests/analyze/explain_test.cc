// Every element of small layers of every kind, under every arithmetic that has a name: explain_element computes it anew
// and throws where it disagrees with the operator, whose results ONNX Runtime judges elsewhere.
#include "octet/analyze/explain.h"

#include <gtest/gtest.h>

#include <limits>

#include "octet/analyze/explanation.h"
#include "tests/analyze/network.h"
#include "tests/support/failure.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

using Ints = std::vector<std::int64_t>;

Shape index_of(std::int64_t element, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; element /= shape[axis]) index[axis] = element % shape[axis];
  return index;
}

// The number of elements explained.
std::int64_t explain_all(Network& network, Policy policy, const Arithmetic& arithmetic) {
  const ReferenceEngine engine(lowered(network.model(), policy), {.arithmetic = arithmetic, .threads = 1});
  NamedTensors values = engine.run(network.values(), {.keep_all = true});
  const NamedTensors computed = values;
  values.insert(network.values().begin(), network.values().end());
  std::int64_t count = 0;
  for (std::size_t step = 0; step < engine.program().steps.size(); ++step)
    for (const Operation& operation : engine.program().steps[step].operations)
      for (const ValueId output : operation.outputs) {
        const std::string& name = engine.program().values[output].name;
        const Tensor& tensor = computed.at(name);
        for (std::int64_t k = 0; k < tensor.size(); ++k, ++count) {
          if (kSanitized && k % 7 != 0) continue;
          const Explanation explanation =
              explain_element(engine.program(), step, name, index_of(k, tensor.shape()), values, arithmetic);
          if (is_integer(tensor.dtype()))
            EXPECT_EQ(std::get<std::int64_t>(explanation.result), tensor.int_at(k)) << name << " " << k;
          else
            EXPECT_EQ(std::get<float>(explanation.result), tensor.as<float>()[static_cast<std::size_t>(k)])
                << name << " " << k;
        }
      }
  return count;
}

void explain_all(Network& network, std::int64_t elements, Policy policy = Policy::kAsWritten) {
  for (const NamedArithmetic& named : named_arithmetics()) {
    SCOPED_TRACE(named.name);
    EXPECT_EQ(explain_all(network, policy, named.arithmetic), elements);
  }
  SCOPED_TRACE("a narrow accumulator that saturates");
  explain_all(network, policy, {.accumulator_bits = 14, .accumulator_overflow = Overflow::kSaturate});
}

// x, w and y; scales that use the range of y well.
Network convolution(DType x, DType w, const Shape& x_shape, const Shape& w_shape, const Attributes& attributes) {
  Network n;
  const std::int64_t outputs = w_shape[0];
  n.node("QLinearConv",
         {n.input("x", x, x_shape), n.scale("xs", 0.021F), n.zero_point("xz", x), n.constant("w", n.random(w, w_shape)),
          n.constant("ws", n.scales({outputs}, 0.002F, 0.02F)), n.constant("wz", n.random(w, {outputs})),
          n.scale("ys", 0.37F), n.zero_point("yz", x), n.constant("b", n.random(DType::kInt32, {outputs}))},
         "y", attributes);
  return n;
}

TEST(Explain, AgreesOnConvolutions) {
  Network padded = convolution(DType::kUint8, DType::kInt8, {2, 3, 5, 4}, {4, 3, 3, 3},
                               attributes({{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 1}}}));
  explain_all(padded, 2 * 4 * 3 * 4);
  Network grouped = convolution(DType::kInt8, DType::kInt8, {1, 4, 7}, {4, 2, 3},
                                attributes({{"group", std::int64_t{2}}, {"dilations", Ints{2}}}));
  explain_all(grouped, 4 * 3);
  Network depthwise = convolution(DType::kUint8, DType::kInt8, {1, 3, 4, 4}, {3, 1, 3, 3},
                                  attributes({{"group", std::int64_t{3}}, {"auto_pad", std::string("SAME_LOWER")}}));
  explain_all(depthwise, 3 * 4 * 4);
}

TEST(Explain, AgreesOnIntegerConvolutions) {
  for (const DType w : {DType::kInt8, DType::kUint8}) {
    Network n;
    n.node("ConvInteger",
           {n.input("x", DType::kInt8, {1, 2, 4, 4}), n.constant("w", n.random(w, {3, 2, 2, 2})),
            n.zero_point("xz", DType::kInt8), n.zero_point("wz", w)},
           "y");
    explain_all(n, 3 * 3 * 3);
  }
}

TEST(Explain, AgreesOnMatrixProducts) {
  Network n;
  n.node("QLinearMatMul",
         {n.input("a", DType::kUint8, {2, 3, 6}), n.constant("as", n.scales({2, 3, 1}, 0.01F, 0.02F)),
          n.constant("az", n.random(DType::kUint8, {2, 3, 1})), n.input("b", DType::kInt8, {6, 4}),
          n.constant("bs", n.scales({4}, 0.01F, 0.03F)), n.constant("bz", n.random(DType::kInt8, {4})),
          n.scale("ys", 0.11F), n.zero_point("yz", DType::kUint8)},
         "y");
  n.node("MatMulInteger", {"a", "b", "az", "bz"}, "sums");
  explain_all(n, 2 * 2 * 3 * 4);
}

TEST(Explain, AgreesOnGemm) {
  for (const std::int64_t turned : {0, 1}) {
    Network n;
    const std::vector<std::string> inputs = {
        n.input("a", DType::kInt8, turned ? Shape{5, 3} : Shape{3, 5}),
        n.scale("as", 0.02F),
        n.zero_point("az", DType::kInt8),
        n.constant("b", n.random(DType::kInt8, turned ? Shape{4, 5} : Shape{5, 4})),
        n.constant("bs", n.scales({4}, 0.01F, 0.03F)),
        n.constant("bz", n.random(DType::kInt8, {4})),
        n.constant("c", n.random(DType::kInt32, {3, 1})),
        n.scale("ys", 0.13F),
        n.zero_point("yz", DType::kInt8)};
    const Attributes given = attributes({{"transA", turned}, {"transB", turned}, {"alpha", 0.7F}});
    n.node("QGemm", inputs, "y", given);
    n.node("QGemm", {inputs.begin(), inputs.begin() + 7}, "real", given);
    explain_all(n, 2 * 3 * 4);
  }
}

TEST(Explain, AgreesOnProductsToFloat) {
  Network n;
  n.node("MatMulIntegerToFloat",
         {n.input("a", DType::kUint8, {3, 5}), n.input("b", DType::kInt8, {5, 2}), n.scale("as", 0.02F),
          n.constant("bs", n.scales({2}, 0.01F, 0.03F)), n.zero_point("az", DType::kUint8),
          n.zero_point("bz", DType::kInt8), n.constant("bias", n.random(DType::kFloat, {2}))},
         "y");
  n.node("DynamicQuantizeMatMul", {n.input("r", DType::kFloat, {3, 5}), "b", "bs", "bz", "bias"}, "dynamic");
  explain_all(n, 2 * 3 * 2);
}

TEST(Explain, AgreesOnAdditionsAndMultiplications) {
  for (const DType dtype : {DType::kInt8, DType::kUint8})
    for (const Shape& a : {Shape{3, 4, 5}, Shape{3, 1, 1}, Shape{5}, Shape{}}) {
      Network n(static_cast<unsigned>(a.size()) + 1);
      const std::vector<std::string> inputs = {
          n.input("a", dtype, a), n.scale("as", 0.031F),     n.zero_point("az", dtype), n.input("b", dtype, {3, 4, 5}),
          n.scale("bs", 0.017F),  n.zero_point("bz", dtype), n.scale("cs", 0.029F),     n.zero_point("cz", dtype)};
      n.node("QLinearAdd", inputs, "sum");
      n.node("QLinearMul", inputs, "product");
      explain_all(n, 2 * 60);
    }
}

TEST(Explain, AgreesOnPools) {
  Network n;
  const std::vector<std::string> inputs = {n.input("x", DType::kUint8, {1, 2, 6, 5}), n.scale("xs", 0.03F),
                                           n.zero_point("xz", DType::kUint8), n.scale("ys", 0.024F),
                                           n.zero_point("yz", DType::kUint8)};
  n.node("QLinearAveragePool", inputs, "padded",
         attributes({{"kernel_shape", Ints{3, 2}}, {"pads", Ints{1, 0, 1, 1}}, {"strides", Ints{2, 1}}}));
  n.node(
      "QLinearAveragePool", inputs, "counted",
      attributes({{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"count_include_pad", std::int64_t{1}}}));
  n.node("QLinearAveragePool", inputs, "wide",
         attributes({{"kernel_shape", Ints{1, 1}}, {"strides", Ints{4, 3}}, {"auto_pad", std::string("SAME_UPPER")}}));
  n.node("QLinearAveragePool", inputs, "whole", attributes({{"kernel_shape", Ints{6, 5}}}));
  n.node("QLinearGlobalAveragePool", inputs, "global");
  n.node("QLinearGlobalAveragePool", inputs, "last", attributes({{"channels_last", std::int64_t{1}}}));
  n.node("MaxPool", {"x"}, "largest", attributes({{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}));
  explain_all(n, 30 + 60 + 8 + 2 + 2 + 5 + 12);
}

TEST(Explain, AgreesOnTables) {
  Tensor all(DType::kInt8, {256});
  for (std::size_t k = 0; k < 256; ++k) all.mutable_bytes()[k] = static_cast<std::byte>(k);
  Network n;
  const std::vector<std::string> inputs = {n.input("x", all), n.scale("xs", 0.03F), n.zero_point("xz", DType::kInt8),
                                           n.scale("ys", 0.024F), n.zero_point("yz", DType::kInt8)};
  n.node("QLinearSigmoid", inputs, "sigmoid");
  n.node("QLinearLeakyRelu", inputs, "leaky", attributes({{"alpha", 0.3F}}));
  n.node("QLinearConcat", {"ys", "yz", "x", "xs", "xz", "x", "ys", "yz"}, "joined",
         attributes({{"axis", std::int64_t{0}}}));
  n.node("QLinearWhere",
         {n.input("c", Tensor::from<bool>({2, 1}, {true, false})), "x", "xs", "xz", "x", "ys", "yz", "ys", "yz"},
         "chosen");
  explain_all(n, 6 * 256);
}

TEST(Explain, AgreesOnSoftmax) {
  Network n;
  n.node("QLinearSoftmax",
         {n.input("x", DType::kUint8, {2, 4, 3}), n.scale("xs", 0.03F), n.zero_point("xz", DType::kUint8),
          n.scale("ys", 1 / 256.0F), n.zero_point("yz", DType::kUint8)},
         "y", attributes({{"axis", std::int64_t{1}}, {"opset", std::int64_t{13}}}));
  explain_all(n, 24);
}

TEST(Explain, AgreesOnQuantization) {
  Network n;
  n.input("x", DType::kFloat, {2, 3, 4});
  n.constant("scales", n.scales({3}, 0.005F, 0.02F));
  n.node("QuantizeLinear", {"x", "scales", n.constant("z", n.random(DType::kInt8, {3}))}, "q");
  n.node("DequantizeLinear", {"q", "scales", "z"}, "d");
  n.node("QuantizeLinear", {"x", n.constant("blocks", n.scales({2, 3, 2}, 0.1F, 0.3F))}, "blocked",
         attributes({{"axis", std::int64_t{2}}, {"block_size", std::int64_t{2}}, {"output_dtype", std::int64_t{22}}}));
  n.node("DynamicQuantizeLinear", {"x"}, "dynamic");
  n.model().graph.nodes.back().outputs = {"dynamic", "dynamic_scale", "dynamic_zero_point"};
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  n.node("DynamicQuantizeLinear", {n.constant("no_numbers", Tensor::from<float>({4}, {1, nan, 2, -inf}))}, "saturated");
  n.model().graph.nodes.back().outputs = {"saturated", "infinite", "highest"};
  explain_all(n, 4 * 24 + 2 + 4 + 2);
}

TEST(Explain, FindsWhereMovedElementsComeFrom) {
  Network n;
  n.input("x", DType::kUint8, {2, 4, 3, 2});
  n.node("Transpose", {"x"}, "transposed", attributes({{"perm", Ints{3, 0, 2, 1}}}));
  n.node("Reshape", {"x", n.constant("shape", Tensor::from<std::int64_t>({2}, {8, -1}))}, "reshaped");
  n.node("DepthToSpace", {"x"}, "spread", attributes({{"blocksize", std::int64_t{2}}}));
  n.node("Concat", {"x", "x", "x"}, "joined", attributes({{"axis", std::int64_t{-1}}}));
  n.node("Slice",
         {"x", n.constant("starts", Tensor::from<std::int64_t>({1}, {-1})),
          n.constant("ends", Tensor::from<std::int64_t>({1}, {-9})),
          n.constant("axes", Tensor::from<std::int64_t>({1}, {1})),
          n.constant("steps", Tensor::from<std::int64_t>({1}, {-2}))},
         "sliced");
  n.node("Pad",
         {"x", n.constant("pads", Tensor::from<std::int64_t>({8}, {0, 0, 1, 0, 0, 0, 0, 1})),
          n.zero_point("fill", DType::kUint8)},
         "padded");
  n.node(
      "Clip",
      {"x", n.constant("low", Tensor::scalar(std::uint8_t{30})), n.constant("high", Tensor::scalar(std::uint8_t{90}))},
      "clipped");
  n.node("ArgMax", {"x"}, "best", attributes({{"axis", std::int64_t{3}}, {"keepdims", std::int64_t{0}}}));
  explain_all(n, 48 * 3 + 144 + 24 + 2 * 4 * 4 * 3 + 48 + 24);
}

// Steps of 8-bit integers whose operators change them, or make up elements.
TEST(Explain, AgreesOnBytesThatComeFromNoElement) {
  Network n;
  n.input("x", DType::kUint8, {2, 3});
  n.node("BitwiseNot", {"x"}, "inverted");
  n.node("BitwiseAnd", {"x", "inverted"}, "none");
  n.node("Mod", {"x", n.constant("seven", Tensor::scalar(std::uint8_t{7}))}, "rest");
  n.node("Pad", {"x", n.constant("pads", Tensor::from<std::int64_t>({4}, {1, 0, 0, 2}))}, "padded");
  explain_all(n, 3 * 6 + 3 * 5);
}

// QDQ patterns become steps of several operations.
TEST(Explain, AgreesOnFusedPatterns) {
  Network n;
  const auto dequantized = [&](const std::string& name, const std::string& integers, float scale, DType dtype) {
    n.node("DequantizeLinear", {integers, n.scale(name + "_s", scale), n.zero_point(name + "_z", dtype)}, name);
    n.model().graph.outputs.pop_back();
  };
  const auto inner = [&](const std::string& op, std::vector<std::string> inputs, const std::string& output) {
    n.node(op, std::move(inputs), output);
    n.model().graph.outputs.pop_back();
  };
  n.input("x", DType::kUint8, {1, 2, 4, 4});
  n.constant("w", n.random(DType::kInt8, {3, 2, 3, 3}));
  dequantized("xd", "x", 0.02F, DType::kUint8);
  inner("DequantizeLinear", {"w", n.scale("ws", 0.01F)}, "wd");
  inner("Conv", {"xd", "wd"}, "conv");
  inner("Clip", {"conv", n.scale("low", -1.0F), n.scale("high", 2.0F)}, "clip");
  n.scale("ys", 0.05F);
  n.constant("yz", Tensor::scalar(std::uint8_t{100}));
  n.node("QuantizeLinear", {"clip", "ys", "yz"}, "y");
  inner("DequantizeLinear", {"y", "ys", "yz"}, "yd");
  inner("HardSwish", {"yd"}, "swish");
  n.node("QuantizeLinear", {"swish", n.scale("ts", 0.03F), n.zero_point("tz", DType::kInt8)}, "table");
  inner("DynamicQuantizeLinear", {n.input("r", DType::kFloat, {1, 2, 4, 4})}, "rq");
  n.model().graph.nodes.back().outputs = {"rq", "rs", "rz"};
  inner("ConvInteger", {"rq", "w", "rz"}, "acc");
  inner("Cast", {"acc"}, "real");
  n.model().graph.nodes.back().attributes.set("to", std::int64_t{1});
  inner("Mul", {"rs", "ws"}, "product");
  inner("Mul", {"real", "product"}, "scaled");
  n.node("Add", {"scaled", n.constant("bias", n.random(DType::kFloat, {3, 1, 1}))}, "biased");
  const Program program = lowered(n.model(), Policy::kExact);
  std::size_t largest = 0;
  for (const Step& step : program.steps) largest = std::max(largest, step.operations.size());
  EXPECT_EQ(largest, 5U) << "the chain is one step";
  explain_all(n, Policy::kExact, {});
}

// The only step of a network of one node.
Explanation explain_first(Network& network, const std::string& tensor, const Shape& index) {
  return explain_element(lowered(network.model(), Policy::kAsWritten), 0, tensor, index, network.values());
}

const ExplainedLine& line_of(const ExplainedOperation& operation, const std::string& label) {
  static const ExplainedLine none;
  for (const ExplainedSection& section : operation.sections)
    for (const ExplainedLine& line : section.lines)
      if (line.label == label) return line;
  ADD_FAILURE() << "no line " << label;
  return none;
}

const Alternative& other_rule(const ExplainedOperation& operation, const std::string& rule) {
  static const Alternative none;
  for (const Alternative& alternative : operation.alternatives)
    if (alternative.rule == rule) return alternative;
  ADD_FAILURE() << "no rule " << rule;
  return none;
}

Network puzzle(std::int64_t elements) {
  Network n;
  Tensor a(DType::kInt8, {elements}), b(DType::kInt8, {elements});
  for (std::int8_t& value : a.mutable_as<std::int8_t>()) value = -114;
  for (std::int8_t& value : b.mutable_as<std::int8_t>()) value = -122;
  const auto zero = [&](const std::string& name, std::int8_t value) { return n.constant(name, Tensor::scalar(value)); };
  n.node("QLinearAdd",
         {n.input("a", a), n.scale("as", .025346905F), zero("az", -106), n.input("b", b), n.scale("bs", .03580992F),
          zero("bz", -120), n.scale("cs", .036585972F), zero("cz", -105)},
         "c");
  return n;
}

// The published puzzle: ONNX Runtime exchanges A and B where they have one element.
TEST(Explain, SolvesThePuzzleOfQLinearAdd) {
  Network one = puzzle(1), two = puzzle(2);
  const Explanation exchanged = explain_first(one, "c", {0}), plain = explain_first(two, "c", {1});
  EXPECT_EQ(exchanged.result, ExplainedValue(std::int64_t{-112}));
  EXPECT_EQ(plain.result, ExplainedValue(std::int64_t{-113}));
  const ExplainedOperation& operation = exchanged.operations[0];
  EXPECT_EQ(line_of(operation, "t").value, ExplainedValue(-112.5F));
  EXPECT_EQ(line_of(operation, "t").exact->fraction, "-276214857 / 2455243");
  EXPECT_EQ(line_of(operation, "to the tie").value, ExplainedValue(0.0));
  EXPECT_EQ(line_of(operation, "to the tie").note, "on the tie, which goes to even; exactly it lies below");
  EXPECT_EQ(other_rule(operation, "no error before the rounding").result, ExplainedValue(std::int64_t{-113}));
  EXPECT_EQ(other_rule(operation, "A and B not exchanged").result, ExplainedValue(std::int64_t{-113}));
  EXPECT_EQ(other_rule(plain.operations[0], "A and B exchanged").result, ExplainedValue(std::int64_t{-112}));
  EXPECT_TRUE(other_rule(operation, "float64").differs);
}

// 255 * 127 + 200 * 50 = 42385, which int16 cuts to 32767; at a scale of 200 they are 212 and 164.
TEST(Explain, ShowsWhatSaturatingPairsWouldGive) {
  Network n;
  n.node("QLinearMatMul",
         {n.input("a", Tensor::from<std::uint8_t>({1, 2}, {255, 200})), n.scale("as", 1),
          n.constant("az", Tensor::scalar(std::uint8_t{0})), n.input("b", Tensor::from<std::int8_t>({2, 1}, {127, 50})),
          n.scale("bs", 1), n.constant("bz", Tensor::scalar(std::int8_t{0})), n.scale("ys", 200),
          n.constant("yz", Tensor::scalar(std::uint8_t{0}))},
         "y");
  const Explanation explanation = explain_first(n, "y", {0, 0});
  EXPECT_EQ(explanation.result, ExplainedValue(std::int64_t{212}));
  const Alternative& saturated = other_rule(explanation.operations[0], "AVX2 without VNNI, pairs of products in int16");
  EXPECT_EQ(saturated.result, ExplainedValue(std::int64_t{164}));
  EXPECT_TRUE(saturated.differs);
  EXPECT_EQ(saturated.note, "acc is 32767: 1 of 1 pair saturated; k = 0 and 1 sum to 42385");
}

TEST(Explain, RefusesWhatIsNotThere) {
  Network n = puzzle(2);
  const auto message = [&](const std::string& tensor, const Shape& index) {
    return failure_of([&] { explain_first(n, tensor, index); }).message();
  };
  EXPECT_EQ(message("d", {0}), "step c_node does not make d");
  EXPECT_EQ(message("c", {2}), "c is [2], and has no element [2]");
  EXPECT_EQ(message("c", {-1}), "c is [2], and has no element [-1]");
  EXPECT_EQ(message("c", {0, 0}), "c is [2], and has no element [0,0]");
  const Program program = lowered(n.model(), Policy::kAsWritten);
  EXPECT_EQ(failure_of([&] { explain_element(program, 0, "c", {0}, {}); }).message(),
            "the value of a, which c_node reads, is missing");
}

TEST(Explain, RoundsToHalfPrecision) {
  Network n;
  const auto half = [](const Tensor& tensor) { return convert(tensor, DType::kFloat16); };
  n.node("MatMulIntegerToFloat",
         {n.input("a", DType::kUint8, {2, 5}), n.input("b", DType::kInt8, {5, 3}),
          n.constant("as", half(Tensor::scalar(0.02F))), n.constant("bs", half(n.scales({3}, 0.01F, 0.03F)))},
         "y");
  NamedTensors values = n.values();
  const Program program = lowered(n.model(), Policy::kAsWritten);
  for (std::int64_t k = 0; k < 6; ++k) {
    const Explanation explanation = explain_element(program, 0, "y", index_of(k, {2, 3}), values);
    const float y = std::get<float>(explanation.result);
    EXPECT_EQ(to_float(to_float16(y)), y);
  }
}

}  // namespace
}  // namespace octet
