// non_max_suppression.cc: the meaning of NonMaxSuppression.
//
//   for each image and class: of the boxes with a score above score_threshold, the best first, take those that overlap none
//   taken before by more than iou_threshold, up to max_output_boxes_per_class; y = rows [image, class, box]
//
// If scores are equal the box with the lower index comes first; a NaN is never above a threshold, and without one comes
// last. Without score_threshold every box is looked at; without max_output_boxes_per_class none is taken. The overlap
// is the area common to both boxes over the area of either, in float32; boxes are [y1, x1, y2, x2], any two opposite
// corners, or with center_point_box = 1 [x, y, width, height] around their middle.
//
//   non_max_suppression_c1  boxes is float32, [N, B, 4], scores is float32, [N, C, B].
//   non_max_suppression_c2  max_output_boxes_per_class is one int64; iou_threshold, in [0, 1], and score_threshold one
//                           float32.
//   non_max_suppression_c3  center_point_box is 0 or 1.
#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

struct Rectangle {
  float top, left, bottom, right;

  Rectangle(const float* box, bool around_center) {
    if (around_center) {
      const float width = box[2] / 2, height = box[3] / 2;
      left = box[0] - width, right = box[0] + width, top = box[1] - height, bottom = box[1] + height;
    } else {
      std::tie(top, bottom) = std::minmax({box[0], box[2]});
      std::tie(left, right) = std::minmax({box[1], box[3]});
    }
  }
  float area() const { return (right - left) * (bottom - top); }
};

bool boxes_overlap(const Rectangle& a, const Rectangle& b, float threshold) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0) || !(height > 0)) return false;
  const float common = width * height, either = a.area() + b.area() - common;
  return common > 0 && a.area() > 0 && b.area() > 0 && either > 0 && common / either > threshold;
}

struct Suppression {
  bool around_center;
  std::int64_t most = 0;
  float overlap = 0;
  std::optional<float> score = {};
};

// The boxes of one class of one image that are taken, best first.
std::vector<std::int64_t> taken_boxes(std::span<const float> boxes, std::span<const float> scores,
                                      const Suppression& rule) {
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&](std::int64_t box) { return scores[static_cast<std::size_t>(box)]; };
  if (rule.score) std::erase_if(order, [&](std::int64_t box) { return !(score(box) > *rule.score); });
  std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
    return score(a) > score(b) || (score(a) == score(a) && score(b) != score(b));
  });
  std::vector<std::int64_t> taken;
  std::vector<Rectangle> rectangles;
  for (const std::int64_t box : order) {
    if (static_cast<std::int64_t>(taken.size()) >= rule.most) break;
    const Rectangle candidate(boxes.data() + box * 4, rule.around_center);
    if (std::ranges::any_of(rectangles,
                            [&](const auto& other) { return boxes_overlap(candidate, other, rule.overlap); }))
      continue;
    taken.push_back(box);
    rectangles.push_back(candidate);
  }
  return taken;
}

// Rows [image, class, box]. `inputs` are the operator's, absent ones being null.
std::vector<std::int64_t> selected_boxes(const std::array<const Tensor*, 5>& inputs, bool around_center) {
  Suppression rule{.around_center = around_center};
  if (inputs[2]) rule.most = inputs[2]->int_at(0);
  if (inputs[3]) rule.overlap = inputs[3]->as<float>()[0];
  if (inputs[4]) rule.score = inputs[4]->as<float>()[0];
  std::vector<std::int64_t> rows;
  const Shape& scores = inputs[1]->shape();
  const auto count = static_cast<std::size_t>(scores[2]);
  for (std::int64_t n = 0; n < scores[0]; ++n)
    for (std::int64_t c = 0; c < scores[1]; ++c) {
      const auto of_image = inputs[0]->as<float>().subspan(static_cast<std::size_t>(n) * count * 4, count * 4);
      const auto of_class = inputs[1]->as<float>().subspan(static_cast<std::size_t>(n * scores[1] + c) * count, count);
      for (const std::int64_t box : taken_boxes(of_image, of_class, rule)) rows.insert(rows.end(), {n, c, box});
    }
  return rows;
}

void require_one(const Inference& i, std::size_t index, DType dtype) {
  if (!i.has(index)) return;
  if (i.dtype(index) != dtype)
    fail_constraint("non_max_suppression_c2", "input {} is {}, wanted {}", index, name(i.dtype(index)), name(dtype));
  const Tensor* value = i.constant(index);
  if (value && value->size() != 1)
    fail_constraint("non_max_suppression_c2", "input {} has {} elements, wanted 1", index, value->size());
}

void require_boxes(const Inference& i) {
  for (std::size_t index : {0U, 1U}) {
    if (i.dtype(index) != DType::kFloat)
      fail_constraint("non_max_suppression_c1", "input {} is {}, wanted float32", index, name(i.dtype(index)));
    require_rank(i, index, 3, "non_max_suppression_c1");
  }
  if (!i.has_shape(0)) return;
  require_shape(i, 0, {i.shape(0)[0], i.shape(0)[1], 4}, "non_max_suppression_c1");
  require_shape(i, 1, {i.shape(0)[0], Dim(), i.shape(0)[1]}, "non_max_suppression_c1");
}

void infer_non_max_suppression(Inference& i) {
  require_boxes(i);
  require_one(i, 2, DType::kInt64);
  require_one(i, 3, DType::kFloat);
  require_one(i, 4, DType::kFloat);
  const std::int64_t center = i.attributes().get_int("center_point_box", 0);
  if (center != 0 && center != 1)
    fail_constraint("non_max_suppression_c3", "center_point_box is {}, wanted 0 or 1", center);
  if (const Tensor* iou = i.constant(3); iou && !(iou->as<float>()[0] >= 0 && iou->as<float>()[0] <= 1))
    fail_constraint("non_max_suppression_c2", "iou_threshold is {}, wanted 0 to 1", iou->as<float>()[0]);
  std::array<const Tensor*, 5> inputs{};
  bool known = true;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    inputs[k] = i.constant(k);
    known = known && (inputs[k] || !i.has(k));
  }
  const Dim rows = known ? Dim(static_cast<std::int64_t>(selected_boxes(inputs, center == 1).size() / 3)) : Dim();
  i.set_output(0, DType::kInt64, SymbolicShape{rows, 3});
}

void compute_non_max_suppression(Call& call) {
  std::array<const Tensor*, 5> inputs{};
  for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = call.has(k) ? &call.input(k) : nullptr;
  const bool around_center = call.attributes().get_int("center_point_box", 0) == 1;
  std::ranges::copy(selected_boxes(inputs, around_center), call.output(0).mutable_as<std::int64_t>().begin());
}

}  // namespace

const Operator ops::kNonMaxSuppression = {
    .name = "NonMaxSuppression",
    .versions = {10, 11},
    .formula = "y = rows [image, class, box] of the best boxes that overlap no better one by more than iou_threshold",
    .constraints = {{"non_max_suppression_c1", "boxes is float32, [N, B, 4], scores is float32, [N, C, B]"},
                    {"non_max_suppression_c2",
                     "max_output_boxes_per_class is one int64; iou_threshold, in [0, 1], and score_threshold one "
                     "float32"},
                    {"non_max_suppression_c3", "center_point_box is 0 or 1"}},
    .infer = infer_non_max_suppression,
    .compute = compute_non_max_suppression,
};

}  // namespace octet
