#include "octet/evaluate/detections.h"

#include <algorithm>
#include <vector>

#include "octet/base/fail.h"

namespace octet {
namespace {

struct Box {
  double left, top, right, bottom;

  double area() const { return std::max(0.0, right - left) * std::max(0.0, bottom - top); }
};

struct Detection {
  Box box;
  double score;
  std::int64_t label;
};

double overlap_of(const Box& a, const Box& b) {
  const Box both{std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                 std::min(a.bottom, b.bottom)};
  const double shared = both.area(), all = a.area() + b.area() - shared;
  return all > 0 ? shared / all : 0;
}

void require_detections(const DetectionOptions& options, const Tensor& boxes, const Tensor& scores) {
  const Shape &b = boxes.shape(), &s = scores.shape();
  if (b.size() != 3 || b[2] != 4)
    fail(ErrorCode::kUsage, "output {} is {}; boxes are [N, K, 4]", options.boxes, to_string(b));
  if ((s.size() != 2 && s.size() != 3) || s[0] != b[0] || s[1] != b[1])
    fail(ErrorCode::kUsage, "output {} is {}, and the boxes {} are {}; wanted scores of {} boxes, [N, K] or [N, K, C]",
         options.scores, to_string(s), options.boxes, to_string(b), b[1]);
}

// Of one sample, by descending score.
std::vector<Detection> detections_of(const DetectionOptions& options, const Tensor& boxes, const Tensor& scores,
                                     std::int64_t sample) {
  const std::int64_t count = boxes.shape()[1], classes = scores.rank() == 3 ? scores.shape()[2] : 1;
  std::vector<Detection> found;
  for (std::int64_t k = sample * count; k < (sample + 1) * count; ++k) {
    Detection best{{}, -1, -1};
    for (std::int64_t c = 0; c < classes; ++c)
      if (const double score = scores.number_at(k * classes + c);
          score >= options.score && c != options.background && (best.label < 0 || score > best.score))
        best = {{}, score, c};
    if (best.label < 0) continue;
    const double a = boxes.number_at(4 * k), b = boxes.number_at(4 * k + 1), c = boxes.number_at(4 * k + 2),
                 d = boxes.number_at(4 * k + 3);
    best.box = options.centers ? Box{a - c / 2, b - d / 2, a + c / 2, b + d / 2} : Box{a, b, c, d};
    found.push_back(best);
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Detection::score);
  return found;
}

}  // namespace

void add_detections(Detections& detections, const DetectionOptions& options, const Tensor& wanted_boxes,
                    const Tensor& wanted_scores, const Tensor& found_boxes, const Tensor& found_scores) {
  require_detections(options, wanted_boxes, wanted_scores);
  require_detections(options, found_boxes, found_scores);
  for (std::int64_t sample = 0; sample < wanted_boxes.shape()[0]; ++sample) {
    const std::vector<Detection> wanted = detections_of(options, wanted_boxes, wanted_scores, sample);
    std::vector<Detection> found = detections_of(options, found_boxes, found_scores, sample);
    detections.wanted += static_cast<std::int64_t>(wanted.size());
    detections.found += static_cast<std::int64_t>(found.size());
    for (const Detection& detection : wanted) {
      const auto overlap = [&](const Detection& other) {
        return other.label == detection.label ? overlap_of(detection.box, other.box) : 0;
      };
      const auto best = std::ranges::max_element(found, {}, overlap);
      if (best == found.end() || overlap(*best) < options.overlap || overlap(*best) == 0) continue;
      ++detections.matched;
      detections.overlap += overlap(*best);
      found.erase(best);
    }
  }
}

}  // namespace octet
