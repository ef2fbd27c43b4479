#include "octet/evaluate/loss_report.h"

#include <gtest/gtest.h>

#include "octet/text/json.h"

namespace octet {
namespace {

TensorLoss lossy_tensor(const char* name, float error, bool output) {
  TensorLoss loss;
  loss.name = loss.counterpart = name;
  loss.how = "name";
  loss.output = output;
  loss.total.add(Tensor::from<float>({1}, {10}), Tensor::from<float>({1}, {10 + error}));
  return loss;
}

// 10 against 11 is 20 dB, 10 against 20 is 0 dB.
Loss three_tensors() {
  Loss loss;
  loss.samples = 1;
  loss.tensors = {lossy_tensor("a", 1, false), lossy_tensor("b", 10, false), lossy_tensor("y", 1, true)};
  loss.unmatched = {"c"};
  return loss;
}

TEST(LossReport, RanksByWhatATensorAddsWhereThatWasMeasured) {
  Loss loss = three_tensors();
  EXPECT_DOUBLE_EQ(damage(loss.tensors[0]), 20);
  EXPECT_EQ(by_damage(loss).front()->name, "b");
  loss.tensors[0].own.add(Tensor::from<float>({1}, {1}), Tensor::from<float>({1}, {11}));
  EXPECT_DOUBLE_EQ(damage(loss.tensors[0]), -20);
  EXPECT_EQ(by_damage(loss).front()->name, "a");
}

TEST(LossReport, HoldsOutputsToALimit) {
  const Loss loss = three_tensors();
  EXPECT_TRUE(outputs_below(loss, 20).empty());
  ASSERT_EQ(outputs_below(loss, 20.5).size(), 1U);
  EXPECT_EQ(outputs_below(loss, 20.5)[0]->name, "y");
}

TEST(LossReport, ShowsTheWorst) {
  const Loss loss = three_tensors();
  const std::string all = loss_text(loss), worst = loss_text(loss, {.top = 1});
  EXPECT_EQ(all.find("with less damage"), std::string::npos) << all;
  EXPECT_NE(worst.find("and 1 tensor with less damage\n"), std::string::npos) << worst;
  EXPECT_NE(all.find("3 of 4 tensors compared on 1 sample, worst first\n"), std::string::npos) << all;
}

TEST(LossReport, HasEveryTensorAsJson) {
  const Json json =
      Json::parse(loss_json(three_tensors(), {.reference = "float.onnx", .model = "int8.onnx", .engine = "fast"}));
  EXPECT_EQ(json["reference"], "float.onnx");
  EXPECT_EQ(json["samples"], 1);
  EXPECT_EQ(json["tensors"][1]["total"]["sqnr"], 0.0);
  EXPECT_EQ(json["tensors"][1]["own"], Json());
  EXPECT_EQ(json["unmatched"], Json{"c"});
}

}  // namespace
}  // namespace octet
