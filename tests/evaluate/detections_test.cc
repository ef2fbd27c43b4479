#include "octet/evaluate/detections.h"

#include <gtest/gtest.h>

#include "tests/support/failure.h"

namespace octet {
namespace {

const DetectionOptions kOutputs{.boxes = "boxes", .scores = "scores"};

Detections detections(const Tensor& wanted_boxes, const Tensor& wanted_scores, const Tensor& found_boxes,
                      const Tensor& found_scores, const DetectionOptions& options = kOutputs) {
  Detections result;
  add_detections(result, options, wanted_boxes, wanted_scores, found_boxes, found_scores);
  return result;
}

// The first box moves by half of its width, the second stays, the third falls below the threshold.
TEST(Detections, MatchByOverlap) {
  const Tensor wanted = Tensor::from<float>({1, 3, 4}, {0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 9, 9});
  const Tensor found = Tensor::from<float>({1, 3, 4}, {1, 0, 3, 2, 4, 4, 6, 6, 8, 8, 9, 9});
  const Tensor scores = Tensor::from<float>({1, 3}, {0.9F, 0.8F, 0.5F}),
               lower = Tensor::from<float>({1, 3}, {0.9F, 0.8F, 0.4F});
  const Detections half = detections(wanted, scores, found, lower);
  EXPECT_EQ(half.wanted, 3);
  EXPECT_EQ(half.found, 2);
  EXPECT_EQ(half.matched, 1);
  EXPECT_EQ(half.mean_overlap(), 1);
  DetectionOptions third = kOutputs;
  third.overlap = 1.0 / 3;  // 2 of 6
  EXPECT_EQ(detections(wanted, scores, found, lower, third).matched, 2);
}

TEST(Detections, BelongToTheClassOfTheBestScore) {
  const Tensor boxes = Tensor::from<float>({1, 2, 4}, {1, 1, 2, 2, 5, 5, 2, 2});
  const Tensor wanted = Tensor::from<float>({1, 2, 3}, {0.1F, 0.6F, 0.7F, 0.9F, 0.5F, 0.1F});
  const Tensor found = Tensor::from<float>({1, 2, 3}, {0.1F, 0.7F, 0.6F, 0.9F, 0.5F, 0.1F});
  DetectionOptions options = kOutputs;
  options.centers = true;
  const Detections all = detections(boxes, wanted, boxes, found, options);
  EXPECT_EQ(all.wanted, 2);
  EXPECT_EQ(all.matched, 1) << "the first box has another class";
  options.background = 0;
  options.score = 0.55;
  EXPECT_EQ(detections(boxes, wanted, boxes, found, options).wanted, 1) << "the second is background";
}

TEST(Detections, AreMatchedOnce) {
  const Tensor two = Tensor::from<float>({1, 2, 4}, {0, 0, 2, 2, 0, 0, 2, 2});
  EXPECT_EQ(detections(two, Tensor::from<float>({1, 2}, {1, 1}), two, Tensor::from<float>({1, 2}, {1, 0})).matched, 1);
}

TEST(Detections, RefuseOutputsOfOtherShapes) {
  const Tensor boxes(DType::kFloat, {1, 2, 4}), scores(DType::kFloat, {1, 3, 2});
  EXPECT_EQ(failure_of([&] { detections(boxes, scores, boxes, scores); }).message(),
            "output scores is [1,3,2], and the boxes boxes are [1,2,4]; wanted scores of 2 boxes, [N, K] or [N, K, C]");
  EXPECT_EQ(failure_of([&] { detections(scores, scores, scores, scores); }).message(),
            "output boxes is [1,3,2]; boxes are [N, K, 4]");
}

}  // namespace
}  // namespace octet
