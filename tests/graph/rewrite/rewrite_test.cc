#include "octet/graph/rewrite/rewrite.h"

#include <gtest/gtest.h>

#include <cmath>

#include "octet/base/memory_budget.h"
#include "octet/graph/validate.h"

namespace octet {
namespace {

Value float_value(const std::string& name) { return {.name = name, .type = {.dtype = DType::kFloat}}; }
Initializer constant(const std::string& name, Tensor tensor) { return {.name = name, .tensor = std::move(tensor)}; }
Node operation(const std::string& op_type, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  return {.name = outputs[0], .op_type = op_type, .inputs = std::move(inputs), .outputs = std::move(outputs)};
}
Model model(std::vector<Node> nodes, std::vector<Initializer> constants = {}) {
  Model result;
  result.ir_version = 8;
  result.opset_imports = {{"", 17}};
  result.graph.inputs = {float_value("x")};
  result.graph.outputs = {float_value("y")};
  result.graph.nodes = std::move(nodes);
  result.graph.initializers = std::move(constants);
  return result;
}

TEST(FoldBatchNorm, ScalesWeightsAndShiftsBias) {
  Node norm = operation("BatchNormalization", {"c", "gamma", "beta", "mean", "variance"}, {"y"});
  norm.attributes.set("epsilon", 0.0F);
  const Model folded = fold_batch_norm(model(
      {operation("Conv", {"x", "w", "b"}, {"c"}), norm},
      {constant("w", Tensor::from<float>({2, 1, 1}, {3, 5})), constant("b", Tensor::from<float>({2}, {1, 2})),
       constant("gamma", Tensor::from<float>({2}, {2, 6})), constant("beta", Tensor::from<float>({2}, {10, 20})),
       constant("mean", Tensor::from<float>({2}, {4, 8})), constant("variance", Tensor::from<float>({2}, {4, 9}))}));
  ASSERT_EQ(folded.graph.nodes.size(), 1U);
  const Node& conv = folded.graph.nodes[0];
  EXPECT_EQ(conv.outputs[0], "y");
  EXPECT_TRUE(
      find_initializer(folded.graph, conv.inputs[1])->tensor.identical(Tensor::from<float>({2, 1, 1}, {3, 10})));
  EXPECT_TRUE(find_initializer(folded.graph, conv.inputs[2])->tensor.identical(Tensor::from<float>({2}, {7, 8})));
  EXPECT_EQ(folded.graph.initializers.size(), 2U);  // the old ones are gone
  validate(folded);
}

TEST(FoldBatchNorm, GivesWeightsANameThatNoValueHas) {
  const Model folded = fold_batch_norm(
      model({operation("Relu", {"x"}, {"w_folded"}), operation("Conv", {"w_folded", "w"}, {"c"}),
             operation("BatchNormalization", {"c", "one", "zero", "zero", "one"}, {"y"})},
            {constant("w", Tensor::from<float>({1, 1, 1}, {3})), constant("one", Tensor::from<float>({1}, {1})),
             constant("zero", Tensor::from<float>({1}, {0}))}));
  EXPECT_EQ(folded.graph.nodes.size(), 2U);
  validate(folded);
}

// In training it normalizes by the batch's own mean and variance, which nobody knows before the run.
TEST(FoldBatchNorm, LeavesOneThatTrains) {
  const auto nodes_left = [](std::int64_t training, int opset) {
    Node norm = operation("BatchNormalization", {"c", "one", "zero", "zero", "one"}, {"y"});
    norm.opset = opset;
    norm.attributes.set("training_mode", training);
    const Model given =
        model({operation("Conv", {"x", "w"}, {"c"}), norm},
              {constant("w", Tensor::from<float>({1, 1, 1}, {3})), constant("one", Tensor::from<float>({1}, {1})),
               constant("zero", Tensor::from<float>({1}, {0}))});
    return fold_batch_norm(given).graph.nodes.size();
  };
  EXPECT_EQ(nodes_left(1, 14), 2U);
  EXPECT_EQ(nodes_left(0, 14), 1U);
  EXPECT_EQ(nodes_left(1, 9), 1U) << "which has no such attribute";
}

// Before opset 14 it had up to five results, whatever it was for.
TEST(FoldBatchNorm, LeavesOneWhoseOtherResultsAreRead) {
  Model given =
      model({operation("Conv", {"x", "w"}, {"c"}),
             operation("BatchNormalization", {"c", "one", "zero", "zero", "one"}, {"y", "mean"})},
            {constant("w", Tensor::from<float>({1, 1, 1}, {3})), constant("one", Tensor::from<float>({1}, {1})),
             constant("zero", Tensor::from<float>({1}, {0}))});
  given.graph.outputs.push_back(float_value("mean"));
  EXPECT_EQ(fold_batch_norm(given).graph.nodes.size(), 2U);
  given.graph.outputs.pop_back();
  given.graph.nodes[1].outputs[1].clear();
  EXPECT_EQ(fold_batch_norm(given).graph.nodes.size(), 1U);
}

// [2, 1] has one number for each row, and there are as many rows as channels.
TEST(FoldBatchNorm, LeavesAGemmWithABiasOfRows) {
  const auto nodes_left = [](const Shape& bias) {
    return fold_batch_norm(model({operation("Gemm", {"x", "w", "b"}, {"c"}),
                                  operation("BatchNormalization", {"c", "one", "one", "one", "one"}, {"y"})},
                                 {constant("w", Tensor::from<float>({2, 2}, {1, 2, 3, 4})),
                                  constant("b", Tensor::from<float>(bias, {5, 6})),
                                  constant("one", Tensor::from<float>({2}, {1, 1}))}))
        .graph.nodes.size();
  };
  EXPECT_EQ(nodes_left({2, 1}), 2U);
  EXPECT_EQ(nodes_left({2}), 1U);
}

TEST(FoldBatchNorm, LeavesAConvolutionThatSomebodyElseReads) {
  Model given =
      model({operation("Conv", {"x", "w"}, {"c"}),
             operation("BatchNormalization", {"c", "one", "zero", "zero", "one"}, {"n"}),
             operation("Add", {"n", "c"}, {"y"})},
            {constant("w", Tensor::from<float>({1, 1, 1}, {3})), constant("one", Tensor::from<float>({1}, {1})),
             constant("zero", Tensor::from<float>({1}, {0}))});
  EXPECT_EQ(fold_batch_norm(given).graph.nodes.size(), 3U);
}

// y = x w + b, with x of this shape.
Model biased_product(SymbolicShape shape, Tensor bias, bool bias_first = false) {
  Model made = model(
      {operation("MatMul", {"x", "w"}, {"p"}),
       operation("Add", bias_first ? std::vector<std::string>{"b", "p"} : std::vector<std::string>{"p", "b"}, {"y"})},
      {constant("w", Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6})), constant("b", std::move(bias))});
  made.graph.inputs[0].type.shape = std::move(shape);
  return made;
}

TEST(FuseMatMulBias, MakesAGemmOfAProductOfMatrices) {
  const Tensor row = Tensor::from<float>({2}, {7, 8});
  for (const bool first : {false, true}) {
    const Model fused = fuse_matmul_bias(biased_product({Dim::symbol("N"), 3}, row, first));
    ASSERT_EQ(fused.graph.nodes.size(), 1U);
    EXPECT_EQ(fused.graph.nodes[0].op_type, "Gemm");
    EXPECT_EQ(fused.graph.nodes[0].inputs, (std::vector<std::string>{"x", "w", "b"}));
    EXPECT_EQ(fused.graph.nodes[0].outputs[0], "y");
    validate(fused);
  }
  for (const Shape& shape : {Shape{1, 2}, Shape{1}, Shape{}}) {
    const bool single = element_count(shape) == 1;
    const Tensor bias = single ? Tensor::from<float>(shape, {7}) : Tensor::from<float>(shape, {7, 8});
    const Model fused = fuse_matmul_bias(biased_product({4, 3}, bias));
    ASSERT_EQ(fused.graph.nodes.size(), 1U);
    EXPECT_TRUE(find_initializer(fused.graph, fused.graph.nodes[0].inputs[2])
                    ->tensor.identical(single ? Tensor::from<float>({2}, {7, 7}) : row));
  }
}

TEST(FuseMatMulBias, ReshapesMoreDimensionsToRowsAndBack) {
  const Model fused = fuse_matmul_bias(biased_product({Dim::symbol("N"), 5, 3}, Tensor::from<float>({2}, {7, 8})));
  ASSERT_EQ(fused.graph.nodes.size(), 3U);
  EXPECT_EQ(fused.graph.nodes[0].op_type, "Reshape");
  EXPECT_EQ(fused.graph.nodes[1].op_type, "Gemm");
  const Node& back = fused.graph.nodes[2];
  EXPECT_EQ(back.outputs[0], "y");
  EXPECT_TRUE(find_initializer(fused.graph, fused.graph.nodes[0].inputs[1])
                  ->tensor.identical(Tensor::from<std::int64_t>({2}, {-1, 3})));
  EXPECT_TRUE(
      find_initializer(fused.graph, back.inputs[1])->tensor.identical(Tensor::from<std::int64_t>({3}, {-1, 5, 2})));
  validate(fused);
}

TEST(FuseMatMulBias, KeepsAClampRightBehindTheSum) {
  Model given = biased_product({4, 5, 3}, Tensor::from<float>({2}, {7, 8}));
  given.graph.nodes[1].outputs = {"s"};
  given.graph.nodes.push_back(operation("Clip", {"s", "", "six"}, {"y"}));
  given.graph.initializers.push_back(constant("six", Tensor::from<float>({}, {6})));
  const Model fused = fuse_matmul_bias(std::move(given));
  ASSERT_EQ(fused.graph.nodes.size(), 4U);
  EXPECT_EQ(fused.graph.nodes[2].op_type, "Clip");
  EXPECT_EQ(fused.graph.nodes[2].inputs[0], fused.graph.nodes[1].outputs[0]);
  EXPECT_EQ(fused.graph.nodes[3].op_type, "Reshape");
  EXPECT_EQ(fused.graph.nodes[3].outputs[0], "y");
  validate(fused);
}

TEST(FuseMatMulBias, LeavesWhatIsNoRowOrCannotBeRows) {
  const Tensor row = Tensor::from<float>({2}, {7, 8});
  const auto nodes = [](Model given) { return fuse_matmul_bias(std::move(given)).graph.nodes.size(); };
  EXPECT_EQ(nodes(biased_product({Dim::symbol("N"), Dim::symbol("S"), 3}, row)), 2U);
  EXPECT_EQ(nodes(biased_product({3}, row)), 2U);
  EXPECT_EQ(nodes(biased_product({0, 5, 3}, row)), 2U);
  EXPECT_EQ(nodes(biased_product({2, 3}, Tensor::from<float>({2, 1}, {7, 8}))), 2U);     // one for each row
  EXPECT_EQ(nodes(biased_product({1, 3}, Tensor::from<float>({1, 1, 2}, {7, 8}))), 2U);  // a result of another rank
  Model read_twice = biased_product({4, 3}, row);
  read_twice.graph.outputs.push_back(float_value("p"));
  EXPECT_EQ(nodes(std::move(read_twice)), 2U);
}

// y of integers [3, 2] with a scale for each row, behind a node that moves them.
Model moved_weights(Node move) {
  Node dequantize = operation("DequantizeLinear", {"w", "s", "z"}, {"d"});
  dequantize.attributes.set("axis", std::int64_t{-2});
  return model({dequantize, std::move(move)}, {constant("w", Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6})),
                                               constant("s", Tensor::from<float>({3}, {10, 20, 30})),
                                               constant("z", Tensor::from<std::int8_t>({3}, {7, 8, 9})),
                                               constant("last", Tensor::from<std::int64_t>({1}, {2})),
                                               constant("twice", Tensor::from<std::int64_t>({2}, {2, 0})),
                                               constant("shape", Tensor::from<std::int64_t>({2}, {2, 3}))});
}

TEST(FoldQuantizedConstants, TakesTheScalesAlong) {
  Node transpose = operation("Transpose", {"d"}, {"y"});
  transpose.attributes.set("perm", std::vector<std::int64_t>{1, 0});
  const Model folded = fold_quantized_constants(moved_weights(transpose));
  ASSERT_EQ(folded.graph.nodes.size(), 1U);
  const Node& node = folded.graph.nodes[0];
  EXPECT_EQ(node.op_type, "DequantizeLinear");
  EXPECT_EQ(node.outputs[0], "y");
  EXPECT_EQ(node.attributes.get_int("axis", 0), 1);
  EXPECT_TRUE(find_initializer(folded.graph, node.inputs[0])
                  ->tensor.identical(Tensor::from<std::int8_t>({2, 3}, {1, 3, 5, 2, 4, 6})));
  EXPECT_EQ(node.inputs[1], "s");
  validate(folded);
}

TEST(FoldQuantizedConstants, WidensIntegersOfFourBits) {
  for (const DType dtype : {DType::kUint4, DType::kInt4}) {
    const Tensor weights = Tensor::from<std::int8_t>({2, 2}, {7, 0, 3, 1}),
                 zeros = Tensor::from<std::int8_t>({2}, {2, 5});
    const Model folded = fold_quantized_constants(
        model({operation("DequantizeLinear", {"w", "s", "z"}, {"y"})},
              {constant("w", convert(weights, dtype)), constant("s", Tensor::from<float>({2}, {10, 20})),
               constant("z", convert(zeros, dtype))}));
    const Node& node = folded.graph.nodes.at(0);
    EXPECT_TRUE(find_initializer(folded.graph, node.inputs[0])->tensor.identical(weights));
    EXPECT_TRUE(find_initializer(folded.graph, node.inputs[2])->tensor.identical(zeros));
    EXPECT_EQ(node.inputs[1], "s");
    validate(folded);
  }
}

TEST(FoldQuantizedConstants, ChoosesTheScalesOfWhatIsLeft) {
  const Model folded = fold_quantized_constants(moved_weights(operation("Gather", {"d", "twice"}, {"y"})));
  const Node& node = folded.graph.nodes[0];
  ASSERT_EQ(node.op_type, "DequantizeLinear");
  EXPECT_EQ(node.attributes.get_int("axis", 1), 0);
  EXPECT_TRUE(find_initializer(folded.graph, node.inputs[1])->tensor.identical(Tensor::from<float>({2}, {30, 10})));
  EXPECT_TRUE(find_initializer(folded.graph, node.inputs[2])->tensor.identical(Tensor::from<std::int8_t>({2}, {9, 7})));
  const Model row = fold_quantized_constants(moved_weights(operation("Gather", {"d", "last"}, {"y"})));
  EXPECT_TRUE(find_initializer(row.graph, row.graph.nodes[0].inputs[1])->tensor.identical(Tensor::scalar(30.0F)));
}

TEST(FoldQuantizedConstants, LeavesMovesThatScatterAChannel) {
  const Model folded = fold_quantized_constants(moved_weights(operation("Reshape", {"d", "shape"}, {"y"})));
  ASSERT_EQ(folded.graph.nodes.size(), 2U);
  EXPECT_EQ(folded.graph.nodes[1].op_type, "Reshape");
}

TEST(FoldQuantizedConstants, LeavesMovesThatMakeAConstantLarger) {
  Model given = moved_weights(operation("Gather", {"d", "rows"}, {"y"}));
  const auto nodes_left = [&](std::vector<std::int64_t> rows) {
    Model with_rows = given;
    with_rows.graph.initializers.push_back(
        constant("rows", Tensor::from<std::int64_t>({static_cast<std::int64_t>(rows.size())}, rows)));
    return fold_quantized_constants(with_rows).graph.nodes.size();
  };
  EXPECT_EQ(nodes_left({2, 1, 0, 1}), 2U);
  EXPECT_EQ(nodes_left({2, 1, 0}), 1U);
}

TEST(FoldQuantizedConstants, LeavesWhatTheCallerMayReplace) {
  Model given = moved_weights(operation("Identity", {"d"}, {"y"}));
  given.graph.inputs.push_back({.name = "w", .type = {.dtype = DType::kInt8}});
  EXPECT_EQ(fold_quantized_constants(given).graph.nodes.size(), 2U);
}

TEST(FoldQuantizedConstants, NamesWhatIsMovedOftenAfterTheFilesOwn) {
  Model given = moved_weights(operation("Transpose", {"d"}, {"t0"}));
  for (int k = 0; k < 4; ++k)
    given.graph.nodes.push_back(
        operation("Transpose", {"t" + std::to_string(k)}, {k < 3 ? "t" + std::to_string(k + 1) : "y"}));
  const Model folded = fold_quantized_constants(given);
  ASSERT_EQ(folded.graph.nodes.size(), 1U);
  EXPECT_EQ(folded.graph.nodes[0].inputs[0], "w_moved_4");
}

// A constant of 1 MiB with a scale for each row, moved `count` times by nodes like this one.
Model often_moved(const Node& move, int count) {
  Model result = model({operation("DequantizeLinear", {"w", "s"}, {"d"})},
                       {constant("w", Tensor(DType::kInt8, {1024, 1024})), constant("s", Tensor(DType::kFloat, {1024})),
                        constant("shape", Tensor::from<std::int64_t>({2}, {512, 2048}))});
  result.graph.nodes[0].attributes.set("axis", std::int64_t{0});
  result.graph.outputs.clear();
  for (int k = 0; k < count; ++k) {
    result.graph.nodes.push_back(move);
    result.graph.nodes.back().outputs = {"y" + std::to_string(k)};
    result.graph.outputs.push_back(float_value("y" + std::to_string(k)));
  }
  return result;
}

TEST(FoldQuantizedConstants, StopsWhereCopiesOfAConstantWouldTakeTooMuch) {
  const Model folded = fold_quantized_constants(often_moved(operation("Transpose", {"d"}, {""}), 80));
  std::int64_t bytes = 0;
  for (const Initializer& initializer : folded.graph.initializers)
    bytes += static_cast<std::int64_t>(initializer.tensor.byte_size());
  EXPECT_EQ(bytes, (65 << 20) + 4096);  // w and s themselves, and 64 MiB
  EXPECT_EQ(folded.graph.nodes.size(), 81U);
  EXPECT_EQ(folded.graph.nodes[64].op_type, "DequantizeLinear");
  EXPECT_EQ(folded.graph.nodes[65].op_type, "Transpose");
}

TEST(FoldQuantizedConstants, GivesUpAfterManyMovesThatScatterAChannel) {
  Model given = often_moved(operation("Reshape", {"d", "shape"}, {""}), 127);
  given.graph.nodes.push_back(operation("Transpose", {"d"}, {"y"}));
  given.graph.outputs.push_back(float_value("y"));
  EXPECT_EQ(fold_quantized_constants(given).graph.nodes.back().op_type, "Transpose");
  given.graph.nodes.erase(given.graph.nodes.begin() + 1, given.graph.nodes.begin() + 3);
  given.graph.outputs.erase(given.graph.outputs.begin(), given.graph.outputs.begin() + 2);
  EXPECT_EQ(fold_quantized_constants(given).graph.nodes.back().op_type, "DequantizeLinear");
}

TEST(FoldQuantizedConstants, FollowsNothingThatAnInputDecides) {
  const Model given = often_moved(operation("Gather", {"d", "x"}, {""}), 1);
  const MemoryBudget budget(64 << 20);
  EXPECT_EQ(fold_quantized_constants(given).graph.nodes.size(), 2U);
  EXPECT_EQ(budget.peak(), 0);
}

TEST(FoldQuantizedConstants, LeavesErrorsOfDequantizeLinearToIt) {
  const Tensor two = Tensor::from<std::int8_t>({2}, {7, 8}), three = Tensor::from<std::int8_t>({3}, {7, 8, 9});
  const Tensor scale = Tensor::scalar(10.0F), scales = Tensor::from<float>({3}, {10, 20, 30});
  for (const auto& [s, z] : {std::pair(scales, two), std::pair(scale, three)}) {
    Model given = moved_weights(operation("Gather", {"d", "twice"}, {"y"}));
    given.graph.initializers[1].tensor = s;
    given.graph.initializers[2].tensor = z;
    const Model folded = fold_quantized_constants(given);
    ASSERT_EQ(folded.graph.nodes.size(), 2U);
    EXPECT_EQ(folded.graph.nodes[0].inputs, (std::vector<std::string>{"w", "s", "z"}));
  }
}

TEST(FoldQuantizedConstants, QuantizesWithTheArithmeticAskedFor) {
  const Model given = model(
      {operation("QuantizeLinear", {"w", "s", "z"}, {"q"}), operation("DequantizeLinear", {"q", "s", "z"}, {"y"})},
      {constant("w", Tensor::from<float>({3}, {-1.75F, 1.75F, 2.5F})), constant("s", Tensor::scalar(1.0F)),
       constant("z", Tensor::scalar(std::int8_t{0}))});
  const auto integers = [&](Rounding rounding) {
    return find_initializer(fold_quantized_constants(given, {.rounding = rounding}).graph, "q")->tensor;
  };
  EXPECT_TRUE(integers(Rounding::kTiesEven).identical(Tensor::from<std::int8_t>({3}, {-2, 2, 2})));
  EXPECT_TRUE(integers(Rounding::kTowardZero).identical(Tensor::from<std::int8_t>({3}, {-1, 1, 2})));
}

TEST(RemoveIdentities, KeepsInputsAndOutputsByName) {
  const Model removed = remove_identities(model(
      {operation("Identity", {"x"}, {"a"}), operation("Relu", {"a"}, {"b"}), operation("Dropout", {"b"}, {"y"})}));
  ASSERT_EQ(removed.graph.nodes.size(), 1U);
  EXPECT_EQ(removed.graph.nodes[0].inputs[0], "x");
  EXPECT_EQ(removed.graph.nodes[0].outputs[0], "y");
  validate(removed);
}

TEST(RemoveIdentities, RenamesOtherReadersOfAPublishedValue) {
  Model given =
      model({operation("Relu", {"x"}, {"r"}), operation("Identity", {"r"}, {"y"}), operation("Neg", {"r"}, {"z"})});
  given.graph.outputs.push_back(float_value("z"));
  const Model removed = remove_identities(given);
  ASSERT_EQ(removed.graph.nodes.size(), 2U);
  EXPECT_EQ(removed.graph.nodes[0].outputs[0], "y");
  EXPECT_EQ(removed.graph.nodes[1].inputs[0], "y");
  validate(removed);
}

TEST(RemoveIdentities, KeepsOneBetweenInputAndOutput) {
  EXPECT_EQ(remove_identities(model({operation("Identity", {"x"}, {"y"})})).graph.nodes.size(), 1U);
}

TEST(RemoveIdentities, KeepsDropoutWhoseMaskIsRead) {
  Model given = model({operation("Dropout", {"x"}, {"d", "mask"}), operation("Identity", {"d"}, {"y"})});
  given.graph.outputs.push_back({.name = "mask", .type = {.dtype = DType::kBool}});
  EXPECT_EQ(remove_identities(given).graph.nodes[0].op_type, "Dropout");
}

TEST(FoldConstants, ComputesWhatDoesNotDependOnInputs) {
  const Model folded = fold_constants(model({operation("Add", {"a", "a"}, {"s"}), operation("Mul", {"x", "s"}, {"y"})},
                                            {constant("a", Tensor::scalar(1.5F))}));
  ASSERT_EQ(folded.graph.nodes.size(), 1U);
  EXPECT_TRUE(find_initializer(folded.graph, "s")->tensor.identical(Tensor::scalar(3.0F)));
  EXPECT_EQ(find_initializer(folded.graph, "a"), nullptr);
}

TEST(FoldConstants, LeavesWhatTheCallerMayReplace) {
  Model given = model({operation("Add", {"a", "a"}, {"s"}), operation("Mul", {"x", "s"}, {"y"})},
                      {constant("a", Tensor::scalar(1.5F))});
  given.graph.inputs.push_back(float_value("a"));
  EXPECT_EQ(fold_constants(given).graph.nodes.size(), 2U);
}

TEST(FoldConstants, LeavesHowWeightsAreQuantized) {
  const Model folded =
      fold_constants(model({operation("DequantizeLinear", {"q", "s", "z"}, {"w"}), operation("Mul", {"x", "w"}, {"y"})},
                           {constant("q", Tensor::from<std::int8_t>({1}, {3})), constant("s", Tensor::scalar(0.5F)),
                            constant("z", Tensor::scalar<std::int8_t>(0))}));
  EXPECT_EQ(folded.graph.nodes.size(), 2U);
}

TEST(FoldConstants, TakesNoMoreThanItsBudgetForAllOfThemTogether) {
  // Each would be 31 MiB; two fit, the others stay nodes.
  std::vector<Node> nodes;
  std::vector<std::string> made = {"x"};
  for (int i = 0; i < 200; ++i) {
    made.push_back("c" + std::to_string(i));
    nodes.push_back(operation("ConstantOfShape", {"shape"}, {made.back()}));
  }
  nodes.push_back(operation("Sum", made, {"y"}));
  const MemoryBudget budget(std::int64_t{1} << 30);
  const Model folded =
      fold_constants(model(std::move(nodes), {constant("shape", Tensor::from<std::int64_t>({2}, {31, 1 << 18}))}));
  EXPECT_EQ(folded.graph.nodes.size(), 199U);
  EXPECT_LE(budget.peak(), 64 << 20);
}

TEST(RemoveUnused, DropsWhatNoOutputDependsOn) {
  const Model left = remove_unused(model({operation("Relu", {"x"}, {"y"}), operation("Add", {"x", "c"}, {"unused"})},
                                         {constant("c", Tensor::scalar(1.0F))}));
  EXPECT_EQ(left.graph.nodes.size(), 1U);
  EXPECT_TRUE(left.graph.initializers.empty());
}

// Two convolutions of com.microsoft in a row, [N, H, W, C].
Model channels_last_network() {
  const auto convolution = [](const std::string& x, const std::string& y) {
    Node node = operation("QLinearConv", {x, "s", "z", "w", "s", "z", "s", "z"}, {y});
    node.domain = "com.microsoft";
    node.attributes.set("channels_last", std::int64_t{1});
    return node;
  };
  Model result = model({convolution("x", "c"), convolution("c", "y")},
                       {constant("s", Tensor::scalar(1.0F)), constant("z", Tensor::scalar<std::uint8_t>(0)),
                        constant("w", Tensor(DType::kUint8, {2, 2, 1, 1}))});
  result.opset_imports.emplace_back("com.microsoft", 1);
  result.graph.inputs[0].type = {.dtype = DType::kUint8, .shape = SymbolicShape{Dim::symbol("N"), 5, 7, 2}};
  result.graph.outputs[0].type = {.dtype = DType::kUint8};
  return result;
}

TEST(ChannelsFirst, PutsConvolutionsBetweenTransposes) {
  const Model first = channels_first(channels_last_network());
  validate(first);
  std::vector<std::string> ops;
  for (const Node& node : first.graph.nodes) {
    ops.push_back(node.op_type);
    EXPECT_EQ(node.domain, "");
    EXPECT_FALSE(node.attributes.has("channels_last"));
  }
  EXPECT_EQ(ops, (std::vector<std::string>{"Transpose", "QLinearConv", "QLinearConv", "Transpose"}));
  EXPECT_EQ(first.graph.nodes[0].attributes.get_ints("perm"), (std::vector<std::int64_t>{0, 3, 1, 2}));
  EXPECT_EQ(first.graph.nodes[3].attributes.get_ints("perm"), (std::vector<std::int64_t>{0, 2, 3, 1}));
  EXPECT_EQ(first.graph.nodes[3].outputs[0], "y");
}

TEST(ChannelsFirst, KeepsWhatOthersRead) {
  Model given = channels_last_network();
  given.graph.outputs.push_back({.name = "c"});
  EXPECT_EQ(channels_first(given).graph.nodes.size(), 5U);
}

TEST(ChannelsFirst, LeavesARankThatNobodyKnows) {
  Model given = channels_last_network();
  given.graph.inputs[0].type.shape.reset();
  given.graph.inputs.push_back({.name = "w", .type = {.dtype = DType::kUint8}});
  std::erase_if(given.graph.initializers, [](const Initializer& i) { return i.name == "w"; });
  EXPECT_EQ(channels_first(given).graph.nodes[0].domain, "com.microsoft");
}

// A function of opset 11 in a model of opset 17: its Softmax sums over all axes from the first on.
TEST(FoldConstants, AsksForTheOpsetOfTheNode) {
  Node softmax = operation("Softmax", {"c"}, {"y"});
  softmax.opset = 11;
  const Model folded = fold_constants(model({softmax}, {constant("c", Tensor(DType::kFloat, {1, 2, 2}))}));
  const Initializer* y = find_initializer(folded.graph, "y");
  ASSERT_TRUE(y);
  EXPECT_EQ(y->tensor.number_at(0), 0.25);
}

}  // namespace
}  // namespace octet
