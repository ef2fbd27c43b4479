#include <gtest/gtest.h>

#include "tests/program/networks.h"

namespace octet {
namespace {

struct MeanParts {
  SymbolicShape shape = {2, 3, 4, 5};
  std::vector<std::int64_t> axes = {2, 3};
  bool keep = true;
  int opset = 18;
  std::string behind = {};  // a node from t to u
};

// DequantizeLinear, ReduceMean, QuantizeLinear on uint8, its axes an attribute before opset 18.
Model mean(const MeanParts& parts) {
  std::string axes;
  for (const std::int64_t axis : parts.axes) axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
  const bool attribute = parts.opset < 18;
  return network("main (x) => (y) { a = DequantizeLinear (x, xs, z)\n t = ReduceMean <keepdims: int = " +
                     std::to_string(parts.keep ? 1 : 0) +
                     (attribute ? ", axes: ints = [" + axes + "]> (a" : "> (a, axes") + ")\n" + parts.behind +
                     " y = QuantizeLinear (" + (parts.behind.empty() ? "t" : "u") + ", ys, z) }",
                 {value("x", DType::kUint8, parts.shape)},
                 {{"xs", f(0.5F)},
                  {"ys", f(0.25F)},
                  {"z", u8(3)},
                  {"axes", Tensor::from<std::int64_t>({static_cast<std::int64_t>(parts.axes.size())}, parts.axes)}},
                 parts.opset);
}

Names mean_operators(const MeanParts& parts) { return operators_of(lowered(mean(parts), Policy::kExact)); }

std::string why_not(const MeanParts& parts, Policy policy = Policy::kExact) {
  for (const Step& step : lowered(mean(parts), policy).steps)
    if (step.operations[0].op->name == "ReduceMean") return step.reason;
  return "";
}

TEST(FuseMeans, MakesAPoolOfAMeanOverAllPixels) {
  for (const int opset : {11, 13, 18}) {
    EXPECT_EQ(mean_operators({.opset = opset}), (Names{"QLinearGlobalAveragePool"})) << opset;
    EXPECT_EQ(mean_operators({.axes = {-1, -2}, .opset = opset}), (Names{"QLinearGlobalAveragePool"})) << opset;
  }
  const Program program = lowered(mean({}), Policy::kExact);
  const auto& pool = std::get<work::Pool>(program.steps[0].work);
  EXPECT_FALSE(pool.channels_last);
  EXPECT_FALSE(pool.sums_in_float);
  EXPECT_EQ(pool.y_meaning, (Quantization{0.25F, 3}));
}

TEST(FuseMeans, KnowsChannelsThatAreLast) {
  for (const MeanParts& parts : {MeanParts{.axes = {1, 2}}, MeanParts{.shape = {2, 9, 3}, .axes = {1}}}) {
    const Program program = lowered(mean(parts), Policy::kExact);
    ASSERT_EQ(operators_of(program), (Names{"QLinearGlobalAveragePool"}));
    EXPECT_TRUE(std::get<work::Pool>(program.steps[0].work).channels_last);
  }
}

TEST(FuseMeans, TakesDimensionsAwayBehindThePool) {
  for (const int opset : {11, 13, 18}) {
    const Program program = lowered(mean({.keep = false, .opset = opset}), Policy::kExact);
    EXPECT_EQ(operators_of(program), (Names{"QLinearGlobalAveragePool", "Squeeze"})) << opset;
    EXPECT_EQ(program.values[program.outputs[0]].shape, (SymbolicShape{2, 3}));
  }
  EXPECT_EQ(mean_operators({.keep = false, .behind = " u = Unsqueeze (t, axes)\n"}),
            (Names{"QLinearGlobalAveragePool", "Squeeze", "Unsqueeze"}));
  EXPECT_EQ(mean_operators({.keep = false, .behind = " u = Relu (t)\n"}),
            (Names{"QLinearGlobalAveragePool", "Clip", "Squeeze"}));
}

TEST(FuseMeans, LeavesOtherMeansToFloat) {
  EXPECT_EQ(why_not({.axes = {1}}),
            "it averages axes 1 of 4, and the integer pool all but the first and that of the channels");
  EXPECT_EQ(why_not({.axes = {1, 3}, .keep = false}),
            "it averages axes 1, 3 of 4, and the integer pool all but the first and that of the channels");
  EXPECT_EQ(why_not({.axes = {}}),
            "it averages axes 0, 1, 2, 3 of 4, and the integer pool all but the first and that of the channels");
  EXPECT_EQ(why_not({}, Policy::kOnnxRuntime), "ONNX Runtime does not fuse ReduceMean");
}

TEST(FuseMeans, LeavesAMeanAloneThatNobodyQuantizes) {
  Model model = mean({.keep = false});
  model.graph.outputs.push_back(value("t", DType::kFloat, std::nullopt));
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"DequantizeLinear", "ReduceMean", "QuantizeLinear"}));
}

TEST(FuseMeans, HoldsScalesToThoseOfAPool) {
  Model model = mean({});
  for (Initializer& initializer : model.graph.initializers)
    if (initializer.name == "xs") initializer.tensor = f(1e38F);
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"DequantizeLinear", "ReduceMean", "QuantizeLinear"}));
}

}  // namespace
}  // namespace octet
