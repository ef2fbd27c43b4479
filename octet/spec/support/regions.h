// regions.h: what RoiAlign and MaxRoiPool share: pooled regions of images.
#pragma once

#include <cstdint>
#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

// x is [N, C, H, W], rois is [R, columns], of one floating-point type; y is [R, C, height, width]. Throws kConstraint
// with `label` where that is not so.
void infer_regions(Inference& i, std::int64_t columns, std::int64_t height, std::int64_t width, std::string_view label);

// Throws kConstraint with `label` unless each of the numbers is finite, as rois must be.
void require_finite(const Tensor& tensor, std::string_view label);

}  // namespace octet
