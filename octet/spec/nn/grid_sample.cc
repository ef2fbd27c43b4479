// grid_sample.cc: the meaning of GridSample.
//
//   y[n, c, o...] = x[n, c, ...] at the position grid[n, o..., :], interpolated
//
// grid gives a coordinate per spatial axis, the last axis first: g in [-1, 1] stands for the position
//
//   (g + 1) / 2 * (d - 1)      with align_corners = 1: the ends are the middles of the outer elements
//   ((g + 1) * d - 1) / 2      without: the ends are their outer borders
//
// mode linear takes the two elements around it along each axis, cubic four (Keys' cubic with a = -0.75), nearest the
// nearest one (ties to even). An element beyond the ends is 0 with padding_mode zeros, the outer element with border,
// and with reflection the one where its index goes back at the ends, which are where -1 and 1 stand. In the type of x
// (float32 for the half types), the last axis first. Before opset 20, linear and cubic are called bilinear and bicubic.
//
//   grid_sample_c1  x and grid are floating point.
//   grid_sample_c2  x is [N, C, D1, ...], grid is [N, O1, ..., number of spatial axes], as many O as D.
//   grid_sample_c3  mode is linear, nearest or cubic; padding_mode is zeros, border or reflection.
#include <algorithm>
#include <array>
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

enum class GridMode { kNearest, kLinear, kCubic };
enum class GridPadding { kZeros, kBorder, kReflection };

GridMode grid_mode(const Attributes& attributes) {
  const std::string mode = attributes.get_string("mode", "linear");
  if (mode == "nearest") return GridMode::kNearest;
  if (mode == "linear" || mode == "bilinear") return GridMode::kLinear;
  if (mode == "cubic" || mode == "bicubic") return GridMode::kCubic;
  fail_constraint("grid_sample_c3", "mode is \"{}\", wanted linear, nearest or cubic", mode);
}

GridPadding grid_padding(const Attributes& attributes) {
  const std::string padding = attributes.get_string("padding_mode", "zeros");
  if (padding == "zeros") return GridPadding::kZeros;
  if (padding == "border") return GridPadding::kBorder;
  if (padding == "reflection") return GridPadding::kReflection;
  fail_constraint("grid_sample_c3", "padding_mode is \"{}\", wanted zeros, border or reflection", padding);
}

void infer_grid_sample(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "grid_sample_c1");
  require_type(i, 1, TypeKind::kFloat, "grid_sample_c1");
  grid_mode(i.attributes());
  grid_padding(i.attributes());
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  const SymbolicShape& x = i.shape(0);
  if (x.size() < 3) fail_constraint("grid_sample_c2", "x is {}, wanted [N,C,D1,...]", to_string(x));
  require_rank(i, 1, x.size(), "grid_sample_c2");
  SymbolicShape y(x.size());
  y[0] = x[0];
  y[1] = x[1];
  if (i.has_shape(1)) {
    const SymbolicShape& grid = i.shape(1);
    if (surely_different(grid[0], x[0]) || surely_different(grid.back(), static_cast<std::int64_t>(x.size()) - 2))
      fail_constraint("grid_sample_c2", "x is {}, grid {}: wanted one batch and a coordinate per spatial axis",
                      to_string(x), to_string(grid));
    std::copy(grid.begin() + 1, grid.end() - 1, y.begin() + 2);
  }
  i.set_output(0, i.dtype(0), std::move(y));
}

// The elements of one axis that take part, and their weights. -1 stands for an element that is 0.
template <typename T>
struct GridTaps {
  std::size_t count = 0;
  std::array<std::int64_t, 4> indices{};
  std::array<T, 4> weights{};
};

template <typename T>
class GridAxis {
 public:
  GridAxis(std::int64_t length, bool align_corners, GridMode mode, GridPadding padding)
      : length_(length),
        align_(align_corners),
        mode_(mode),
        padding_(padding),
        low_(align_corners ? T(0) : T(-0.5)),
        high_(static_cast<T>(length) - (align_corners ? T(1) : T(0.5))) {}

  GridTaps<T> taps(T g) const {
    const auto d = static_cast<T>(length_);
    T x = align_ ? (g + 1) / 2 * (d - 1) : ((g + 1) * d - 1) / 2;
    if (mode_ == GridMode::kNearest) x = std::nearbyint(x);
    return around(std::isnan(x) ? -kFarthest : std::clamp(x, -kFarthest, kFarthest));
  }

 private:
  static constexpr T kFarthest = 1 << 30;  // further outside it does not matter where

  T reflected(T x) const {
    const T range = high_ - low_;
    if (!(range > 0)) return low_;
    const bool below = x < low_;
    const T distance = below ? low_ - x : x - high_, times = std::trunc(distance / range);
    const T rest = distance - times * range;
    return (std::fmod(times, T(2)) == 0) == below ? low_ + rest : high_ - rest;
  }

  std::int64_t padded(std::int64_t index) const {
    if (index >= 0 && index < length_) return index;
    if (padding_ == GridPadding::kZeros) return -1;
    if (padding_ == GridPadding::kReflection) index = static_cast<std::int64_t>(reflected(static_cast<T>(index)));
    return std::clamp<std::int64_t>(index, 0, length_ - 1);
  }

  GridTaps<T> around(T x) const {
    GridTaps<T> taps;
    const T floor = std::floor(x), t = x - floor;
    const auto index = static_cast<std::int64_t>(floor);
    if (mode_ == GridMode::kNearest) {
      taps = {1, {index}, {T(1)}};
    } else if (mode_ == GridMode::kLinear) {
      taps = {2, {index, index + 1}, {floor + 1 - x, t}};
    } else {
      taps = {4, {index - 1, index, index + 1, index + 2}, {outer(t + 1), inner(t), inner(1 - t), outer(2 - t)}};
    }
    for (std::size_t k = 0; k < taps.count; ++k) taps.indices[k] = padded(taps.indices[k]);
    return taps;
  }

  static constexpr T kA = T(-0.75);
  static T outer(T t) { return ((kA * t - 5 * kA) * t + 8 * kA) * t - 4 * kA; }
  static T inner(T t) { return ((kA + 2) * t - (kA + 3)) * t * t + 1; }

  std::int64_t length_;
  bool align_;
  GridMode mode_;
  GridPadding padding_;
  T low_, high_;
};

template <typename T>
T interpolated(const T* x, std::span<const GridTaps<T>> taps, std::span<const std::int64_t> strides) {
  if (taps.empty()) return *x;
  T sum = 0;
  for (std::size_t k = 0; k < taps[0].count; ++k) {
    const std::int64_t index = taps[0].indices[k];
    const T value = index < 0 ? T(0) : interpolated(x + index * strides[0], taps.subspan(1), strides.subspan(1));
    sum = k == 0 ? taps[0].weights[0] * value : sum + taps[0].weights[k] * value;
  }
  return sum;
}

template <typename T>
void grid_sample_as(Call& call) {
  const Shape& shape = call.input(0).shape();
  const Shape image(shape.begin() + 2, shape.end());
  const std::vector<std::int64_t> strides = strides_of(image);
  std::vector<GridAxis<T>> axes;
  for (const std::int64_t length : image)
    axes.emplace_back(length, call.attributes().get_int("align_corners", 0) != 0, grid_mode(call.attributes()),
                      grid_padding(call.attributes()));
  const Tensor positions = convert(call.input(1), call.output_dtype(0));
  const std::int64_t size = element_count(image), channels = shape[1], rank = static_cast<std::int64_t>(axes.size());
  const std::int64_t places = positions.size() / rank / std::max<std::int64_t>(shape[0], 1);
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  if (call.output(0).size() == 0) return;
  if (size == 0) return std::fill_n(y, call.output(0).size(), T(0)), void();
  call.parallel().for_each_block(shape[0] * places, kElementGrain / 64, [&](std::int64_t begin, std::int64_t end) {
    std::vector<GridTaps<T>> taps(axes.size());
    for (std::int64_t place = begin; place < end; ++place) {
      const T* g = positions.as<T>().data() + (place + 1) * rank;
      for (std::size_t k = 0; k < axes.size(); ++k) taps[k] = axes[k].taps(*--g);
      const std::int64_t n = place / places;
      for (std::int64_t c = 0; c < channels; ++c)
        y[(n * channels + c) * places + place % places] = interpolated<T>(x + (n * channels + c) * size, taps, strides);
    }
  });
}

}  // namespace

const Operator ops::kGridSample = {
    .name = "GridSample",
    .versions = {16, 20, 22},
    .formula = "y[n,c,o] = x[n,c] at the position grid[n,o], interpolated",
    .constraints = {{"grid_sample_c1", "x and grid are floating point"},
                    {"grid_sample_c2",
                     "x is [N, C, D1, ...], grid is [N, O1, ..., number of spatial axes], as many O as D"},
                    {"grid_sample_c3",
                     "mode is linear, nearest or cubic; padding_mode is zeros, border or reflection"}},
    .infer = infer_grid_sample,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { grid_sample_as<T>(call); }); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
