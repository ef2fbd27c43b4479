#include "octet/integer/integer_program.h"

#include <gtest/gtest.h>

#include "tests/analyze/network.h"
#include "tests/integer/comparison.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {
namespace {

using AxisNumbers = std::vector<std::int64_t>;

std::string refusal_of(const Program& program, const IntegerOptions& options = {}) {
  std::string what;
  EXPECT_EQ(error_of([&] { integer_program(program, options); }, &what), ErrorCode::kUnsupported);
  return what;
}

std::vector<std::string> names_of(const std::vector<HostStep>& steps) {
  std::vector<std::string> names;
  for (const HostStep& step : steps) names.push_back(step.name);
  return names;
}

std::vector<std::string> names_of(const IntegerProgram& program, const std::vector<TensorId>& tensors) {
  std::vector<std::string> names;
  for (const TensorId tensor : tensors) names.push_back(program.tensors[tensor].name);
  return names;
}

using Names = std::vector<std::string>;

TEST(IntegerProgram, ListsEveryStepThatIsFloatAtHeart) {
  Network n;
  n.input("x", DType::kUint8, {1, 2, 6, 5});
  n.scale("s", 0.03F);
  n.zero_point("z", DType::kUint8);
  n.node("MaxPool", {"x"}, "largest", attributes({{"kernel_shape", AxisNumbers{2, 2}}}));
  n.node("QLinearAveragePool", {"largest", "s", "z", "s", "z"}, "averages",
         attributes({{"kernel_shape", AxisNumbers{2, 2}}}));
  n.node("DequantizeLinear", {"averages", "s", "z"}, "real");
  n.node("Erf", {"real"}, "curve");
  n.node("QuantizeLinear", {"curve", "s", "z"}, "quantized");
  n.node("QLinearSoftmax", {"quantized", "s", "z", "s", "z"}, "y",
         attributes({{"axis", std::int64_t{1}}, {"opset", std::int64_t{13}}}));
  n.node("DynamicQuantizeLinear", {"curve"}, "dynamic");
  n.model().graph.nodes.back().outputs = {"dynamic", "dynamic_scale", "dynamic_zero_point"};
  n.node("ConvInteger", {"dynamic", n.constant("w", n.random(DType::kInt8, {1, 2, 1, 1})), "dynamic_zero_point"},
         "sums");
  n.node("Shape", {"x"}, "shape");
  EXPECT_EQ(refusal_of(lowered(n.model(), Policy::kAsWritten)),
            "8 of 9 steps are not of integers alone:\n"
            "  averages_node (QLinearAveragePool): it averages windows in float\n"
            "  real_node (DequantizeLinear): it makes float\n"
            "  curve_node (Erf): it computes in float\n"
            "  quantized_node (QuantizeLinear): it reads float\n"
            "  y_node (QLinearSoftmax): its sums are float\n"
            "  dynamic_node (DynamicQuantizeLinear): its scale is computed at run time\n"
            "  sums_node (ConvInteger): the zero point of x is computed at run time\n"
            "  shape_node (Shape): it computes shapes, indices or truth values");
}

TEST(IntegerProgram, SaysWhyAPatternWasNotFused) {
  Network n;
  n.input("x", DType::kUint8, {1, 4});
  n.node("DequantizeLinear", {"x", n.scale("s", 0.5F)}, "real");
  n.node("MatMul", {"real", n.constant("w", n.random(DType::kFloat, {4, 2}))}, "sums");
  n.node("QuantizeLinear", {"sums", "s"}, "y");
  n.model().graph.outputs = {value("y", {}, std::nullopt)};
  EXPECT_EQ(
      refusal_of(lowered(n.model(), Policy::kExact)),
      "3 of 3 steps are not of integers alone:\n"
      "  real_node (DequantizeLinear): it makes float\n"
      "  sums_node (MatMul): it computes in float: w is float: it comes from a constant, not from DequantizeLinear\n"
      "  y_node (QuantizeLinear): it reads float");
}

// image -> QuantizeLinear -> QLinearMatMul -> DequantizeLinear -> Softmax
Network classifier(bool softmax) {
  Network n;
  n.input("image", DType::kFloat, {2, 6});
  n.node("QuantizeLinear", {"image", n.scale("xs", 0.02F), n.constant("xz", Tensor::scalar(std::uint8_t{100}))}, "q");
  n.node("QLinearMatMul",
         {"q", "xs", "xz", n.constant("w", n.random(DType::kInt8, {6, 3})), n.scale("ws", 0.01F),
          n.constant("wz", Tensor::scalar(std::int8_t{0})), n.scale("ys", 0.03F), n.zero_point("yz", DType::kUint8)},
         "logits_quantized");
  n.node("DequantizeLinear", {"logits_quantized", "ys", "yz"}, "logits");
  n.model().graph.outputs = {value("logits", {}, std::nullopt)};
  if (softmax) {
    n.node("Softmax", {"logits"}, "probabilities", attributes({{"axis", std::int64_t{1}}}));
    n.model().graph.outputs = {value("probabilities", {}, std::nullopt)};
  }
  return n;
}

TEST(IntegerProgram, LeavesQuantizingAndDequantizingToTheHost) {
  Network n = classifier(false);
  const Program program = lowered(n.model(), Policy::kExact);
  const IntegerProgram integers = integer_program(program);
  EXPECT_EQ(names_of(integers.before), Names{"q_node"});
  EXPECT_EQ(names_of(integers.after), Names{"logits_node"});
  EXPECT_EQ(integers.steps.size(), 1U);
  EXPECT_EQ(names_of(integers, integers.inputs), Names{"q"});
  EXPECT_EQ(names_of(integers, integers.outputs), Names{"logits_quantized"});
  const IntegerTensor& q = integers.tensors[integers.inputs[0]];
  EXPECT_EQ(q.meaning, (Quantization{0.02F, 100}));
  EXPECT_EQ(q.type, DType::kUint8);
  EXPECT_EQ(q.shape, (Shape{2, 6}));
  EXPECT_EQ(expect_equal(program, n.values()), 6);
}

TEST(IntegerProgram, GivesAFloatTailToTheHostIfAsked) {
  Network n = classifier(true);
  const Program program = lowered(n.model(), Policy::kExact);
  EXPECT_EQ(refusal_of(program),
            "2 of 4 steps are not of integers alone:\n"
            "  logits_node (DequantizeLinear): it makes float\n"
            "  probabilities_node (Softmax): it computes in float: probabilities is wanted in float");
  const IntegerProgram integers = integer_program(program, {.host_border = true});
  EXPECT_EQ(names_of(integers.before), Names{"q_node"});
  EXPECT_EQ(names_of(integers.after), (Names{"logits_node", "probabilities_node"}));
  EXPECT_EQ(names_of(integers, integers.outputs), Names{"logits_quantized"});

  // The host's steps and the integer ones together are the network.
  const ReferenceEngine host(program);
  NamedTensors values = n.values();
  for (const HostStep& step : integers.before) values.merge(host.run_step(step.step, values));
  values.merge(interpret(integers, {{"q", values.at("q")}}));
  for (const HostStep& step : integers.after) values.merge(host.run_step(step.step, values));
  EXPECT_EQ(values.at("probabilities"), host.run(n.values()).at("probabilities"));
}

TEST(IntegerProgram, GivesAFloatHeadToTheHostIfAsked) {
  Network n;
  n.input("image", DType::kFloat, {2, 6});
  n.scale("s", 0.02F);
  n.zero_point("z", DType::kUint8);
  n.node("Erf", {"image"}, "curve");
  n.node("QuantizeLinear", {"curve", "s", "z"}, "q");
  n.node("QLinearAdd", {"q", "s", "z", "q", "s", "z", "s", "z"}, "twice");
  n.node("Add", {"curve", "image"}, "beside");
  const Program program = lowered(n.model(), Policy::kExact);
  const IntegerProgram integers = integer_program(program, {.host_border = true});
  EXPECT_EQ(names_of(integers.before), (Names{"curve_node", "q_node", "beside_node"}));
  EXPECT_EQ(names_of(integers, integers.inputs), Names{"q"});
  EXPECT_EQ(names_of(integers, integers.outputs), Names{"twice"});
  EXPECT_EQ(expect_equal(program, n.values()), 12);
}

TEST(IntegerProgram, RefusesFloatInTheMiddleWhoeverTheBorderBelongsTo) {
  Network n;
  n.input("x", DType::kUint8, {4});
  n.scale("s", 0.02F);
  n.zero_point("z", DType::kUint8);
  n.node("QLinearSigmoid", {"x", "s", "z", "s", "z"}, "first");
  n.node("DequantizeLinear", {"first", "s", "z"}, "real");
  n.node("Erf", {"real"}, "curve");
  n.node("QuantizeLinear", {"curve", "s", "z"}, "q");
  n.node("QLinearSigmoid", {"q", "s", "z", "s", "z"}, "y");
  EXPECT_EQ(refusal_of(lowered(n.model(), Policy::kAsWritten), {.host_border = true}),
            "3 of 5 steps are not of integers alone:\n"
            "  real_node (DequantizeLinear): it makes float\n"
            "  curve_node (Erf): it computes in float\n"
            "  q_node (QuantizeLinear): it reads float");
}

TEST(IntegerProgram, RefusesWhatHasNoIntegers) {
  Network n;
  n.node("Erf", {n.input("x", DType::kFloat, {4})}, "curve");
  n.node("Softmax", {"curve"}, "y");
  EXPECT_EQ(
      refusal_of(lowered(n.model(), Policy::kExact), {.host_border = true}),
      "no step is of integers alone, all 2 are the host's:\n"
      "  curve_node (Erf): it computes in float: x is float: it comes from a graph input, not from DequantizeLinear\n"
      "  y_node (Softmax): it computes in float: curve is float: it comes from curve_node (Erf), not from "
      "DequantizeLinear");
}

TEST(IntegerProgram, SaysWhichLayersTheHostHasToCompute) {
  Model model = model_from(
      "f (x) => (y) { a = MatMul(x, w) b = QuantizeLinear(a, s) c = Transpose(b) y = DequantizeLinear(c, s) }",
      {value("x", DType::kFloat, SymbolicShape{2, 2})}, 13);
  add_initializer(model, "w", Tensor::from<float>({2, 2}, {1, 2, 3, 4}));
  add_initializer(model, "s", Tensor::scalar(0.5F));
  const IntegerProgram program = integer_program(lowered(model, Policy::kAsWritten), {.host_border = true});
  EXPECT_EQ(host_products(program), std::vector<std::string>{"a"});
  EXPECT_EQ(program.before.size(), 2U);
  // Weights of 8 bits that a float layer reads.
  model.graph.nodes[0].inputs[1] = "v";
  model.graph.nodes.insert(model.graph.nodes.begin(), model.graph.nodes[3]);
  model.graph.nodes[0].inputs = {"bytes", "s"};
  model.graph.nodes[0].outputs = {"v"};
  add_initializer(model, "bytes", Tensor::from<std::int8_t>({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(host_products(integer_program(lowered(model, Policy::kAsWritten), {.host_border = true})),
            std::vector<std::string>{"a"});
}

TEST(IntegerProgram, NamesTheSymbolsThatNeedNumbers) {
  Network n;
  n.node("Transpose", {n.input("x", DType::kUint8, {2, 3})}, "y");
  n.model().graph.inputs[0].type.shape = SymbolicShape{Dim::symbol("N"), Dim::symbol("C")};
  const Program program = lowered(n.model(), Policy::kExact);
  std::string what;
  EXPECT_EQ(error_of([&] { integer_program(program); }, &what), ErrorCode::kUsage);
  EXPECT_EQ(what, "shapes are not known before the run: C, N; give them numbers: --dim, or specialized()");
  EXPECT_EQ(expect_equal(specialized(program, {{"N", 2}, {"C", 3}}), n.values()), 6);
}

// Constants of hardware: raw bytes are multiplied, so the start has the bias and x's zero point, and padding is the zero
// point's byte.
TEST(IntegerProgram, HasTheConstantsOfHardware) {
  Network n;
  n.node("QLinearConv",
         {n.input("x", DType::kUint8, {1, 1, 2, 2}), n.scale("xs", 0.5F),
          n.constant("xz", Tensor::scalar(std::uint8_t{7})),
          n.constant("w", Tensor::from<std::int8_t>({2, 1, 1, 2}, {3, -5, 10, 20})),
          n.constant("ws", Tensor::from<float>({2}, {0.25F, 0.5F})),
          n.constant("wz", Tensor::from<std::int8_t>({2}, {0, 2})), n.scale("ys", 1.0F),
          n.constant("yz", Tensor::scalar(std::uint8_t{9})),
          n.constant("b", Tensor::from<std::int32_t>({2}, {100, -100}))},
         "y", attributes({{"pads", AxisNumbers{0, 1, 0, 0}}}));
  const IntegerProgram program = integer_program(lowered(n.model(), Policy::kAsWritten));
  const auto& step = std::get<integer::Convolution>(program.steps[0].task);
  EXPECT_EQ(step.sum.starts, (std::vector<std::int32_t>{100 - 7 * (3 - 5), -100 - 7 * (8 + 18)}));
  EXPECT_EQ(step.sum.w_zero_points, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(step.sum.x_zero_point, 0);
  EXPECT_EQ(step.padding, 7);
  const std::vector<IntegerRequantizer>& channels = std::get<integer::Requantize>(step.epilogue[0]).channels;
  ASSERT_EQ(channels.size(), 2U);
  // M is 1/8: -4, 4 and 12 are ties, which go to even.
  EXPECT_EQ(channels[0](-5), 8);
  EXPECT_EQ(channels[0](-4), 9);
  EXPECT_EQ(channels[0](4), 9);
  EXPECT_EQ(channels[0](12), 11);
}

}  // namespace
}  // namespace octet
