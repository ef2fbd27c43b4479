#include "octet/evaluate/score.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

void add(Score& score, std::int64_t label, std::vector<double> scores) { score.add(label, scores); }

TEST(Score, CountsTopOneAndTopFive) {
  Score score;
  add(score, 1, {0.1, 0.9, 0, 0, 0, 0});
  add(score, 0, {0.2, 0.5, 0.3, 0, 0, 0});
  add(score, 5, {6, 5, 4, 3, 2, 1});
  EXPECT_EQ(score.top1(), 1);
  EXPECT_EQ(score.top5(), 2);
  EXPECT_EQ(score.confusion()[5][0], 1);
  EXPECT_EQ(score.confusion()[0][1], 1);
}

TEST(Score, CountsByClass) {
  Score score, better;
  for (const std::int64_t label : {0, 0, 1, 2}) {
    add(score, label, {0.9, 0.1, 0});
    add(better, label, {label == 0 ? 0.9 : 0.1, label == 1 ? 0.9 : 0.1, 0});
  }
  EXPECT_EQ(score.labelled_per_class(), (std::vector<std::int64_t>{2, 1, 1}));
  EXPECT_EQ(score.right_per_class(), (std::vector<std::int64_t>{2, 0, 0}));
  EXPECT_EQ(score.accuracy(), 50);
  EXPECT_EQ(points_lost(better, score), 25);
}

TEST(Score, BreaksTiesByTheLowerClass) {
  Score score;
  add(score, 1, {0.5, 0.5});
  EXPECT_EQ(score.top1(), 0);
  EXPECT_EQ(score.predictions()[0], 0);
}

TEST(Compare, CountsWhatMcNemarLooksAt) {
  Score a, b;
  for (int i = 0; i < 8; ++i) {  // six samples only a gets right, two only b
    add(a, 0, {i < 6 ? 1.0 : 0.0, 0.5});
    add(b, 0, {i < 6 ? 0.0 : 1.0, 0.5});
  }
  const Agreement agreement = compare(a, b);
  EXPECT_EQ(agreement.only_first_right, 6);
  EXPECT_EQ(agreement.only_second_right, 2);
  EXPECT_EQ(agreement.same_prediction, 0);
  EXPECT_NEAR(agreement.p_value, 2 * 37.0 / 256, 1e-12);  // (1 + 8 + 28) / 2^8, both sides
}

TEST(Compare, EqualModelsHaveProbabilityOne) {
  Score a;
  add(a, 0, {1, 0});
  EXPECT_EQ(compare(a, a).p_value, 1);
  EXPECT_EQ(compare(a, a).same_prediction, 1);
}

}  // namespace
}  // namespace octet
