// detections.h: which boxes two detectors agree on.
//
// A detection is a box whose best score is at least `score`; its class is that of the best score, the first among equals. The
// detections of the reference are taken by descending score; each is matched with the detection of the other network of the same
// class that overlaps it most and is not matched yet, if the overlap (intersection over union) is at least `overlap`. Boxes are
// compared as the networks give them, before any suppression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "octet/base/tensor.h"

namespace octet {

struct DetectionOptions {
  std::string boxes, scores;  // outputs of the reference: [N, K, 4], and [N, K] or [N, K, C]
  bool centers = false;       // boxes are (centre x, centre y, width, height), else (left, top, right, bottom)
  double score = 0.5;
  double overlap = 0.5;
  std::optional<std::int64_t> background;  // a class that is none
};

struct Detections {
  std::int64_t wanted = 0, found = 0;  // of the reference and of the other network
  std::int64_t matched = 0;
  double overlap = 0;  // sum over those that match

  double mean_overlap() const { return matched == 0 ? 0 : overlap / static_cast<double>(matched); }
};

// Adds those of one batch. Throws kUsage for outputs of other shapes.
void add_detections(Detections& detections, const DetectionOptions& options, const Tensor& wanted_boxes,
                    const Tensor& wanted_scores, const Tensor& found_boxes, const Tensor& found_scores);

}  // namespace octet
