// max_roi_pool.cc: the meaning of MaxRoiPool.
//
//   y[r, c, i, j] = the maximum of x[rois[r, 0], c] inside bin (i, j) of region r; 0 for a bin outside the image
//
// Region r is rois[r] = [image, x1, y1, x2, y2], the corners times spatial_scale and rounded, both included, at least 1
// wide. Bin i of pooled_shape's h reaches from floor(i * height / h) to ceil((i + 1) * height / h).
//
//   max_roi_pool_c1  x is [N, C, H, W], not empty, rois is [R, 5], of one floating-point type; pooled_shape has two
//                    positive numbers.
//   max_roi_pool_c2  rois are finite and within the image numbers [0, N - 1] and 2^30 pixels.
#include <algorithm>
#include <array>
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/regions.h"

namespace octet {
namespace {

constexpr double kFarthestPixel = 1 << 30;

void require_pool_regions(const Inference& i, const Tensor& rois) {
  require_finite(rois, "max_roi_pool_c2");
  const double scale = i.attributes().get_float("spatial_scale", 1);
  for (std::int64_t k = 0; k < rois.size(); ++k) {
    const double number = rois.number_at(k);
    if (k % 5 != 0 && !(std::fabs(number * scale) < kFarthestPixel))
      fail_constraint("max_roi_pool_c2", "a region reaches to pixel {}", number * scale);
    if (k % 5 == 0 && i.has_shape(0) && i.shape(0)[0].known() &&
        !(number >= 0 && number < static_cast<double>(i.shape(0)[0].value())))
      fail_constraint("max_roi_pool_c2", "image {}, wanted 0 to {}", number, i.shape(0)[0].value() - 1);
  }
}

void infer_max_roi_pool(Inference& i) {
  const std::vector<std::int64_t> pooled = i.attributes().get_ints("pooled_shape");
  if (pooled.size() != 2) fail_constraint("max_roi_pool_c1", "pooled_shape has {} numbers, wanted 2", pooled.size());
  infer_regions(i, 5, pooled[0], pooled[1], "max_roi_pool_c1");
  if (const Tensor* rois = i.constant(1)) require_pool_regions(i, *rois);
}

// The first pixel of a bin and the one behind its last, along one axis.
template <typename T>
std::array<std::int64_t, 2> bin_pixels(T from, T to, T scale, std::int64_t bin, std::int64_t bins,
                                       std::int64_t length) {
  const T start = std::round(from * scale), size = std::max(std::round(to * scale) - start + 1, T(1));
  const T step = size / static_cast<T>(bins);
  const auto clamped = [&](T x) { return std::clamp(static_cast<std::int64_t>(x + start), std::int64_t{0}, length); };
  return {clamped(std::floor(static_cast<T>(bin) * step)), clamped(std::ceil(static_cast<T>(bin + 1) * step))};
}

template <typename T>
void max_roi_pool_as(Call& call) {
  const Shape &x = call.input(0).shape(), &y = call.output_shape(0);
  const T scale = call.attributes().get_float("spatial_scale", 1);
  const T* from = call.input(0).as<T>().data();
  T* to = call.output(0).mutable_as<T>().data();
  call.parallel().for_each_block(call.output(0).size(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t j = k % y[3], i = k / y[3] % y[2], c = k / y[3] / y[2] % y[1];
      const T* roi = call.input(1).as<T>().data() + k / y[3] / y[2] / y[1] * 5;
      const auto rows = bin_pixels(roi[2], roi[4], scale, i, y[2], x[2]);
      const auto columns = bin_pixels(roi[1], roi[3], scale, j, y[3], x[3]);
      const T* plane = from + (static_cast<std::int64_t>(roi[0]) * x[1] + c) * x[2] * x[3];
      const bool empty = rows[0] >= rows[1] || columns[0] >= columns[1];
      T best = empty ? T(0) : plane[rows[0] * x[3] + columns[0]];
      for (std::int64_t row = rows[0]; row < rows[1]; ++row)
        for (std::int64_t column = columns[0]; column < columns[1]; ++column)
          best = std::max(best, plane[row * x[3] + column]);
      to[k] = best;
    }
  });
}

}  // namespace

const Operator ops::kMaxRoiPool = {
    .name = "MaxRoiPool",
    .versions = {1, 22},
    .formula = "y[r,c,i,j] = maximum of x[rois[r,0],c] inside bin (i,j) of region r",
    .constraints = {{"max_roi_pool_c1",
                     "x is [N, C, H, W], not empty, rois is [R, 5], of one floating-point type; pooled_shape has two "
                     "positive numbers"},
                    {"max_roi_pool_c2", "rois are finite and within the image numbers [0, N - 1] and 2^30 pixels"}},
    .infer = infer_max_roi_pool,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { max_roi_pool_as<T>(call); }); },
    .traits = {Trait::kPool},
};

}  // namespace octet
