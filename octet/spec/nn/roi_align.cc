// roi_align.cc: the meaning of RoiAlign.
//
//   y[r, c, i, j] = the mean, or the maximum, of samples of x[batch_indices[r], c] inside bin (i, j) of region r
//
// Region r, rois[r] = [x1, y1, x2, y2] * spatial_scale, is cut into output_height x output_width bins, each with
// sampling_ratio samples a side, or as many as its length rounded up. A sample is interpolated between its four
// neighbours (mode max: the largest of the four, each times its weight); further than 1 outside the image it is 0.
// coordinate_transformation_mode half_pixel moves regions by -0.5; output_half_pixel, the only one before opset 16,
// does not, and makes them at least 1 wide.
//
//   roi_align_c1  x is [N, C, H, W], not empty, rois is [R, 4], of one floating-point type; output_height and
//                 output_width are positive.
//   roi_align_c2  batch_indices is int64, [R], each within [0, N - 1].
//   roi_align_c3  mode is avg or max, coordinate_transformation_mode half_pixel or output_half_pixel, sampling_ratio
//                 not negative.
//   roi_align_c4  rois are finite, and no region takes more than 2^28 samples.
#include <algorithm>
#include <array>
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/regions.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

constexpr double kMostSamples = 1 << 28;
constexpr int kCoordinateModeOpset = 16;

bool is_half_pixel(const Attributes& attributes, int opset) {
  const std::string mode = opset < kCoordinateModeOpset
                               ? "output_half_pixel"
                               : attributes.get_string("coordinate_transformation_mode", "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    fail_constraint("roi_align_c3", "coordinate_transformation_mode is \"{}\"", mode);
  return mode == "half_pixel";
}

// One axis of a region: `bins` bins of that size from `start` on, with `samples` each.
template <typename T>
struct RegionAxis {
  T start, bin;
  std::int64_t bins;
  double samples;

  RegionAxis(T from, T to, std::int64_t bin_count, const Attributes& attributes, int opset) : bins(bin_count) {
    const bool half = is_half_pixel(attributes, opset);
    const T scale = attributes.get_float("spatial_scale", 1), offset = half ? T(0.5) : T(0);
    start = from * scale - offset;
    T length = to * scale - offset - start;
    if (!half) length = std::max(length, T(1));
    bin = length / static_cast<T>(bins);
    const std::int64_t ratio = attributes.get_int("sampling_ratio", 0);
    samples = ratio > 0 ? static_cast<double>(ratio) : std::max(0.0, std::ceil(static_cast<double>(bin)));
  }
  T at(std::int64_t index, std::int64_t sample) const {
    return start + static_cast<T>(index) * bin + (static_cast<T>(sample) + T(0.5)) * bin / static_cast<T>(samples);
  }
};

template <typename T>
std::array<RegionAxis<T>, 2> region_axes(const T* roi, const Attributes& attributes, int opset) {
  return {RegionAxis<T>(roi[1], roi[3], attributes.get_int("output_height", 1), attributes, opset),
          RegionAxis<T>(roi[0], roi[2], attributes.get_int("output_width", 1), attributes, opset)};
}

void require_few_samples(const Inference& i, const Tensor& rois) {
  require_finite(rois, "roi_align_c4");
  const Tensor numbers = convert(rois, DType::kDouble);
  for (std::int64_t r = 0; r < rois.shape()[0]; ++r) {
    const auto axes = region_axes(numbers.as<double>().data() + r * 4, i.attributes(), i.opset());
    double samples = 1;
    for (const auto& axis : axes) samples *= static_cast<double>(axis.bins) * std::max(1.0, axis.samples);
    if (!(samples <= kMostSamples))
      fail_constraint("roi_align_c4", "region {} takes {} samples, at most {} are", r, samples, kMostSamples);
  }
}

void infer_roi_align(Inference& i) {
  infer_regions(i, 4, i.attributes().get_int("output_height", 1), i.attributes().get_int("output_width", 1),
                "roi_align_c1");
  if (i.dtype(2) != DType::kInt64)
    fail_constraint("roi_align_c2", "batch_indices is {}, wanted int64", name(i.dtype(2)));
  require_shape(i, 2, {i.has_shape(1) ? i.shape(1)[0] : Dim()}, "roi_align_c2");
  const std::string mode = i.attributes().get_string("mode", "avg");
  if (mode != "avg" && mode != "max") fail_constraint("roi_align_c3", "mode is \"{}\", wanted avg or max", mode);
  if (i.attributes().get_int("sampling_ratio", 0) < 0) fail_constraint("roi_align_c3", "sampling_ratio is negative");
  is_half_pixel(i.attributes(), i.opset());
  if (const Tensor* batch = i.constant(2); batch && i.has_shape(0) && i.shape(0)[0].known())
    for (const std::int64_t index : batch->to_ints())
      if (index < 0 || index >= i.shape(0)[0].value())
        fail_constraint("roi_align_c2", "batch index {}, wanted 0 to {}", index, i.shape(0)[0].value() - 1);
  if (const Tensor* rois = i.constant(1)) require_few_samples(i, *rois);
}

// The two elements around a coordinate, and how much the upper one weighs. Outside, nothing.
template <typename T>
struct Neighbourhood {
  bool inside;
  std::int64_t low = 0, high = 0;
  T weight = 0;

  Neighbourhood(T x, std::int64_t length) : inside(x >= T(-1) && x <= static_cast<T>(length)) {
    if (!inside) return;
    x = std::max(x, T(0));
    low = std::min(static_cast<std::int64_t>(x), length - 1);
    high = std::min(low + 1, length - 1);
    weight = low == length - 1 ? T(0) : x - static_cast<T>(low);
  }
};

template <typename T>
std::array<T, 4> weighted_corners(const T* plane, std::int64_t width, const Neighbourhood<T>& y,
                                  const Neighbourhood<T>& x) {
  if (!y.inside || !x.inside) return {};
  const T up = T(1) - y.weight, left = T(1) - x.weight;
  return {up * left * plane[y.low * width + x.low], up * x.weight * plane[y.low * width + x.high],
          y.weight * left * plane[y.high * width + x.low], y.weight * x.weight * plane[y.high * width + x.high]};
}

template <typename T>
T pooled_bin(const T* plane, const Shape& image, const std::array<RegionAxis<T>, 2>& axes, std::int64_t i,
             std::int64_t j, bool largest) {
  const auto rows = static_cast<std::int64_t>(axes[0].samples), columns = static_cast<std::int64_t>(axes[1].samples);
  T result = 0;
  for (std::int64_t v = 0; v < rows; ++v) {
    const Neighbourhood<T> y(axes[0].at(i, v), image[0]);
    for (std::int64_t u = 0; u < columns; ++u) {
      const std::array<T, 4> corners = weighted_corners(plane, image[1], y, {axes[1].at(j, u), image[1]});
      if (!largest)
        result += corners[0] + corners[1] + corners[2] + corners[3];
      else if (const T best = *std::ranges::max_element(corners); (v == 0 && u == 0) || best > result)
        result = best;
    }
  }
  return largest ? result : result / static_cast<T>(std::max<std::int64_t>(rows * columns, 1));
}

template <typename T>
void roi_align_as(Call& call) {
  const Shape &x = call.input(0).shape(), &y = call.output_shape(0);
  const Shape image(x.begin() + 2, x.end());
  const bool largest = call.attributes().get_string("mode", "avg") == "max";
  const std::span<const std::int64_t> batch = call.input(2).as<std::int64_t>();
  const T* from = call.input(0).as<T>().data();
  T* to = call.output(0).mutable_as<T>().data();
  call.parallel().for_each_block(y[0] * y[1], 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const std::int64_t r = plane / y[1], n = batch[static_cast<std::size_t>(r)];
      const auto axes = region_axes(call.input(1).as<T>().data() + r * 4, call.attributes(), call.opset());
      const T* source = from + (n * x[1] + plane % y[1]) * image[0] * image[1];
      for (std::int64_t bin = 0; bin < y[2] * y[3]; ++bin)
        to[plane * y[2] * y[3] + bin] = pooled_bin(source, image, axes, bin / y[3], bin % y[3], largest);
    }
  });
}

}  // namespace

const Operator ops::kRoiAlign = {
    .name = "RoiAlign",
    .versions = {10, 16, 22},
    .turns = {16},
    .formula = "y[r,c,i,j] = mean or maximum of samples of x[batch_indices[r],c] inside bin (i,j) of region r",
    .constraints = {{"roi_align_c1",
                     "x is [N, C, H, W], not empty, rois is [R, 4], of one floating-point type; output_height and "
                     "output_width are positive"},
                    {"roi_align_c2", "batch_indices is int64, [R], each within [0, N - 1]"},
                    {"roi_align_c3",
                     "mode is avg or max, coordinate_transformation_mode half_pixel or output_half_pixel, "
                     "sampling_ratio not negative"},
                    {"roi_align_c4", "rois are finite, and no region takes more than 2^28 samples"}},
    .infer = infer_roi_align,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { roi_align_as<T>(call); }); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
