#include "octet/evaluate/evaluation.h"

#include <gtest/gtest.h>

#include "octet/text/json.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

// Eight samples of two classes; the first `wrong` of them are predicted as the other class.
Score two_class_score(int wrong) {
  Score score;
  for (int sample = 0; sample < 8; ++sample) {
    const std::int64_t label = sample % 2;
    const bool says_one = (label == 1) != (sample < wrong);
    const double scores[] = {says_one ? 0.0 : 1.0, says_one ? 1.0 : 0.0};
    score.add(label, scores);
  }
  return score;
}

TEST(Evaluation, HoldsTheDropToItsLimit) {
  const Evaluation found{.score = two_class_score(2), .baseline = two_class_score(1), .max_drop = 12.5};
  EXPECT_EQ(found.drop(), 12.5);
  EXPECT_TRUE(found.passed());
  EXPECT_FALSE((Evaluation{.score = two_class_score(2), .baseline = two_class_score(1), .max_drop = 12}.passed()));
}

TEST(Evaluation, HasNoDropWithoutABaseline) {
  const Evaluation found{.score = two_class_score(2), .baseline = std::nullopt, .max_drop = std::nullopt};
  EXPECT_TRUE(found.passed());
  EXPECT_EQ(failure_of([&] { found.drop(); }).code(), ErrorCode::kUsage);
}

TEST(Evaluation, HasTheSameFactsAsTextAndJson) {
  const Evaluation found{.score = two_class_score(2), .baseline = two_class_score(1), .max_drop = 12};
  const Json json = Json::parse(evaluation_json(found, {.model = "int8.onnx",
                                                        .baseline = "float.onnx",
                                                        .policy = "exact",
                                                        .engine = "fast",
                                                        .arithmetic = "onnxruntime"}));
  EXPECT_EQ(json["model"]["file"], "int8.onnx");
  EXPECT_EQ(json["model"]["top1"], 6);
  EXPECT_EQ(json["model"]["per_class"], (Json{{"samples", {4, 4}}, {"right", {3, 3}}}));
  EXPECT_EQ(json["baseline"]["top1"], 7);
  EXPECT_EQ(json["agreement"]["same_prediction"], 7);
  EXPECT_EQ(json["agreement"]["only_baseline_right"], 1);
  EXPECT_EQ(json["verdict"], (Json{{"max_drop", 12.0}, {"drop", 12.5}, {"passed", false}}));
  const std::string text = evaluation_text(found, {.confusion = true});
  EXPECT_NE(text.find("\ntop-1  6 of 8 (75.00 %)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("predicted class by label:"), std::string::npos) << text;
  EXPECT_NE(text.find("verdict: a drop of 12.50 points is beyond 12\n"), std::string::npos) << text;
  EXPECT_EQ(evaluation_text(found).find("predicted class by label:"), std::string::npos);
}

}  // namespace
}  // namespace octet
