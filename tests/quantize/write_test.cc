// What the writers make of a plan: which nodes, under which names, and what they compute.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "octet/base/error.h"
#include "octet/quantize/clamp.h"
#include "octet/quantize/dynamic.h"
#include "octet/quantize/plan.h"
#include "tests/support/engines.h"

namespace octet {
namespace {

Tensor reals(Shape shape, std::initializer_list<float> values) { return Tensor::from<float>(std::move(shape), values); }

// y = Relu(Conv(x, w, b)), all of one channel and kernel 1: y = max(0, 0.5 x - 0.25).
Model convolution(std::int64_t opset = 17) {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", opset}};
  Graph& graph = model.graph;
  graph.name = "convolution";
  graph.inputs = {{.name = "x", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{1, 1, 2, 2}}}};
  graph.outputs = {{.name = "y", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{1, 1, 2, 2}}}};
  graph.initializers = {{.name = "w", .tensor = reals({1, 1, 1, 1}, {0.5F})},
                        {.name = "b", .tensor = reals({1}, {-0.25F})}};
  graph.nodes = {{.name = "conv", .op_type = "Conv", .inputs = {"x", "w", "b"}, .outputs = {"c"}},
                 {.name = "relu", .op_type = "Relu", .inputs = {"c"}, .outputs = {"y"}}};
  return model;
}
const Ranges kRanges = {{"x", {-1, 1}}, {"c", {-0.75F, 0.25F}}, {"y", {0, 0.25F}}};

std::vector<std::string> operators(const Model& model) {
  std::vector<std::string> result;
  for (const Node& node : model.graph.nodes) result.push_back(node.op_type);
  return result;
}
std::vector<float> run(const Model& model, std::initializer_list<float> x) {
  const Tensor y = run_as_written(model, {{"x", reals({1, 1, 2, 2}, x)}}).at("y");
  return {y.as<float>().begin(), y.as<float>().end()};
}
Plan planned(const StaticOptions& options = {}, Model model = convolution()) {
  return plan(std::move(model), kRanges, options, Selection());
}
std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// y = Softmax(x * w + mask) * w, the mask -inf above the diagonal: scores that have no scale, and products that have.
TEST(Plan, LeavesWhatHoldsInfinitiesFloat) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  model.graph.inputs = {{.name = "x", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{2, 2}}}};
  model.graph.outputs = {{.name = "y", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{2, 2}}}};
  model.graph.initializers = {{.name = "w", .tensor = reals({2, 2}, {1, 0.5F, 0.25F, 1})},
                              {.name = "mask", .tensor = reals({2, 2}, {0, -kInfinity, 0, 0})}};
  model.graph.nodes = {{.name = "product", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"p"}},
                       {.name = "masked", .op_type = "Add", .inputs = {"p", "mask"}, .outputs = {"s"}},
                       {.name = "turned", .op_type = "Transpose", .inputs = {"s"}, .outputs = {"u"}},
                       {.name = "softmax", .op_type = "Softmax", .inputs = {"u"}, .outputs = {"a"}},
                       {.name = "last", .op_type = "MatMul", .inputs = {"a", "w"}, .outputs = {"y"}}};
  const Ranges ranges = {{"x", {-1, 1}},         {"p", {-2, 2}}, {"s", {-kInfinity, 2}},
                         {"u", {-kInfinity, 2}}, {"a", {0, 1}},  {"y", {0, 2}}};
  const Plan plan = octet::plan(model, ranges, {}, Selection());
  std::vector<std::string> reasons;
  for (const NodeVerdict& node : plan.report) reasons.push_back(node.reason);
  EXPECT_EQ(reasons,
            (std::vector<std::string>{"", "mask holds infinities", "s holds infinities", "u holds infinities", ""}));
  EXPECT_EQ(plan.warnings, (std::vector<std::string>{"tensor s is in [-inf, 2]: what makes or reads it stays float",
                                                     "tensor u is in [-inf, 2]: what makes or reads it stays float"}));
}

// A node that a function in opset 11 brought into a model of a newer one.
Model followed_by(const Node& node) {
  Model model = convolution();
  model.graph.nodes[1] = node;
  model.graph.nodes[1].opset = 11;
  model.graph.outputs[0].type.shape.reset();
  return model;
}

TEST(Plan, AsksForTheOpsetOfTheNode) {
  Node pool{.name = "pool", .op_type = "MaxPool", .inputs = {"c"}, .outputs = {"y"}};
  pool.attributes.set("kernel_shape", std::vector<std::int64_t>{1, 1});
  EXPECT_EQ(plan(followed_by(pool), kRanges, {}, Selection()).report[1].reason,
            "MaxPool takes 8-bit numbers from opset 12 on");
}

TEST(WriteOperators, GivesSoftmaxTheOpsetOfTheNode) {
  Model model = followed_by({.name = "softmax", .op_type = "Softmax", .inputs = {"c"}, .outputs = {"s"}});
  model.graph.nodes.push_back({.name = "sum", .op_type = "Add", .inputs = {"s", "s"}, .outputs = {"y"}});
  const Ranges ranges = {{"x", {-1, 1}}, {"c", {-0.75F, 0.25F}}, {"s", {0, 1}}, {"y", {0, 2}}};
  const Model written = write_operators(plan(model, ranges, {}, Selection()));
  const auto softmax = std::ranges::find(written.graph.nodes, "QLinearSoftmax", &Node::op_type);
  ASSERT_NE(softmax, written.graph.nodes.end());
  EXPECT_EQ(softmax->attributes.get_int("opset", 0), 11);
  EXPECT_EQ(softmax->attributes.get_int("axis", 0), 1);
}

// From opset 11 on the bounds of Clip are inputs, and an attribute of that name says nothing.
TEST(Clamp, ReadsBoundsWhereItsOpsetHasThem) {
  Node clip{.name = "clip", .op_type = "Clip", .inputs = {"c"}, .outputs = {"y"}};
  clip.attributes.set("min", 0.0F);
  Model model = convolution();
  model.graph.nodes[1] = clip;
  EXPECT_EQ(clamp_bounds(model, model.graph.nodes[1]).low, std::nullopt);
  model.graph.nodes[1].opset = 10;
  EXPECT_EQ(clamp_bounds(model, model.graph.nodes[1]).low, 0.0F);
}

TEST(WriteQdq, PutsOnePairAroundEveryActivation) {
  const Model model = write_qdq(planned());
  EXPECT_EQ(operators(model),
            (std::vector<std::string>{"QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "DequantizeLinear",
                                      "Conv", "QuantizeLinear", "DequantizeLinear"}));
  EXPECT_EQ(model.graph.nodes.back().outputs[0], "y");
  EXPECT_NEAR(run(model, {1, 0.5F, -1, 0})[0], 0.25F, 2 / 255.0F);
}

// The Relu is dropped: the convolution still makes c, and nothing is called r, which would be a number below 0.
TEST(WriteQdq, KeepsTheMeaningOfNamesWhereAReluIsDropped) {
  Model model = convolution();
  model.graph.nodes[0].outputs = {"r_scale"};  // a name that the writer would like to have
  model.graph.nodes[1].inputs = {"r_scale"};
  model.graph.nodes[1].outputs = {"r"};
  model.graph.nodes.push_back({.name = "root", .op_type = "Sqrt", .inputs = {"r"}, .outputs = {"y"}});
  const Ranges ranges = {{"x", {-1, 1}}, {"r", {0, 0.25F}}};
  const Model quantized = write_qdq(plan(model, ranges, {}, Selection()));
  const auto engine = make_engine("reference", lower(quantized, Policy::kAsWritten));
  const NamedTensors values = engine->run({{"x", reals({1, 1, 2, 2}, {-1, 1, 0, 0.5F})}}, {.keep_all = true});
  EXPECT_NEAR(values.at("r_scale").as<float>()[0], -0.75F, 0.01F);
  EXPECT_FALSE(values.contains("r"));
  EXPECT_EQ(values.at("r_DequantizeLinear_Output").as<float>()[0], 0);
  EXPECT_NEAR(values.at("y").as<float>()[1], 0.5F, 0.01F);
  // Where a float operator makes what is quantized, also in operator format.
  model.graph.nodes[0].op_type = "ConvTranspose";
  const Model operators_model =
      write_operators(plan(model, ranges, {.format = QuantizedFormat::kOperator}, Selection()));
  for (const Node& node : operators_model.graph.nodes)
    if (node.op_type == "ConvTranspose") {
      EXPECT_EQ(node.outputs[0], "r_scale");
    }
}

TEST(WriteOperators, ComputesOnIntegersBetweenOneQuantizeLinearAndOneDequantizeLinear) {
  const Model model = write_operators(planned({.format = QuantizedFormat::kOperator}));
  EXPECT_EQ(operators(model), (std::vector<std::string>{"QuantizeLinear", "QLinearConv", "DequantizeLinear"}));
  EXPECT_EQ(run(model, {1, 0.5F, -1, 0}), run(write_qdq(planned()), {1, 0.5F, -1, 0}));
}

TEST(WriteOperators, KeepsAReluThatMattersAsAClipOfIntegers) {
  const StaticOptions symmetric{.format = QuantizedFormat::kOperator, .symmetric_activations = true};
  const Model model = write_operators(planned(symmetric));
  EXPECT_EQ(operators(model), (std::vector<std::string>{"QuantizeLinear", "QLinearConv", "Clip", "DequantizeLinear"}));
  EXPECT_EQ(run(model, {-1, -1, -1, 0})[0], 0.0F);
}

TEST(WriteOperators, GivesAFloatOperatorTheQuantizedWeightsToo) {
  Model transposed = convolution();
  transposed.graph.nodes[0].op_type = "ConvTranspose";
  const Model operators_model = write_operators(planned({.format = QuantizedFormat::kOperator}, transposed));
  const Model pairs = write_qdq(planned({}, transposed));
  EXPECT_EQ(std::count_if(operators_model.graph.nodes.begin(), operators_model.graph.nodes.end(),
                          [](const Node& node) { return node.op_type == "DequantizeLinear"; }),
            4);  // x, w, b and y
  EXPECT_EQ(run(operators_model, {1, 0.3F, 0.7F, 0.9F}), run(pairs, {1, 0.3F, 0.7F, 0.9F}));
}

TEST(WriteQdq, LeavesConstantsAloneThatHaveTheNameItWants) {
  Model model = convolution();
  model.graph.initializers.push_back({.name = "c_scale", .tensor = reals({}, {3})});
  model.graph.initializers.push_back({.name = "y_scale", .tensor = reals({}, {4})});
  model.graph.nodes[1].outputs = {"r"};
  model.graph.nodes.push_back({.name = "power", .op_type = "Pow", .inputs = {"r", "y_scale"}, .outputs = {"y"}});
  const Model quantized = write_qdq(plan(std::move(model), {{"x", {-1, 1}}, {"r", {0, 0.25F}}}, {}, Selection()));
  EXPECT_NEAR(run(quantized, {1, 0, 0, 0})[0], 0.25F * 0.25F * 0.25F * 0.25F, 2e-4F);
}

TEST(WriteQdq, Makes16BitModelsInEveryOpset) {
  for (const std::int64_t opset : {13, 17, 21}) {
    const StaticOptions options{.activations = DType::kUint16};
    const Model model = write_qdq(planned(options, convolution(opset)));
    EXPECT_EQ(model.graph.nodes[0].domain, opset < 21 ? "com.microsoft" : "") << opset;
    EXPECT_EQ(model.opset("com.microsoft"), opset < 21 ? 1 : 0);
    EXPECT_EQ(find_initializer(model.graph, "y_zero_point")->tensor.dtype(), DType::kUint16);
    // 16 bits tell 0.3 from 0.3001; 8 would not. The weight is exact, the bias is in steps of about 1e-7.
    const std::vector<float> y = run(model, {0.6F, 0.6002F, -1, 1});
    EXPECT_NEAR(y[0], 0.05F, 1e-5F);
    EXPECT_NEAR(y[1], 0.0501F, 1e-5F);
    EXPECT_EQ(y[2], 0.0F);
  }
}

TEST(Plan, RefusesOptionsThatContradictEachOther) {
  EXPECT_EQ(message_of([] { planned({.format = QuantizedFormat::kOperator, .activations = DType::kInt16}); }),
            "operator format has no 16-bit activations; use QDQ format");
  EXPECT_EQ(message_of([] { planned({.weights = DType::kInt16}); }), "weights of type int16; wanted int8 or uint8");
}

TEST(Plan, SaysWhyNothingCanBeQuantized) {
  Model model = convolution();
  model.graph.nodes = {{.name = "exp", .op_type = "Exp", .inputs = {"x"}, .outputs = {"y"}}};
  EXPECT_EQ(message_of([&] { planned({}, model); }),
            "nothing in this model can be quantized; exp (Exp): no 8-bit form of Exp");
}

// y = pool(x). The range of x is 6 times that of y.
Plan pooled(const std::string& pool, const StaticOptions& options,
            const Ranges& ranges = {{"x", {0, 6}}, {"y", {0, 1}}}, std::vector<Node> behind = {}) {
  Model model = convolution();
  model.graph.outputs[0].type.shape.reset();
  model.graph.nodes = {{.name = "pool", .op_type = pool, .inputs = {"x"}, .outputs = {behind.empty() ? "y" : "p"}}};
  if (pool == "AveragePool") model.graph.nodes[0].attributes.set("kernel_shape", std::vector<std::int64_t>{1, 1});
  model.graph.nodes.insert(model.graph.nodes.end(), behind.begin(), behind.end());
  return plan(model, ranges, options, Selection());
}

// How much finer the scale of `y` is than that of `x`.
float finer(const Plan& plan, const std::string& y = "y", const std::string& x = "x") {
  return plan.activations.at(x).scales[0] / plan.activations.at(y).scales[0];
}

TEST(Plan, GivesAveragePoolsTheScaleThatIsAskedFor) {
  const auto facts = [](const Plan& plan) { return std::pair(finer(plan), plan.report[0].reason); };
  const std::pair own(6.0F, std::string()), shared(1.0F, std::string("has the scale of its input")),
      shifted(4.0F, std::string("has the scale of its input over 4"));
  EXPECT_EQ(facts(pooled("AveragePool", {})), shifted);
  EXPECT_EQ(facts(pooled("GlobalAveragePool", {})), own);
  for (const auto& [form, wanted] :
       {std::pair(PoolForm::kOwnScale, own), {PoolForm::kSharedScale, shared}, {PoolForm::kShiftedScale, shifted}}) {
    EXPECT_EQ(facts(pooled("AveragePool", {.average_pool_form = form})), wanted);
    EXPECT_EQ(facts(pooled("GlobalAveragePool", {.global_pool_form = form})), wanted);
  }
}

TEST(Plan, ShiftsThePoolsScaleAsFarAsItsRangeAllows) {
  const auto shift = [](const Range& x, const Range& y, const StaticOptions& options = {}) {
    const Plan result = pooled("AveragePool", options, {{"x", x}, {"y", y}});
    EXPECT_EQ(result.activations.at("x").zero_points, result.activations.at("y").zero_points);
    return finer(result);
  };
  EXPECT_EQ(shift({0, 8}, {0, 1}), 8);          // it fits exactly
  EXPECT_EQ(shift({0, 7.9F}, {0, 1}), 4);       // not quite
  EXPECT_EQ(shift({0, 1}, {0, 2}), 1);          // percentiles may say so
  EXPECT_EQ(shift({-1, 8}, {-0.3F, 0.5F}), 2);  // either end counts
  EXPECT_EQ(shift({-1, 8}, {-0.3F, 0.5F}, {.symmetric_activations = true}), 16);
  EXPECT_EQ(shift({-1, 8}, {-0.3F, 0.5F}, {.zero_point_form = ZeroPointForm::kRestricted}), 16);
  EXPECT_EQ(shift({0, 6}, {0, 1.9F}, {.scale_form = ScaleForm::kPowerOfTwo}), 4);  // the input's reaches 8
  EXPECT_EQ(shift({0, 6}, {0, 1.9F}, {.activations = DType::kUint16}), 2);
  EXPECT_EQ(shift({2, 8}, {2.5F, 4}), 2);  // ranges hold 0
  EXPECT_EQ(shift({0, 8}, {0, 0}), 1);
  EXPECT_EQ(shift({0, 8}, {0, 1e-9F}), 256);
  EXPECT_EQ(shift({0, 3.2e-36F}, {0, 1e-37F}), 1);  // no scale is below the smallest normal number
}

TEST(Plan, ShiftsNoScaleThatOthersShare) {
  const Ranges ranges = {{"x", {0, 6}}, {"p", {0, 6}}, {"c", {-20, 30}}, {"y", {-20, 36}}};
  const std::vector<Node> behind = {{.name = "other", .op_type = "Sigmoid", .inputs = {"x"}, .outputs = {"c"}},
                                    {.name = "add", .op_type = "Add", .inputs = {"p", "c"}, .outputs = {"y"}}};
  const Plan result = pooled("AveragePool", {.residual_form = ResidualForm::kSharedScale}, ranges, behind);
  EXPECT_EQ(result.activations.at("x").scales[0], static_cast<float>(6.0 / 255));
  for (const char* tensor : {"p", "c", "y"})
    EXPECT_EQ(result.activations.at(tensor).scales[0], static_cast<float>(56.0 / 255)) << tensor;
  EXPECT_EQ(result.report[0].reason, "");
}

TEST(Plan, LetsAReluBehindAPoolChooseItsScale) {
  const Node relu = {.name = "relu", .op_type = "Relu", .inputs = {"p"}, .outputs = {"y"}};
  const Plan result = pooled("AveragePool", {}, {{"x", {-6, 6}}, {"y", {0, 1}}}, {relu});
  EXPECT_EQ(result.activations.at("y").zero_points[0], -128);
  EXPECT_EQ(finer(result), 12);
  EXPECT_EQ(result.model.graph.nodes.size(), 1U);  // the Relu is absorbed
}

TEST(Plan, KeepsTheScaleOfASoftmaxWhereItsBytesMove) {
  const std::vector<Node> behind = {
      {.name = "softmax", .op_type = "Softmax", .inputs = {"p"}, .outputs = {"s"}},
      {.name = "flatten", .op_type = "Flatten", .inputs = {"s"}, .outputs = {"f"}},
      {.name = "add", .op_type = "Add", .inputs = {"f", "f"}, .outputs = {"y"}},
  };
  const Plan result = pooled("GlobalAveragePool", {},
                             {{"x", {0, 6}}, {"p", {0, 1}}, {"s", {0, 0.9F}}, {"f", {0, 0.9F}}, {"y", {0, 2}}}, behind);
  for (const char* tensor : {"s", "f"}) {
    EXPECT_EQ(result.activations.at(tensor).scales[0], 1 / 256.0F);
    EXPECT_EQ(result.activations.at(tensor).zero_points[0], -128);
  }
}

TEST(Plan, NeedsTheRangesOfWhatItQuantizes) {
  using Names = std::set<std::string>;
  EXPECT_EQ(tensors_to_observe(convolution()), (Names{"c", "x", "y"}));
  EXPECT_EQ(tensors_to_observe(convolution(), {}, Selection()), (Names{"x", "y"}));  // the Relu takes c before it is
  EXPECT_EQ(tensors_to_observe(convolution(), {}, Selection({"Conv"})), (Names{"c", "x"}));
  EXPECT_EQ(message_of([] { tensors_to_observe(convolution(), {}, Selection({"Gemm"})); }).substr(0, 38),
            "nothing in this model can be quantized");
  for (const std::vector<std::string>& types : {std::vector<std::string>{}, {"Conv"}, {"Conv", "Relu"}}) {
    const Selection selection(types);
    Ranges ranges;
    for (const std::string& tensor : tensors_to_observe(convolution(), {}, selection)) ranges[tensor] = {-1, 1};
    EXPECT_EQ(plan(convolution(), ranges, {}, selection).activations.size(), ranges.size());
  }
}

TEST(Plan, WarnsOfATensorThatIsAlwaysZero) {
  const Plan result = plan(convolution(), {{"x", {0, 0}}, {"y", {0, 0}}}, {}, Selection());
  EXPECT_EQ(result.warnings,
            (std::vector<std::string>{"tensor x is always 0; its scale is 1", "tensor y is always 0; its scale is 1"}));
  EXPECT_EQ(run(write_qdq(result), {0, 0, 0, 0}), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Dynamic, GivesEveryNodeANameOfItsOwn) {
  Model model = convolution();
  model.graph.nodes[0].name = "c";  // as its output
  const DynamicResult result = quantize_dynamic(std::move(model), {}, Selection());
  std::vector<std::string> names;
  for (const Node& node : result.model.graph.nodes) names.push_back(node.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Dynamic, FollowsTheEquations) {
  // lo = -1, hi = 1.55, scale = 2.55 / 255 = 0.01, zero point -28; the weight 0.5 is 127 steps of 0.5 / 127.
  for (const DynamicOptions options : {DynamicOptions{}, DynamicOptions{.symmetric_weights = false}}) {
    const Model model = quantize_dynamic(convolution(), options, Selection()).model;
    const std::vector<float> y = run(model, {-1, 1.55F, 0, 0.75F});
    EXPECT_EQ(y[0], 0.0F);
    EXPECT_NEAR(y[1], 0.525F, 1e-6F);
    EXPECT_EQ(y[2], 0.0F);
    EXPECT_NEAR(y[3], 0.125F, 1e-6F);
  }
}

TEST(Dynamic, WantsTheOpsetOfDynamicQuantizeLinear) {
  const Model model = quantize_dynamic(convolution(11), {}, Selection()).model;
  EXPECT_NEAR(run(model, {-1, 1.55F, 0, 0.75F})[1], 0.525F, 1e-6F);
  EXPECT_EQ(message_of([] { quantize_dynamic(convolution(10), {}, Selection()); }),
            "the model's opset is 10; dynamic quantization wants 11 or later");
}

TEST(Dynamic, TakesZerosForScaleOne) {
  for (const bool symmetric : {false, true}) {
    const Model model = quantize_dynamic(convolution(), {.symmetric_activations = symmetric}, Selection()).model;
    EXPECT_EQ(run(model, {0, 0, 0, 0}), (std::vector<float>{0, 0, 0, 0}));
  }
}

// Gates i, o, f, c of one direction, H = 1, two inputs: W is [1, 4, 2].
TEST(Dynamic, WritesAnLstmWithOneScalePerDirectionOrGate) {
  Model model = convolution();
  model.graph.inputs[0].type.shape = SymbolicShape{1, 1, 2};
  model.graph.outputs[0].type.shape = SymbolicShape{1, 1, 1, 1};
  model.graph.initializers = {{.name = "w", .tensor = reals({1, 4, 2}, {1.28F, 0, 0, -2.54F, 0.5F, 0, 0, 0})},
                              {.name = "r", .tensor = reals({1, 4, 1}, {1, 1, 1, 1})}};
  model.graph.nodes = {{.name = "lstm", .op_type = "LSTM", .inputs = {"x", "w", "r"}, .outputs = {"y"}}};
  model.graph.nodes[0].attributes.set("hidden_size", std::int64_t{1});
  for (const bool per_channel : {false, true}) {
    const DynamicResult result = quantize_dynamic(model, {.per_channel = per_channel}, Selection());
    const Graph& graph = result.model.graph;
    const Node& lstm = graph.nodes[0];
    EXPECT_EQ(lstm.op_type, "DynamicQuantizeLSTM");
    EXPECT_EQ(result.model.opset("com.microsoft"), 1);
    const auto constant = [&](std::size_t input) { return find_initializer(graph, lstm.inputs[input])->tensor; };
    ASSERT_EQ(lstm.inputs.size(), 12U);
    const std::vector<std::int8_t> values = per_channel ? std::vector<std::int8_t>{127, 0, 127, 0, 0, -127, 0, 0}
                                                        : std::vector<std::int8_t>{64, 0, 25, 0, 0, -127, 0, 0};
    EXPECT_TRUE(constant(1).identical(Tensor::from<std::int8_t>({1, 2, 4}, std::span<const std::int8_t>(values))));
    EXPECT_EQ(constant(8).shape(), (per_channel ? Shape{1, 4} : Shape{1}));
    EXPECT_EQ(constant(9).dtype(), DType::kInt8);
    EXPECT_EQ(constant(10).shape(), constant(8).shape());
    EXPECT_EQ(result.report[0].reason, "uint8 activations: DynamicQuantizeLSTM has no others");
  }
  model.graph.nodes[0].attributes.set("layout", std::int64_t{1});
  EXPECT_EQ(message_of([&] { quantize_dynamic(model, {}, Selection()); }),
            "nothing in this model can be quantized dynamically; lstm: DynamicQuantizeLSTM has no layout 1");
}

Plan planned_by(const char* rules, const StaticOptions& options = {}, Model model = convolution()) {
  return plan(std::move(model), kRanges, options, Selection({}, {}, parse_rules(rules)));
}

TEST(Plan, GivesWhatANodeReadsAndMakesTheTypeOfItsRule) {
  const Plan decided = planned_by(R"([{"match": {"name": "conv"}, "quantize": true, "activations": "int16"}])");
  EXPECT_EQ(decided.activations.at("x").dtype, DType::kInt16);
  EXPECT_EQ(decided.activations.at("y").dtype, DType::kInt16);
  EXPECT_EQ(decided.activations.at("x").scales[0], 2.0F / 65535);
  EXPECT_EQ(decided.nodes[0].weights->parameters.dtype, DType::kInt8);
  const std::vector<float> y = run(write_qdq(decided), {-1, 0.25F, 0.75F, 1});
  EXPECT_NEAR(y[2], 0.125, 1e-4);
  EXPECT_NEAR(y[3], 0.25, 1e-4);
  const Model written = write_qdq(decided);
  EXPECT_EQ(written.graph.nodes[0].domain, "com.microsoft") << "opset 17 has no 16-bit QuantizeLinear";
}

TEST(Plan, GivesATensorTheWidestTypeThatIsAskedFor) {
  const char* both = R"([{"match": {"name": "relu"}, "quantize": true, "activations": "int16"},
                         {"match": {"name": "conv"}, "quantize": true, "activations": "uint8"}])";
  const Plan decided = planned_by(both);
  EXPECT_EQ(decided.activations.at("x").dtype, DType::kUint8);
  EXPECT_EQ(decided.activations.at("y").dtype, DType::kInt16);
  const std::string clash = message_of([] {
    planned_by(R"([{"match": {"name": "relu"}, "quantize": true, "activations": "int8"},
                   {"match": {"name": "conv"}, "quantize": true, "activations": "uint8"}])");
  });
  EXPECT_NE(clash.find("y is uint8 by the rule for conv (Conv) and int8 by the rule for relu (Relu)"),
            std::string::npos)
      << clash;
}

TEST(Plan, HasNo16BitRulesInOperatorFormat) {
  const std::string message = message_of([] {
    planned_by(R"([{"match": {"name": "conv"}, "quantize": true, "activations": "int16"}])",
               {.format = QuantizedFormat::kOperator});
  });
  EXPECT_NE(message.find("conv (Conv): operator format has no 16-bit activations"), std::string::npos) << message;
}

TEST(Plan, TakesTheRangeOfARule) {
  const Plan decided = planned_by(R"([{"match": {"name": "conv"}, "quantize": true, "range": [0, 2.55]}])");
  EXPECT_EQ(decided.activations.at("y").scales[0], 0.01F);
  EXPECT_EQ(decided.activations.at("x").scales[0], 2.0F / 255);
}

TEST(Plan, TakesTheRangeOfARuleForThoseThatFollow) {
  Model model = convolution();
  model.graph.nodes.push_back({.name = "turn", .op_type = "Transpose", .inputs = {"y"}, .outputs = {"t"}});
  model.graph.outputs[0] = {.name = "t", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{2, 2, 1, 1}}};
  Ranges ranges = kRanges;
  ranges["t"] = {0, 9};
  const auto rules = parse_rules(R"([{"match": {"name": "conv"}, "quantize": true, "range": [0, 2.55]}])");
  const Plan decided = plan(model, ranges, {}, Selection({}, {}, rules));
  EXPECT_EQ(decided.activations.at("y").scales[0], 0.01F);
  EXPECT_EQ(decided.activations.at("t").scales[0], 0.01F);
}

std::map<std::string, std::string> calibrations_of(const char* rules, const Model& model = convolution()) {
  std::map<std::string, std::string> texts;
  for (const auto& [tensor, options] :
       calibrations_by_rules(model, {}, Selection({}, {}, parse_rules(rules)), {.percentile = 99}))
    texts[tensor] = to_string(options) + " " + std::string(name(options.encoding.dtype));
  return texts;
}
using Texts = std::map<std::string, std::string>;

// Behind the Relu that is quantized along, for the type that the tensor has.
TEST(Plan, CalibratesTheResultOfARule) {
  EXPECT_EQ(calibrations_of(R"([{"match": {"name": "conv"}, "quantize": true}])"), Texts());
  EXPECT_EQ(calibrations_of(R"([{"match": {"name": "conv"}, "quantize": true, "calibration": "mse"}])"),
            (Texts{{"y", "mse int8"}}));
  EXPECT_EQ(calibrations_of(R"([{"match": {"name": "relu"}, "quantize": true, "calibration": "entropy"}])"),
            (Texts{{"y", "entropy int8"}}));
  EXPECT_EQ(calibrations_of(R"([{"quantize": true, "calibration": "percentile", "activations": "int16"}])"),
            (Texts{{"y", "percentile 99 int16"}}));
  EXPECT_EQ(calibrations_of(R"([{"quantize": true, "calibration": "percentile", "percentile": 99.5}])"),
            (Texts{{"y", "percentile 99.5 int8"}}));
}

TEST(Plan, CalibratesThoseThatFollowAsTheirInput) {
  Model model = convolution();
  model.graph.nodes.push_back({.name = "turn", .op_type = "Transpose", .inputs = {"y"}, .outputs = {"t"}});
  model.graph.nodes.push_back({.name = "again", .op_type = "Transpose", .inputs = {"t"}, .outputs = {"u"}});
  model.graph.outputs[0] = {.name = "u", .type = {.dtype = DType::kFloat, .shape = SymbolicShape{1, 1, 2, 2}}};
  EXPECT_EQ(calibrations_of(R"([{"match": {"name": "conv"}, "quantize": true, "calibration": "mse"}])", model),
            (Texts{{"y", "mse int8"}, {"t", "mse int8"}, {"u", "mse int8"}}));
  EXPECT_EQ(calibrations_of(R"([{"match": {"name": "turn"}, "quantize": true, "calibration": "mse"}])", model),
            (Texts{{"t", "mse int8"}, {"u", "mse int8"}}));
}

TEST(Plan, RefusesRulesThatSayDifferentThingsOfARange) {
  const auto refused = [](const char* conv, const char* relu) {
    const std::string rules = fmt::format(R"([{{"match": {{"name": "conv"}}, "quantize": true, {}}},
                                              {{"match": {{"name": "relu"}}, "quantize": true, {}}}])",
                                          conv, relu);
    return message_of([&] { planned_by(rules.c_str()); });
  };
  const char* different =
      "y is the result of conv (Conv) and of relu (Relu), and their rules say different things of its range";
  EXPECT_EQ(refused(R"("calibration": "mse")", R"("calibration": "entropy")"), different);
  EXPECT_EQ(refused(R"("calibration": "mse")", R"("range": [0, 1])"), different);
  EXPECT_EQ(refused(R"("range": [0, 2])", R"("range": [0, 1])"), different);
  EXPECT_EQ(refused(R"("calibration": "percentile")", R"("calibration": "percentile", "percentile": 99)"), different);
  planned_by(R"([{"quantize": true, "range": [0, 1]}])");
}

TEST(Plan, HasOneTypeInOperatorFormat) {
  const std::string message = message_of([] {
    planned_by(R"([{"match": {"name": "conv"}, "quantize": true, "activations": "uint8"}])",
               {.format = QuantizedFormat::kOperator});
  });
  EXPECT_NE(message.find("conv (Conv): operator format has one type of activations, which is int8"), std::string::npos)
      << message;
}

TEST(QuantizeDynamic, RefusesRulesAboutActivations) {
  Model model = convolution();
  const std::string message = message_of([&] {
    quantize_dynamic(model, {}, Selection({}, {}, parse_rules(R"([{"quantize": true, "activations": "int16"}])")));
  });
  EXPECT_NE(message.find("conv (Conv): a rule says its activations' type, range or calibration"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace octet
