// resize.cc: the meaning of Resize.
//
//   y[o1, o2, ...] = the elements of x around (x1(o1), x2(o2), ...), nearest or interpolated
//
// resample.h says where an output element lies in the input and which neighbours make it, resize.h how they are summed.
// An axis' output size is floor(input * scale) in float32, or `sizes`, from which the scale follows; with
// keep_aspect_ratio_policy = not_larger / not_smaller one scale, the smallest / largest, serves all axes, and sizes are
// rounded, halves up. Opset 10 has neither sizes nor attributes but mode: coordinates are asymmetric, nearest means
// floor when growing and ceil when shrinking.
#include "octet/spec/support/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/scaled_shape.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr int kSizes = 11;  // the opset from which there are roi, sizes and a choice of coordinates

template <typename Value, std::size_t kCount>
using Words = std::array<std::pair<std::string_view, Value>, kCount>;

constexpr Words<Interpolation, 3> kModes = {
    {{"nearest", Interpolation::kNearest}, {"linear", Interpolation::kLinear}, {"cubic", Interpolation::kCubic}}};
constexpr Words<Coordinates, 7> kCoordinates = {{{"half_pixel", Coordinates::kHalfPixel},
                                                 {"half_pixel_symmetric", Coordinates::kHalfPixelSymmetric},
                                                 {"pytorch_half_pixel", Coordinates::kPytorchHalfPixel},
                                                 {"align_corners", Coordinates::kAlignCorners},
                                                 {"asymmetric", Coordinates::kAsymmetric},
                                                 {"tf_half_pixel_for_nn", Coordinates::kTfHalfPixelForNn},
                                                 {"tf_crop_and_resize", Coordinates::kTfCropAndResize}}};
constexpr Words<NearestRule, 4> kNearest = {{{"round_prefer_floor", NearestRule::kRoundPreferFloor},
                                             {"round_prefer_ceil", NearestRule::kRoundPreferCeil},
                                             {"floor", NearestRule::kFloor},
                                             {"ceil", NearestRule::kCeil}}};
enum class Policy { kStretch, kNotLarger, kNotSmaller };
constexpr Words<Policy, 3> kPolicies = {
    {{"stretch", Policy::kStretch}, {"not_larger", Policy::kNotLarger}, {"not_smaller", Policy::kNotSmaller}}};

template <typename Value, std::size_t kCount>
Value word(const Attributes& attributes, std::string_view name, const Words<Value, kCount>& words) {
  const std::string found = attributes.get_string(name, words[0].first);
  for (const auto& [text, value] : words)
    if (text == found) return value;
  std::string wanted;
  for (const auto& [text, value] : words) wanted.append(wanted.empty() ? "" : ", ").append(text);
  fail_constraint("resize_c2", "{} is {}, wanted one of {}", name, found, wanted);
}

ResampleRule rule_of(const Attributes& attributes, int opset) {
  ResampleRule rule;
  rule.interpolation = word(attributes, "mode", kModes);
  if (opset < kSizes) return rule;
  rule.coordinates = word(attributes, "coordinate_transformation_mode", kCoordinates);
  rule.nearest = word(attributes, "nearest_mode", kNearest);
  rule.exclude_outside = attributes.get_int("exclude_outside", 0) != 0;
  rule.antialias = attributes.get_int("antialias", 0) != 0 && rule.interpolation != Interpolation::kNearest;
  rule.cubic_a = attributes.get_float("cubic_coeff_a", -0.75F);
  return rule;
}

// Which axes the entries of scales, sizes and roi are for.
std::vector<std::size_t> resized_axes(const Attributes& attributes, std::size_t rank) {
  std::vector<std::int64_t> axes = attributes.get_ints("axes");
  if (!attributes.has("axes"))
    for (std::size_t d = 0; d < rank; ++d) axes.push_back(static_cast<std::int64_t>(d));
  return normalize_axes(axes, rank, "resize_c3");
}

struct Inputs {
  std::size_t roi, scales, sizes;
};
constexpr Inputs kInputs10 = {9, 1, 9}, kInputs11 = {1, 2, 3};  // 9: there is none
const Inputs& inputs_of(int opset) { return opset < kSizes ? kInputs10 : kInputs11; }

// The scale that serves all axes, or 0 when every axis has its own.
float common_scale(Policy policy, const std::vector<std::size_t>& axes, const std::vector<std::int64_t>& sizes,
                   const Shape& shape) {
  if (policy == Policy::kStretch || axes.empty()) return 0;
  std::vector<float> scales;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (shape[axes[k]] == 0) fail_constraint("resize_c5", "axis {} of {} is empty", axes[k], to_string(shape));
    scales.push_back(static_cast<float>(sizes[k]) / static_cast<float>(shape[axes[k]]));
  }
  return policy == Policy::kNotLarger ? *std::min_element(scales.begin(), scales.end())
                                      : *std::max_element(scales.begin(), scales.end());
}

ResampledAxis axis_to_size(std::int64_t input, std::int64_t size, float common) {
  if (size < 0 || size > kMostResized) fail_constraint("resize_c5", "size {}, wanted 0 to {}", size, kMostResized);
  if (input == 0 && size > 0) fail_constraint("resize_c5", "size {} for an empty axis", size);
  ResampledAxis axis = {.input = input, .output = size, .scale = 1, .resized = static_cast<float>(size)};
  if (input > 0) axis.scale = axis.resized / static_cast<float>(input);
  if (common > 0) {
    axis.scale = common;
    axis.resized = common * static_cast<float>(input);
    axis.output = static_cast<std::int64_t>(std::floor(axis.resized + 0.5F));
    if (axis.output > kMostResized) fail_constraint("resize_c5", "size {}, wanted 0 to {}", axis.output, kMostResized);
  }
  return axis;
}

// Everything known: how each axis is resized.
std::vector<ResampledAxis> resampled_axes(const Attributes& attributes, const Shape& shape, const Tensor& scales,
                                          const Tensor& sizes, const Tensor& roi) {
  const std::vector<std::size_t> axes = resized_axes(attributes, shape.size());
  std::vector<ResampledAxis> result;
  for (std::int64_t dim : shape)
    result.push_back({.input = dim, .output = dim, .scale = 1, .resized = static_cast<float>(dim)});
  const std::vector<std::int64_t> wanted = sizes.to_ints();
  const float common = sizes.size() == 0
                           ? 0
                           : common_scale(word(attributes, "keep_aspect_ratio_policy", kPolicies), axes, wanted, shape);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    ResampledAxis& axis = result[axes[k]];
    axis = wanted.empty() ? scaled_axis(axis.input, scales.as<float>()[k], "resize_c5")
                          : axis_to_size(axis.input, wanted[k], common);
    if (roi.size() == 0) continue;
    axis.roi_start = static_cast<float>(roi.number_at(static_cast<std::int64_t>(k)));
    axis.roi_end = static_cast<float>(roi.number_at(static_cast<std::int64_t>(axes.size() + k)));
  }
  return result;
}

// An input is left out by an empty name or by an empty tensor.
bool given(const Inference& i, std::size_t input) {
  return i.has(input) && !(i.has_shape(input) && i.shape(input).size() == 1 && i.shape(input)[0].is(0));
}

void check_inputs(const Inference& i, const ResampleRule& rule) {
  const Inputs& inputs = inputs_of(i.opset());
  const bool scales = given(i, inputs.scales), sizes = given(i, inputs.sizes), roi = given(i, inputs.roi);
  if (scales == sizes)
    fail_constraint("resize_c4", "wanted one of scales and sizes, found {}", scales ? "both" : "none");
  if (scales && i.dtype(inputs.scales) != DType::kFloat)
    fail_constraint("resize_c4", "scales are {}, wanted float32", name(i.dtype(inputs.scales)));
  if (sizes && i.dtype(inputs.sizes) != DType::kInt64)
    fail_constraint("resize_c4", "sizes are {}, wanted int64", name(i.dtype(inputs.sizes)));
  if (roi && !is_float(i.dtype(inputs.roi)))
    fail_constraint("resize_c4", "roi is {}, wanted floating point", name(i.dtype(inputs.roi)));
  if (rule.coordinates == Coordinates::kTfCropAndResize && !roi)
    fail_constraint("resize_c4", "tf_crop_and_resize needs roi");
  if (!i.has_shape(0)) return;
  const auto count = static_cast<std::int64_t>(resized_axes(i.attributes(), i.shape(0).size()).size());
  const auto check = [&](std::size_t input, std::int64_t wanted, std::string_view what) {
    if (!i.has_shape(input)) return;
    const SymbolicShape& shape = i.shape(input);
    if (shape.size() != 1 || surely_different(shape[0], wanted))
      fail_constraint("resize_c4", "{} is {}, wanted [{}]", what, to_string(shape), wanted);
  };
  if (scales) check(inputs.scales, count, "scales");
  if (sizes) check(inputs.sizes, count, "sizes");
  if (roi) check(inputs.roi, 2 * count, "roi");
}

Tensor tensor_or_none(const Tensor* tensor, DType dtype) { return tensor ? *tensor : Tensor(dtype, {0}); }

void infer_resize(Inference& i) {
  if (i.dtype(0) != DType::kBool) require_type(i, 0, TypeKind::kNumeric, "resize_c1");
  const ResampleRule rule = rule_of(i.attributes(), i.opset());
  check_inputs(i, rule);
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);

  const SymbolicShape& x = i.shape(0);
  const Inputs& inputs = inputs_of(i.opset());
  const bool by_scale = given(i, inputs.scales);
  const Tensor *scales = by_scale ? i.constant(inputs.scales) : nullptr,
               *sizes = by_scale ? nullptr : i.constant(inputs.sizes);
  const std::optional<Shape> shape = concrete(x);
  SymbolicShape y(x.size());
  if (shape && (scales || sizes)) {
    y.clear();
    for (const ResampledAxis& axis : resampled_axes(i.attributes(), *shape, tensor_or_none(scales, DType::kFloat),
                                                    tensor_or_none(sizes, DType::kInt64), Tensor(DType::kFloat, {0})))
      y.push_back(axis.output);
  } else {
    const std::vector<std::size_t> axes = resized_axes(i.attributes(), x.size());
    y = x;
    for (std::size_t axis : axes) y[axis] = Dim();
    const bool stretch = word(i.attributes(), "keep_aspect_ratio_policy", kPolicies) == Policy::kStretch;
    const std::vector<Dim>* wanted = !by_scale && stretch ? i.elements(inputs.sizes) : nullptr;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (scales) y[axes[k]] = scaled_dim(x[axes[k]], scales->as<float>()[k], "resize_c5");
      if (wanted && wanted->size() == axes.size()) y[axes[k]] = (*wanted)[k];
    }
  }
  i.set_output(0, i.dtype(0), std::move(y));
}

void compute_resize(Call& call) {
  const Inputs& inputs = inputs_of(call.opset());
  const auto tensor = [&](std::size_t input, DType otherwise) {
    return call.has(input) ? call.input(input) : Tensor(otherwise, {0});
  };
  const std::vector<ResampledAxis> axes =
      resampled_axes(call.attributes(), call.input(0).shape(), tensor(inputs.scales, DType::kFloat),
                     tensor(inputs.sizes, DType::kInt64), tensor(inputs.roi, DType::kFloat));
  resize(call.parallel(), call.input(0), axes, rule_of(call.attributes(), call.opset()),
         call.attributes().get_float("extrapolation_value", 0), call.output(0));
}

}  // namespace

const Operator ops::kResize = {
    .name = "Resize",
    .versions = {10, 11, 13, 18, 19},
    .turns = {11},
    .formula = "y[o] = the elements of x around x(o), nearest or interpolated",
    .constraints =
        {{"resize_c1", "x is floating point, an integer of 8 to 64 bits, or bool"},
         {"resize_c2",
          "mode, coordinate_transformation_mode, nearest_mode and keep_aspect_ratio_policy are words that "
          "the standard knows"},
         {"resize_c3", "axes are in [-rank, rank - 1], each at most once"},
         {"resize_c4",
          "one of scales (float32) and sizes (int64) is given, with an entry per resized axis, and for "
          "tf_crop_and_resize roi with two"},
         {"resize_c5",
          "scales are positive, sizes not negative, resized axes at most 2^28, and an empty axis stays empty"}},
    .infer = infer_resize,
    .compute = compute_resize,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
