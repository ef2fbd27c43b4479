#include "octet/graph/lookup.h"

#include <gtest/gtest.h>

#include <utility>

namespace octet {
namespace {

Node node_of(std::string domain, std::string op_type) {
  return {.name = "n", .op_type = std::move(op_type), .domain = std::move(domain)};
}

TEST(Lookup, ComparesNodesWithEntriesOfTheRegistry) {
  EXPECT_TRUE(is(node_of("", "Conv"), ops::kConv));
  EXPECT_FALSE(is(node_of("", "ConvTranspose"), ops::kConv));
  EXPECT_FALSE(is(node_of("com.example", "Conv"), ops::kConv)) << "an operator Octet does not know";
  EXPECT_TRUE(is(node_of("com.microsoft", "QuantizeLinear"), ops::kQuantizeLinear));
  EXPECT_FALSE(is(node_of("", "QuantizeLinear"), ops::kMicrosoftQuantizeLinear));
}

TEST(Lookup, AsksTheOperatorForTraits) {
  EXPECT_TRUE(has(node_of("", "Relu"), Trait::kClamp));
  EXPECT_FALSE(has(node_of("", "Sigmoid"), Trait::kClamp));
  EXPECT_FALSE(has(node_of("com.example", "Relu"), Trait::kClamp));
}

TEST(Lookup, KnowsThatNewOutputsChangeNothing) {
  EXPECT_TRUE(means_the_same(ops::kMaxPool, 7, 13));
  EXPECT_FALSE(means_the_same(ops::kMaxPool, 13, 7));
}

TEST(Lookup, KnowsFromWhichOpsetANodeMeansSomethingElse) {
  const std::initializer_list<std::pair<const Operator*, int>> turns = {{&ops::kAdd, 7},
                                                                        {&ops::kAnd, 7},
                                                                        {&ops::kAveragePool, 19},
                                                                        {&ops::kBatchNormalization, 9},
                                                                        {&ops::kConcat, 4},
                                                                        {&ops::kDiv, 7},
                                                                        {&ops::kDropout, 10},
                                                                        {&ops::kEqual, 7},
                                                                        {&ops::kGemm, 7},
                                                                        {&ops::kGreater, 7},
                                                                        {&ops::kHardmax, 13},
                                                                        {&ops::kLess, 7},
                                                                        {&ops::kMul, 7},
                                                                        {&ops::kOneHot, 11},
                                                                        {&ops::kOr, 7},
                                                                        {&ops::kPRelu, 7},
                                                                        {&ops::kPad, 2},
                                                                        {&ops::kPow, 7},
                                                                        {&ops::kResize, 11},
                                                                        {&ops::kRoiAlign, 16},
                                                                        {&ops::kSoftmax, 13},
                                                                        {&ops::kLogSoftmax, 13},
                                                                        {&ops::kSpaceToDepth, 28},
                                                                        {&ops::kSub, 7},
                                                                        {&ops::kUpsample, 7},
                                                                        {&ops::kXor, 7}};
  for (const auto& [op, opset] : turns) {
    EXPECT_FALSE(means_the_same(*op, opset - 1, opset)) << op->name;
    EXPECT_FALSE(means_the_same(*op, opset, opset - 1)) << op->name;
    EXPECT_TRUE(means_the_same(*op, opset, opset)) << op->name;
  }
  EXPECT_TRUE(means_the_same(ops::kRelu, 6, 14)) << "it only takes more types";
  EXPECT_FALSE(means_the_same(ops::kClip, 10, 11)) << "its bounds became inputs";
}

}  // namespace
}  // namespace octet
