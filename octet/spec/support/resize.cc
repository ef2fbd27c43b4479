#include "octet/spec/support/resize.h"

#include <algorithm>
#include <array>
#include <memory>

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/support/saturated.h"

namespace octet {
namespace {

bool unchanged(const ResampledAxis& axis, const ResampleRule& rule) {
  const bool cropped = rule.coordinates == Coordinates::kTfCropAndResize && !(axis.roi_start == 0 && axis.roi_end == 1);
  return axis.input == axis.output && axis.scale == 1 && !cropped;
}

// Axes whose elements stay what they are. In an image, whose last two axes are all that changes, ONNX Runtime
// interpolates between rows and columns even where only one of the two changes; that decides how integers truncate.
std::vector<bool> copied_axes(const std::vector<ResampledAxis>& axes, const ResampleRule& rule) {
  std::vector<bool> copied;
  for (const ResampledAxis& axis : axes) copied.push_back(unchanged(axis, rule));
  const std::size_t rank = axes.size();
  const auto changed = static_cast<std::size_t>(std::count(copied.begin(), copied.end(), false));
  if (rule.interpolation == Interpolation::kLinear && rank >= 2 && changed == 1 && copied[rank - 1] != copied[rank - 2])
    copied[rank - 1] = copied[rank - 2] = false;
  return copied;
}

Neighbours themselves(std::int64_t size) {
  Neighbours result;
  result.count = 1;
  for (std::int64_t o = 0; o < size; ++o) result.indices.push_back(o);
  result.weights.assign(static_cast<std::size_t>(size), 1.0F);
  result.outside.assign(static_cast<std::size_t>(size), 0);
  return result;
}

// float64 for float64; float32 for everything else.
template <typename T>
using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Every output as one sum over the neighbours along all axes, the last axis innermost.
template <typename T>
class Direct {
 public:
  Direct(const Tensor& x, const std::vector<Neighbours>& axes, float extrapolation, Tensor& y)
      : axes_(axes),
        strides_(strides_of(x.shape())),
        shape_(y.shape()),
        x_(x.as<T>().data()),
        y_(y.mutable_as<T>().data()),
        extrapolation_(saturated<T>(static_cast<double>(extrapolation))) {
    const Neighbours& last = axes.back();
    for (std::int64_t k = 0; k < last.count; ++k)
      for (std::int64_t o = k; o < std::ssize(last.indices); o += last.count) {
        indices_.push_back(last.indices[static_cast<std::size_t>(o)]);
        weights_.push_back(last.weights[static_cast<std::size_t>(o)]);
      }
    for (std::int64_t o = 0; o < shape_.back(); ++o)
      if (last.outside[static_cast<std::size_t>(o)] != 0) outside_.push_back(o);
  }

  // Rows run along the last axis.
  void compute_rows(std::int64_t begin, std::int64_t end) const {
    std::vector<Corner> corners, next;
    Fetched fetched(axes_.back().count * shape_.back());
    std::vector<Real<T>> sums(static_cast<std::size_t>(shape_.back()));
    for (std::int64_t row = begin; row < end; ++row) {
      T* const y = y_ + row * shape_.back();
      if (!corners_of(row, corners, next))
        std::fill_n(y, shape_.back(), extrapolation_);
      else if (axes_.back().count == 1 && corners.size() == 1)
        fetch(corners[0].offset, 0, y);
      else
        sum_row(corners, fetched, sums.data(), y);
      for (const std::int64_t o : outside_) y[o] = extrapolation_;
    }
  }

 private:
  struct Corner {
    std::int64_t offset;
    float weight;
  };

  // The neighbours of a row along all axes but the last; false when it lies outside.
  bool corners_of(std::int64_t row, std::vector<Corner>& corners, std::vector<Corner>& next) const {
    bool inside = true;
    std::int64_t below = 1;
    corners.assign(1, {0, 1.0F});
    for (std::size_t d = shape_.size() - 1; d-- > 0; below *= shape_[d]) {
      const Neighbours& axis = axes_[d];
      const std::int64_t o = row / below % shape_[d];
      inside = inside && axis.outside[static_cast<std::size_t>(o)] == 0;
      next.clear();
      for (std::int64_t k = o * axis.count; k < (o + 1) * axis.count; ++k)
        for (const Corner& corner : corners)
          next.push_back({corner.offset + axis.indices[static_cast<std::size_t>(k)] * strides_[d],
                          corner.weight * axis.weights[static_cast<std::size_t>(k)]});
      std::swap(corners, next);
    }
    return inside;
  }

  // Rows of neighbours, as the sums of the latest row had them: the next row has mostly the same.
  struct Fetched {
    static constexpr std::int64_t kRows = 4;

    explicit Fetched(std::int64_t row_size)
        : size(row_size), elements(std::make_unique<T[]>(static_cast<std::size_t>(kRows * row_size))) {
      offsets.fill(-1);
    }
    T* row(std::int64_t k) { return elements.get() + k * size; }

    std::int64_t size, oldest = 0;
    std::array<std::int64_t, kRows> offsets;
    std::unique_ptr<T[]> elements;
  };

  // Neighbour k of every output of a row. To T itself: float32 may not hold it.
  void fetch(std::int64_t offset, std::int64_t k, T* to) const {
    vectorized([=, length = shape_.back(), x = x_ + offset, indices = indices_.data() + k * shape_.back()] {
      for (std::int64_t o = 0; o < length; ++o) to[o] = x[indices[o]];
    });
  }

  // All neighbours of the row at a corner, [neighbour][output].
  const T* neighbours_at(std::int64_t offset, Fetched& fetched) const {
    for (std::int64_t row = 0; row < Fetched::kRows; ++row)
      if (fetched.offsets[static_cast<std::size_t>(row)] == offset) return fetched.row(row);
    const std::int64_t row = fetched.oldest;
    fetched.oldest = (row + 1) % Fetched::kRows;
    fetched.offsets[static_cast<std::size_t>(row)] = offset;
    for (std::int64_t k = 0; k < axes_.back().count; ++k) fetch(offset, k, fetched.row(row) + k * shape_.back());
    return fetched.row(row);
  }

  // One neighbour of all elements after the other: corner by corner, and for each along the last axis.
  void sum_row(const std::vector<Corner>& corners, Fetched& fetched, Real<T>* sums, T* y) const {
    const std::int64_t length = shape_.back();
    std::fill_n(sums, length, Real<T>(0));
    for (const Corner& corner : corners) {
      const T* const all = neighbours_at(corner.offset, fetched);
      for (std::int64_t k = 0; k < axes_.back().count; ++k)
        vectorized([=, x = all + k * length, weights = weights_.data() + k * length, weight = corner.weight] {
          for (std::int64_t o = 0; o < length; ++o)
            sums[o] += static_cast<Real<T>>(weights[o] * weight) * static_cast<Real<T>>(x[o]);
        });
    }
    for (std::int64_t o = 0; o < length; ++o) y[o] = saturated<T>(static_cast<double>(sums[o]));
  }

  const std::vector<Neighbours>& axes_;
  std::vector<std::int64_t> strides_;
  const Shape& shape_;
  const T* x_;
  T* y_;
  T extrapolation_;
  // Of the last axis: [neighbour][output], and the outputs that look outside.
  std::vector<std::int64_t> indices_, outside_;
  std::vector<float> weights_;
};

// One axis of `from`, whose neighbours are many.
template <typename R>
std::vector<R> along_axis(const Parallel& parallel, const std::vector<R>& from, Shape& shape, std::size_t d,
                          const Neighbours& axis, std::int64_t output, float extrapolation) {
  const Lanes before(shape, d);
  shape[d] = output;
  std::vector<R> to(static_cast<std::size_t>(element_count(shape)));
  parallel.for_each_block(before.count / before.step * output, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t o = row % output;
      const R* block = from.data() + row / output * before.length * before.step;
      R* sums = to.data() + row * before.step;
      if (axis.outside[static_cast<std::size_t>(o)] != 0) {
        std::fill_n(sums, before.step, static_cast<R>(extrapolation));
        continue;
      }
      for (std::int64_t k = o * axis.count; k < (o + 1) * axis.count; ++k) {
        const R* neighbour = block + axis.indices[static_cast<std::size_t>(k)] * before.step;
        const R weight = static_cast<R>(axis.weights[static_cast<std::size_t>(k)]);
        for (std::int64_t i = 0; i < before.step; ++i) sums[i] += weight * neighbour[i];
      }
    }
  });
  return to;
}

// Axis by axis. Those that shrink come first, so that nothing in between is larger than both x and y.
template <typename T>
void separable(const Parallel& parallel, const Tensor& x, const std::vector<ResampledAxis>& axes,
               const ResampleRule& rule, float extrapolation, Tensor& y) {
  std::vector<Real<T>> values(static_cast<std::size_t>(x.size()));
  std::transform(x.as<T>().begin(), x.as<T>().end(), values.begin(), [](T v) { return static_cast<Real<T>>(v); });
  Shape shape = x.shape();
  for (bool shrinking : {true, false})
    for (std::size_t d = axes.size(); d-- > 0;)
      if ((axes[d].output < axes[d].input) == shrinking && !unchanged(axes[d], rule))
        values = along_axis(parallel, values, shape, d, neighbours_of(axes[d], rule), axes[d].output, extrapolation);
  std::transform(values.begin(), values.end(), y.mutable_as<T>().begin(),
                 [](Real<T> v) { return saturated<T>(static_cast<double>(v)); });
}

template <typename T>
void resize_as(const Parallel& parallel, const Tensor& x, const std::vector<ResampledAxis>& axes,
               const ResampleRule& rule, float extrapolation, Tensor& y) {
  if (rule.interpolation == Interpolation::kCubic || rule.antialias)
    return separable<T>(parallel, x, axes, rule, extrapolation, y);
  const std::vector<bool> copied = copied_axes(axes, rule);
  std::vector<Neighbours> neighbours;
  for (std::size_t d = 0; d < axes.size(); ++d)
    neighbours.push_back(copied[d] ? themselves(axes[d].output) : neighbours_of(axes[d], rule));
  const Direct<T> direct(x, neighbours, extrapolation, y);
  parallel.for_each_block(y.size() / axes.back().output, 4096 / axes.back().output,
                          [&](std::int64_t begin, std::int64_t end) { direct.compute_rows(begin, end); });
}

}  // namespace

void resize(const Parallel& parallel, const Tensor& x, const std::vector<ResampledAxis>& axes, const ResampleRule& rule,
            float extrapolation, Tensor& y) {
  if (y.size() == 0) return;
  const auto as = [&]<typename T>() { resize_as<T>(parallel, x, axes, rule, extrapolation, y); };
  if (axes.empty())
    std::copy(x.bytes().begin(), x.bytes().end(), y.mutable_bytes().begin());
  else if (x.dtype() == DType::kBool)
    as.template operator()<bool>();
  else
    visit_numeric(x.dtype(), as);
}

}  // namespace octet
