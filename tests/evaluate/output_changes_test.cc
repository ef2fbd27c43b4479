#include "octet/evaluate/output_changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace octet {
namespace {

Tensor reals(Shape shape, std::initializer_list<float> numbers) {
  return Tensor::from<float>(std::move(shape), numbers);
}

OutputChanges changes_of(const Tensor& wanted, const Tensor& found, std::optional<double> threshold = std::nullopt) {
  OutputComparison comparison(threshold);
  comparison.add(wanted, found, wanted.shape()[0]);
  return comparison.result();
}

TEST(OutputChanges, SayWhereTheLargestIs) {
  OutputComparison comparison;
  comparison.add(reals({2, 2}, {1, 2, 3, 4}), reals({2, 2}, {1, 2, 3, 4.25F}), 2);
  comparison.add(reals({1, 2}, {5, 6}), reals({1, 2}, {5.5F, 6}), 1);
  const OutputChanges found = comparison.result();
  EXPECT_EQ(found.largest, 0.5);
  EXPECT_EQ(found.place, (Shape{2, 0})) << "the third sample";
  EXPECT_EQ(found.wanted, 5);
  EXPECT_EQ(found.found, 5.5);
  EXPECT_EQ(found.samples, 3);
  EXPECT_EQ(found.elements, 6);
}

TEST(OutputChanges, CountDecisions) {
  const OutputChanges found = changes_of(reals({2, 3}, {0.2F, 0.7F, 0.1F, -1, 0.6F, 0.5F}),
                                         reals({2, 3}, {0.2F, 0.4F, 0.5F, 1, 0.3F, 0.4F}), 0.5);
  EXPECT_EQ(found.signs, 1);
  EXPECT_EQ(found.axis, 1U);
  EXPECT_EQ(found.rows, 2);
  EXPECT_EQ(found.arg_max, 2);
  EXPECT_EQ(found.above, 3);
  EXPECT_EQ(found.lost, 3);
  EXPECT_EQ(found.gained, 2);
  EXPECT_DOUBLE_EQ(threshold_share(found), 5.0 / 6);
  EXPECT_DOUBLE_EQ(sign_share(found), 1.0 / 6);
  EXPECT_DOUBLE_EQ(arg_max_share(found), 1);
}

// Of scores [1, 3, 2] a row is one box, of [1, 2, 2, 1] one pixel.
TEST(OutputChanges, FindTheAxisOfScores) {
  const OutputChanges boxes = changes_of(reals({1, 3, 2}, {1, 2, 2, 1, 1, 1}), reals({1, 3, 2}, {2, 1, 2, 1, 1, 1}));
  EXPECT_EQ(boxes.axis, 2U);
  EXPECT_EQ(boxes.rows, 3);
  EXPECT_EQ(boxes.arg_max, 1);
  const OutputChanges pixels = changes_of(reals({1, 2, 2, 1}, {1, 2, 2, 1}), reals({1, 2, 2, 1}, {1, 2, 0, 1}));
  EXPECT_EQ(pixels.axis, 1U);
  EXPECT_EQ(pixels.rows, 2);
  EXPECT_EQ(pixels.arg_max, 1);
  EXPECT_FALSE(changes_of(reals({3, 1}, {1, 2, 3}), reals({3, 1}, {1, 2, 3})).axis);
}

// scipy.stats.spearmanr([1, 2, 3, 4], [1, 3, 2, 4]) is 0.8, of ([1, 2, 2, 4], [4, 3, 2, 1]) -0.9486832980505138.
TEST(OutputChanges, AgreeInRankAsSpearmanHasIt) {
  EXPECT_DOUBLE_EQ(changes_of(reals({1, 4}, {1, 2, 3, 4}), reals({1, 4}, {1, 3, 2, 4})).rank_agreement, 0.8);
  EXPECT_DOUBLE_EQ(changes_of(reals({1, 4}, {1, 2, 2, 4}), reals({1, 4}, {4, 3, 2, 1})).rank_agreement,
                   -0.9486832980505138);
  EXPECT_EQ(changes_of(reals({1, 2}, {1, 1}), reals({1, 2}, {2, 2})).rank_agreement, 1);
  EXPECT_EQ(changes_of(reals({1, 2}, {1, 1}), reals({1, 2}, {1, 2})).rank_agreement, 0);
  EXPECT_DOUBLE_EQ(changes_of(reals({2, 2}, {1, 2, 1, 2}), reals({2, 2}, {1, 2, 2, 1})).rank_agreement, 0)
      << "by sample";
}

TEST(OutputChanges, SayWhenSamplesSayNothing) {
  const OutputChanges constant =
      changes_of(reals({2, 2}, {0.5F, 0.5F, 0.5F, 0.5F}), reals({2, 2}, {0.5F, 0.5F, 0.5F, 0.5F}));
  EXPECT_TRUE(constant.constant);
  EXPECT_EQ(useless_samples_text("y", constant),
            "output y is 0.5 in every element, in both networks: these samples say nothing about it");
  const OutputChanges alike = changes_of(reals({2, 2}, {1, 2, 1, 2}), reals({2, 2}, {1, 2, 1, 3}));
  EXPECT_TRUE(alike.alike);
  EXPECT_EQ(useless_samples_text("y", alike).find("output y is the same for all 2 samples: these samples say nothing"),
            0U);
  const OutputChanges fine = changes_of(reals({2, 2}, {1, 2, 1, 3}), reals({2, 2}, {1, 2, 1, 2}));
  EXPECT_EQ(useless_samples_text("y", fine), "");
  EXPECT_EQ(useless_samples_text("y", changes_of(reals({1, 2}, {1, 2}), reals({1, 2}, {1, 2}))), "") << "one sample";
}

TEST(OutputChanges, TakeWhatIsNotFiniteAsTheLargest) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  EXPECT_EQ(changes_of(reals({1, 2}, {1, nan}), reals({1, 2}, {3, nan})).largest, 2);
  EXPECT_EQ(changes_of(reals({1, 2}, {1, nan}), reals({1, 2}, {3, 1})).place, (Shape{0, 1}));
  EXPECT_TRUE(std::isinf(changes_of(reals({1, 2}, {1, infinity}), reals({1, 2}, {3, -infinity})).largest));
}

}  // namespace
}  // namespace octet
