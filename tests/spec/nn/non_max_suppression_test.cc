#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Rows = std::vector<std::int64_t>;

Tensor six_boxes() {
  return Tensor::from<float>(
      {1, 6, 4}, {0, 0, 1, 1, 0, 0.1F, 1, 1.1F, 0, -0.1F, 1, 0.9F, 0, 10, 1, 11, 0, 10.1F, 1, 11.1F, 0, 100, 1, 101});
}
Tensor six_scores() { return Tensor::from<float>({1, 1, 6}, {0.9F, 0.75F, 0.6F, 0.95F, 0.5F, 0.3F}); }
Tensor limit(std::int64_t most) { return int64s({most}); }
Tensor threshold(float value) { return Tensor::from<float>({1}, {value}); }

Rows kept(const std::vector<Tensor>& inputs, const AttributeList& attributes = {}) {
  return values<std::int64_t>(run_operator("NonMaxSuppression", 11, attributes, inputs)[0]);
}

TEST(NonMaxSuppression, KeepsTheBestThatDoNotOverlap) {
  EXPECT_EQ(kept({six_boxes(), six_scores(), limit(3), threshold(0.5F), threshold(0)}),
            (Rows{0, 0, 3, 0, 0, 0, 0, 0, 5}));
  EXPECT_EQ(kept({six_boxes(), six_scores(), limit(2), threshold(0.5F)}), (Rows{0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(kept({six_boxes(), six_scores(), limit(9), threshold(0.5F), threshold(0.92F)}), (Rows{0, 0, 3}));
  EXPECT_EQ(kept({six_boxes(), six_scores(), limit(9), threshold(1)}).size(), 18U);
  EXPECT_EQ(kept({six_boxes(), six_scores()}), Rows());
}

TEST(NonMaxSuppression, TakesAnyTwoCornersOrTheMiddle) {
  const Tensor flipped = Tensor::from<float>({1, 2, 4}, {1, 1, 0, 0, 0, 0.1F, 1, 1.1F});
  const Tensor scores = Tensor::from<float>({1, 1, 2}, {1, 1});
  EXPECT_EQ(kept({flipped, scores, limit(2), threshold(0.5F)}), (Rows{0, 0, 0}));
  const Tensor centered = Tensor::from<float>({1, 2, 4}, {0.5F, 0.5F, 1, 1, 0.5F, 0.6F, 1, 1});
  EXPECT_EQ(kept({centered, scores, limit(2), threshold(0.5F)}, {{"center_point_box", 1L}}), (Rows{0, 0, 0}));
}

TEST(NonMaxSuppression, PutsNumbersBeforeNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor boxes = Tensor::from<float>({1, 3, 4}, {0, 0, 1, 1, 0, 5, 1, 6, 0, 9, 1, 10});
  const Tensor scores = Tensor::from<float>({1, 1, 3}, {nan, 0.1F, 0.2F});
  EXPECT_EQ(kept({boxes, scores, limit(3)}), (Rows{0, 0, 2, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(kept({boxes, scores, limit(3), threshold(0), threshold(0)}), (Rows{0, 0, 2, 0, 0, 1}));
}

TEST(NonMaxSuppression, ChecksItsConstraints) {
  const auto broken = [](const std::vector<Tensor>& inputs, const AttributeList& attributes = {}) {
    return broken_constraint("NonMaxSuppression", 11, attributes, inputs);
  };
  EXPECT_EQ(broken({Tensor(DType::kDouble, {1, 6, 4}), six_scores()}), "non_max_suppression_c1");
  EXPECT_EQ(broken({Tensor(DType::kFloat, {1, 6, 5}), six_scores()}), "non_max_suppression_c1");
  EXPECT_EQ(broken({Tensor(DType::kFloat, {1, 5, 4}), six_scores()}), "non_max_suppression_c1");
  EXPECT_EQ(broken({six_boxes(), six_scores(), Tensor(DType::kInt32, {1})}), "non_max_suppression_c2");
  EXPECT_EQ(broken({six_boxes(), six_scores(), limit(1), threshold(1.5F)}), "non_max_suppression_c2");
  EXPECT_EQ(broken({six_boxes(), six_scores(), int64s({1, 1})}), "non_max_suppression_c2");
  EXPECT_EQ(broken({six_boxes(), six_scores()}, {{"center_point_box", 2L}}), "non_max_suppression_c3");
}

}  // namespace
}  // namespace octet
