#include "octet/quantize/equalize.h"

#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
#include "octet/program/lower.h"

namespace octet {
namespace {

Node layer(const char* op_type, const char* name, std::vector<std::string> inputs, const char* output) {
  return {.name = name, .op_type = op_type, .inputs = std::move(inputs), .outputs = {output}};
}

Tensor made_up(Shape shape, unsigned seed) {
  Tensor tensor = Tensor::uninitialized(DType::kFloat, std::move(shape));
  for (float& value : tensor.mutable_as<float>()) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<int>(seed >> 16) % 2001 - 1000) / 1000;
  }
  return tensor;
}

// Convolution, `clamp`, depthwise convolution, Relu, 1 x 1 convolution; channels 0 and 1 of the first are 2^9 and 2^-7 times what
// they were, and the second makes up for it.
Model hard_chain(const Node& clamp) {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  Graph& graph = model.graph;
  Node depthwise = layer("Conv", "depthwise", {"b", "w2"}, "c");
  depthwise.attributes.set("group", std::int64_t{4});
  graph.nodes = {layer("Conv", "first", {"x", "w1", "b1"}, "a"), clamp, depthwise, layer("Relu", "relu", {"c"}, "d"),
                 layer("Conv", "last", {"d", "w3", "b3"}, "y")};
  Tensor w1 = made_up({4, 3, 3, 3}, 1), b1 = made_up({4}, 2), w2 = made_up({4, 1, 3, 3}, 3);
  for (std::size_t i = 0; i < 27; ++i) {
    w1.mutable_as<float>()[i] *= 512;
    w1.mutable_as<float>()[27 + i] /= 128;
  }
  b1.mutable_as<float>()[0] *= 512;
  b1.mutable_as<float>()[1] /= 128;
  for (std::size_t i = 0; i < 9; ++i) {
    w2.mutable_as<float>()[i] /= 512;
    w2.mutable_as<float>()[9 + i] *= 128;
  }
  graph.initializers = {{.name = "w1", .tensor = w1},
                        {.name = "b1", .tensor = b1},
                        {.name = "w2", .tensor = w2},
                        {.name = "w3", .tensor = made_up({2, 4, 1, 1}, 4)},
                        {.name = "b3", .tensor = made_up({2}, 5)},
                        {.name = "zero", .tensor = Tensor::scalar(0.0F)},
                        {.name = "six", .tensor = Tensor::scalar(6.0F)}};
  const auto value = [](const char* name, SymbolicShape shape) {
    return Value{.name = name, .type = {.dtype = DType::kFloat, .shape = std::move(shape)}};
  };
  graph.inputs = {value("x", {Dim(1), Dim(3), Dim(8), Dim(8)})};
  graph.outputs = {value("y", {Dim(1), Dim(2), Dim(4), Dim(4)})};
  return model;
}

Tensor result_of(const Model& model) {
  const ReferenceEngine engine(lower(model, Policy::kAsWritten), {.threads = 1});
  return engine.run({{"x", made_up({1, 3, 8, 8}, 6)}}).at("y");
}

// The largest magnitude of each row of weights.
std::vector<float> magnitudes(const Model& model, const char* name) {
  const Tensor& tensor = find_initializer(model.graph, name)->tensor;
  std::vector<float> rows;
  const auto values = tensor.as<float>();
  const auto size = values.size() / static_cast<std::size_t>(tensor.shape()[0]);
  for (std::size_t row = 0; row * size < values.size(); ++row) {
    rows.push_back(0);
    for (const float value : values.subspan(row * size, size)) rows.back() = std::max(rows.back(), std::abs(value));
  }
  return rows;
}

TEST(Equalize, KeepsEveryBitOfTheResult) {
  const Model model = hard_chain(layer("Relu", "clamp", {"a"}, "b"));
  const Equalized equalized = equalize(model, {});
  EXPECT_EQ(result_of(equalized.model), result_of(model));
}

TEST(Equalize, MakesNeighboursAlikeWithinAFactorOfTwo) {
  const Model model = hard_chain(layer("Relu", "clamp", {"a"}, "b"));
  EXPECT_GT(magnitudes(model, "w1")[0], 1000 * magnitudes(model, "w1")[1]);
  const Equalized equalized = equalize(model, {});
  const auto first = magnitudes(equalized.model, "w1"), bias = magnitudes(equalized.model, "b1"),
             second = magnitudes(equalized.model, "w2");
  for (std::size_t i = 0; i < 4; ++i) {
    const float ratio = std::max(first[i], bias[i]) / second[i];
    EXPECT_GE(ratio, 0.5F) << i;
    EXPECT_LT(ratio, 2.0F) << i;
  }
}

TEST(Equalize, SaysWhatItChanged) {
  const Equalized equalized = equalize(hard_chain(layer("Relu", "clamp", {"a"}, "b")), {});
  ASSERT_EQ(equalized.pairs.size(), 2U);
  EXPECT_EQ(equalized.pairs[0].first, "first");
  EXPECT_EQ(equalized.pairs[0].second, "depthwise");
  EXPECT_EQ(equalized.pairs[0].channels, 4U);
  EXPECT_GE(equalized.pairs[0].scaled, 2U);
  EXPECT_LE(equalized.pairs[0].smallest, -8);
  EXPECT_GE(equalized.pairs[0].largest, 6);
  EXPECT_EQ(equalized.pairs[1].second, "last");
  const Equalized again = equalize(equalized.model, {});
  for (const EqualizedPair& pair : again.pairs) EXPECT_EQ(pair.scaled, 0U);
  EXPECT_EQ(to_string(again.pairs[0]), "first to depthwise: equal already");
}

TEST(Equalize, LeavesRelu6UnlessAskedToReplaceIt) {
  const Model model = hard_chain(layer("Clip", "clamp", {"a", "zero", "six"}, "b"));
  const Equalized left = equalize(model, {});
  EXPECT_EQ(left.pairs[0].left, "clamp cuts at one bound for all channels");
  EXPECT_EQ(magnitudes(left.model, "w1"), magnitudes(model, "w1"));
  EXPECT_EQ(result_of(left.model), result_of(model));
  const Equalized replaced = equalize(model, {}, BoundedClamps::kReplace);
  EXPECT_EQ(replaced.pairs[0].replaced, "clamp");
  EXPECT_EQ(result_of(replaced.model), result_of(hard_chain(layer("Relu", "clamp", {"a"}, "b"))));
}

TEST(Equalize, GoesThroughAClampWithoutUpperBound) {
  const Model model = hard_chain(layer("Clip", "clamp", {"a", "zero"}, "b"));
  const Equalized equalized = equalize(model, {});
  EXPECT_EQ(equalized.pairs[0].left, "");
  EXPECT_EQ(result_of(equalized.model), result_of(model));
}

TEST(Equalize, LeavesWhatOthersRead) {
  Model model = hard_chain(layer("Relu", "clamp", {"a"}, "b"));
  model.graph.outputs.push_back({.name = "b", .type = {.dtype = DType::kFloat}});
  const Equalized equalized = equalize(model, {});
  ASSERT_EQ(equalized.pairs.size(), 1U);
  EXPECT_EQ(equalized.pairs[0].first, "depthwise");
  Model shared = hard_chain(layer("Relu", "clamp", {"a"}, "b"));
  shared.graph.nodes.push_back(layer("Identity", "copy", {"w2"}, "z"));
  EXPECT_EQ(equalize(shared, {}).pairs[0].left, "weights or bias are not float32 constants of one layer alone");
}

TEST(Equalize, LeavesChannelsWithoutWeights) {
  Model model = hard_chain(layer("Relu", "clamp", {"a"}, "b"));
  for (Initializer& initializer : model.graph.initializers)
    if (initializer.name == "w2")
      for (std::size_t i = 0; i < 9; ++i) initializer.tensor.mutable_as<float>()[i] = 0;
  const Equalized equalized = equalize(model, {});
  EXPECT_EQ(magnitudes(equalized.model, "w1")[0], magnitudes(model, "w1")[0]);
}

// y = relu(x W1) W2 with W1 [2,2] as MatMul has it and W2 [1,2] as Gemm with transB has it.
TEST(Equalize, KnowsTheChannelsOfProducts) {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  Node gemm = layer("Gemm", "second", {"b", "w2"}, "y");
  gemm.attributes.set("transB", std::int64_t{1});
  model.graph.nodes = {layer("MatMul", "first", {"x", "w1"}, "a"), layer("Relu", "relu", {"a"}, "b"), gemm};
  model.graph.initializers = {{.name = "w1", .tensor = Tensor::from<float>({2, 2}, {64, 1, 32, 0.5F})},
                              {.name = "w2", .tensor = Tensor::from<float>({1, 2}, {1, 4})}};
  const Equalized equalized = equalize(model, {});
  EXPECT_EQ(find_initializer(equalized.model.graph, "w1")->tensor, Tensor::from<float>({2, 2}, {8, 2, 4, 1}));
  EXPECT_EQ(find_initializer(equalized.model.graph, "w2")->tensor, Tensor::from<float>({1, 2}, {8, 2}));
  EXPECT_EQ(to_string(equalized.pairs[0]), "first to second: 2 of 2 channels times 2^-3 to 2^1");
}

Model products(std::vector<Node> nodes, std::vector<Initializer> constants) {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  model.graph.nodes = std::move(nodes);
  model.graph.initializers = std::move(constants);
  return model;
}
Tensor constant(const Model& model, const char* name) { return find_initializer(model.graph, name)->tensor; }

// A layer that no sample says anything of is as large as the largest of its weights and its bias, of whatever sign.
TEST(Equalize, LooksAtMagnitudesOfWeightsAndBiases) {
  Node second = layer("Gemm", "second", {"b", "w2"}, "y");
  second.attributes.set("transB", std::int64_t{1});
  const Model model =
      products({layer("Gemm", "first", {"x", "w1", "b1"}, "a"), layer("Relu", "relu", {"a"}, "b"), second},
               {{.name = "w1", .tensor = Tensor::from<float>({2, 2}, {1, -1, 0.5F, 0.5F})},
                {.name = "b1", .tensor = Tensor::from<float>({2}, {-64, 0.25F})},
                {.name = "w2", .tensor = Tensor::from<float>({1, 2}, {1, -4})}});
  const Model equalized = equalize(model, {}).model;
  EXPECT_EQ(constant(equalized, "w1"), Tensor::from<float>({2, 2}, {0.125F, -2, 0.0625F, 1}));
  EXPECT_EQ(constant(equalized, "b1"), Tensor::from<float>({2}, {-8, 0.5F}));
  EXPECT_EQ(constant(equalized, "w2"), Tensor::from<float>({1, 2}, {8, -2}));
}

// What the last pair needs reaches the first one in the rounds behind it.
TEST(Equalize, GoesOnUntilNothingChanges) {
  const auto one = [](const char* name, float value) {
    return Initializer{.name = name, .tensor = Tensor::from<float>({1, 1}, {value})};
  };
  const Model model = products({layer("MatMul", "first", {"x", "w1"}, "a"), layer("MatMul", "second", {"a", "w2"}, "b"),
                                layer("MatMul", "third", {"b", "w3"}, "y")},
                               {one("w1", 1), one("w2", 1), one("w3", 1.0F / 4096)});
  const Model equalized = equalize(model, {}).model;
  for (const char* name : {"w1", "w2", "w3"})
    EXPECT_EQ(constant(equalized, name), Tensor::from<float>({1, 1}, {1.0F / 16})) << name;
}

TEST(Equalize, TakesNoPairThatIsNone) {
  // What a layer makes is the other's weights, not its input.
  const Model weights =
      products({layer("MatMul", "first", {"x", "w1"}, "a"), layer("MatMul", "second", {"x", "a"}, "y")},
               {{.name = "w1", .tensor = Tensor::from<float>({1, 1}, {64})}});
  EXPECT_EQ(equalize(weights, {}).pairs.size(), 0U);
  // A clamp that does not cut at 0 is no multiple of itself.
  Model cut = hard_chain(layer("Clip", "clamp", {"a", "zero"}, "b"));
  for (Initializer& initializer : cut.graph.initializers)
    if (initializer.name == "zero") initializer.tensor = Tensor::scalar(-1.0F);
  const Equalized left = equalize(cut, {});
  ASSERT_EQ(left.pairs.size(), 1U);
  EXPECT_EQ(left.pairs[0].first, "depthwise");
}

TEST(Equalize, KeepsAClipWhereNothingIsScaled) {
  Model model = equalize(hard_chain(layer("Relu", "clamp", {"a"}, "b")), {}).model;
  model.graph.nodes[1] = layer("Clip", "clamp", {"a", "zero", "six"}, "b");
  const Equalized again = equalize(model, {}, BoundedClamps::kReplace);
  EXPECT_EQ(again.pairs[0].scaled, 0U);
  EXPECT_EQ(again.pairs[0].replaced, "");
  EXPECT_EQ(again.model.graph.nodes[1].op_type, "Clip");
}

// By what was seen between the layers, where something was: r1 and r2 are equal up to a factor of two.
TEST(Equalize, BalancesActivationsWithTheWeightsThatReadThem) {
  const Model model = hard_chain(layer("Relu", "clamp", {"a"}, "b"));
  const ChannelRanges seen = {{"a", {{-900, 100}, {-1, 0.01F}, {-5, 0}, {-2, 3}}}};
  const Equalized equalized = equalize(model, seen);
  EXPECT_EQ(result_of(equalized.model), result_of(model));
  const auto first = magnitudes(equalized.model, "w1"), before = magnitudes(model, "w1"),
             second = magnitudes(equalized.model, "w2");
  const auto bias = magnitudes(equalized.model, "b1");
  const float largest[] = {100, 0.01F, 0, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    // Channel 2 was never above 0: its weights and its bias stand for it.
    const float r1 = i == 2 ? std::max(first[i], bias[i]) : largest[i] * first[i] / before[i];
    EXPECT_GE(r1 / second[i], 0.5F) << i;
    EXPECT_LT(r1 / second[i], 2.0F) << i;
  }
}

// Without a Relu between them what is below 0 counts too.
TEST(Equalize, LooksAtBothSidesWhereNothingIsCut) {
  Model model = hard_chain(layer("Relu", "clamp", {"a"}, "b"));
  model.graph.nodes[2].inputs[0] = "a";
  std::erase_if(model.graph.nodes, [](const Node& node) { return node.name == "clamp"; });
  const Equalized equalized = equalize(model, {{"a", {{-4096, 1}, {-1, 1}, {-1, 1}, {-1, 1}}}});
  const float factor = magnitudes(equalized.model, "w1")[0] / magnitudes(model, "w1")[0];
  const float ratio = 4096 * factor / magnitudes(equalized.model, "w2")[0];
  EXPECT_GE(ratio, 0.5F);
  EXPECT_LT(ratio, 2.0F);
}

TEST(Equalize, NamesTheFactorsOfThoseThatWereScaled) {
  EqualizedPair pair{.first = "a", .second = "b", .channels = 8, .scaled = 2, .smallest = 3, .largest = 3};
  EXPECT_EQ(to_string(pair), "a to b: 2 of 8 channels times 2^3");
  pair.largest = 5;
  EXPECT_EQ(to_string(pair), "a to b: 2 of 8 channels times 2^3 to 2^5");
}

}  // namespace
}  // namespace octet
