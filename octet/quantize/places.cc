#include "octet/quantize/places.h"

#include <algorithm>

#include "octet/graph/lookup.h"
#include "octet/spec/window.h"

namespace octet {
namespace {

// Number `i` of `count` that are spread evenly over `all`.
std::int64_t spread(std::int64_t i, std::int64_t count, std::int64_t all) { return (2 * i + 1) * all / (2 * count); }

SymbolicShape spatial(const Shape& shape) {
  SymbolicShape result;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) result.emplace_back(shape[axis]);
  return result;
}

// Row-major coordinates of number `index` of a shape.
std::vector<std::int64_t> coordinates(std::int64_t index, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> result(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis]) result[axis] = index % shape[axis];
  return result;
}

class ConvolutionPlaces {
 public:
  ConvolutionPlaces(const Node& node, const Tensor& weights, const Tensor& x)
      : x_(x),
        values_(x.as<float>()),
        kernel_(weights.shape().begin() + 2, weights.shape().end()),
        window_(resolve_window(node.attributes, spatial(x.shape()), kernel_, false, "conv")),
        image_(element_count(std::span(x.shape()).subspan(2))),
        taps_(element_count(kernel_)) {
    for (const Dim& dim : window_.output) output_.push_back(dim.value());
  }

  std::int64_t outputs() const { return element_count(output_); }

  // All channels of sample `n` at that output: a channel's taps side by side.
  void append(std::int64_t n, std::int64_t output, std::vector<float>& row) const {
    const std::vector<std::int64_t> at = coordinates(output, output_);
    for (std::int64_t c = 0; c < x_.shape()[1]; ++c)
      for (std::int64_t tap = 0; tap < taps_; ++tap) row.push_back(value(n, c, at, coordinates(tap, kernel_)));
  }

 private:
  float value(std::int64_t n, std::int64_t c, const std::vector<std::int64_t>& at,
              const std::vector<std::int64_t>& tap) const {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const std::int64_t i =
          at[axis] * window_.strides[axis] - window_.pads_begin[axis] + tap[axis] * window_.dilations[axis];
      const std::int64_t size = x_.shape()[axis + 2];
      if (i < 0 || i >= size) return 0;
      place = place * size + i;
    }
    return values_[static_cast<std::size_t>((n * x_.shape()[1] + c) * image_ + place)];
  }

  const Tensor& x_;
  std::span<const float> values_;
  std::vector<std::int64_t> kernel_, output_;
  Window window_;
  std::int64_t image_, taps_;
};

}  // namespace

LayerShape layer_shape(const Node& node, const Tensor& weights) {
  const Shape& shape = weights.shape();
  if (is(node, ops::kConv)) return {shape[0], weights.size() / shape[0], node.attributes.get_int("group", 1), false};
  if (is(node, ops::kGemm) && node.attributes.get_int("transB", 0) != 0) return {shape[0], shape[1], 1, false};
  return {shape[1], shape[0], 1, true};
}

std::vector<float> places_of(const Node& node, const Tensor& weights, const Tensor& x, std::int64_t most) {
  std::vector<float> rows;
  if (x.size() == 0) return rows;
  const std::int64_t samples = x.shape()[0];
  if (is(node, ops::kConv)) {
    const ConvolutionPlaces places(node, weights, x);
    const std::int64_t count = std::min(most, places.outputs());
    for (std::int64_t n = 0; n < samples; ++n)
      for (std::int64_t i = 0; i < count; ++i) places.append(n, spread(i, count, places.outputs()), rows);
    return rows;
  }
  const std::int64_t products = layer_shape(node, weights).products, all = x.size() / samples / products;
  const std::int64_t count = std::min(most, all);
  const auto values = x.as<float>();
  for (std::int64_t n = 0; n < samples; ++n)
    for (std::int64_t i = 0; i < count; ++i) {
      const auto row = values.subspan(static_cast<std::size_t>((n * all + spread(i, count, all)) * products),
                                      static_cast<std::size_t>(products));
      rows.insert(rows.end(), row.begin(), row.end());
    }
  return rows;
}

}  // namespace octet
