// resolve_sum.cc: convolutions and matrix products: what is added up, its bounds, and the scaling that belongs to the
// operator itself.
#include <fmt/core.h>

#include <algorithm>

#include "octet/program/support/resolving.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/reach.h"

namespace octet {
namespace {

using work::Sum;

// Its weights as [channels, products], where they are one constant matrix of bytes. `before`: a sum of the same, or null.
void take_weights(const Tensor* weights, bool channels_first, std::size_t least_rank, const Sum* before, Sum& sum) {
  if (!weights || !is_integer(weights->dtype()) || bits(weights->dtype()) != 8 || weights->size() == 0) return;
  const std::size_t rank = weights->shape().size();
  if (least_rank == 2 ? rank != 2 : rank < least_rank) return;
  sum.channels = weights->shape()[channels_first ? 0 : 1];
  sum.products = weights->size() / sum.channels;
  if (channels_first)
    sum.weights = weights->reshaped({sum.channels, sum.products});
  else
    sum.weights = before && before->weights.shape() == Shape{sum.channels, sum.products} ? before->weights
                                                                                         : weights->transposed();
}

bool is_one_element(const Program& program, ValueId value) {
  const std::optional<Shape> shape = shape_at(program, value);
  return shape && element_count(*shape) == 1;
}

// Whether both have the same bounds, the weights being the same.
bool is_bound_alike(const Sum& a, const Sum& b) {
  return a.x_type == b.x_type && a.x_zero_point == b.x_zero_point && a.w_zero_points == b.w_zero_points &&
         a.bias == b.bias;
}

// Where a sum begins and how far it reaches. `before`: a sum of the same weights, or null.
void bound(Sum& sum, const Sum* before, std::vector<std::string>& hazards) {
  if (sum.x_type != DType::kInt8 && sum.x_type != DType::kUint8) return;
  if (before && !before->starts.empty() && is_bound_alike(sum, *before)) {
    sum.starts = before->starts;
    sum.least = before->least;
    sum.greatest = before->greatest;
  } else {
    const auto [min, max] = integer_range(sum.x_type);
    for (std::int64_t m = 0; m < sum.channels; ++m) {
      const std::int32_t bias = sum.bias.empty() ? 0 : one_or(sum.bias, m);
      const SumReach reach = sum_reach(weight_sums(sum.weights, m, one_or(sum.w_zero_points, m)), {min, max},
                                       {sum.x_zero_point, sum.x_zero_point}, bias);
      sum.starts.push_back(reach.start.value());
      sum.least.push_back(reach.final.least);
      sum.greatest.push_back(reach.final.greatest);
    }
  }
  Interval all;
  for (std::size_t m = 0; m < sum.least.size(); ++m) all.include({sum.least[m], sum.greatest[m]});
  if (wrapped_to_int32(all) != all)
    hazards.push_back(fmt::format("accumulators can reach {} and {}: 32 bits are not enough, and they wrap", all.least,
                                  all.greatest));
}

// What convolutions and matrix products have in common.
class SumResolver {
 public:
  SumResolver(const Program& program, const Operation& operation, const Sum* before)
      : program_(program), operation_(operation), before_(before) {}

  Resolution convolution() {
    work::Convolution work;
    const ValueId x = take_operands(work);
    const ConvolutionShape shape =
        resolve_convolution(operation_.attributes, shape_of(x), shape_of(work.w), ConvolutionLabels{"", ""});
    work.group = shape.group;
    if (!is_unknown_padding(shape_of(x))) work.window = shape.window;
    if (!work.window) oppose("how much is padded is not known before the run");
    fill(work.sum, true, 3);
    scale(work.epilogue, work.sum);
    return finish(std::move(work));
  }

  Resolution matrix_product() {
    work::MatrixProduct work;
    take_operands(work);
    work.x_transposed = operation_.attributes.get_int("transA", 0) != 0;
    work.w_transposed = operation_.attributes.get_int("transB", 0) != 0;
    work.quantizes_x = is_float(dtype_of(work.x));
    fill(work.sum, work.w_transposed, 2);
    if (work.quantizes_x) work.sum.x_type = DType::kUint8;
    scale(work.epilogue, work.sum);
    return finish(std::move(work));
  }

 private:
  template <typename T>
  ValueId take_operands(T& work) {
    work.x = input_id(operation_, Role::kX);
    work.w = input_id(operation_, Role::kW);
    work.y = output_id(operation_, Role::kY);
    const ValueId zero_point = input_id(operation_, Role::kXZeroPoint);
    if (zero_point != kNoValue && program_.values[zero_point].constant.empty()) work.x_zero_point = zero_point;
    return work.x;
  }

  template <typename T>
  Resolution finish(T work) {
    return {std::move(work), std::move(opaque_), std::move(hazards_)};
  }

  // The first reason stays.
  void oppose(std::string why) {
    if (opaque_.empty()) opaque_ = std::move(why);
  }

  DType dtype_of(ValueId value) const { return value == kNoValue ? DType::kUndefined : program_.values[value].dtype; }
  std::optional<SymbolicShape> shape_of(ValueId value) const {
    return value == kNoValue ? std::nullopt : program_.values[value].shape;
  }

  // SAME_UPPER and SAME_LOWER follow the size of the image.
  bool is_unknown_padding(const std::optional<SymbolicShape>& x) const {
    const bool same = operation_.attributes.get_string("auto_pad", "NOTSET").starts_with("SAME");
    return same && (!x || std::any_of(x->begin() + 2, x->end(), [](const Dim& dim) { return !dim.known(); }));
  }

  void fill(Sum& sum, bool channels_first, std::size_t least_rank) {
    sum.x_type = dtype_of(input_id(operation_, Role::kX));
    const std::optional<Quantization> x = quantization_at(program_, operation_, Role::kXScale, Role::kXZeroPoint);
    if (x) sum.x_scale = x->scale;
    const ValueId x_zero_point = input_id(operation_, Role::kXZeroPoint);
    const std::vector<std::int32_t> x_zero_points = integers_at(program_, operation_, Role::kXZeroPoint);
    if (!x_zero_points.empty()) sum.x_zero_point = x_zero_points[0];
    const bool one_zero_point =
        x_zero_points.size() == 1 || x_zero_point == kNoValue || is_one_element(program_, x_zero_point);
    if (!one_zero_point) oppose("x has a zero point for each row");
    sum.w_zero_points = integers_at(program_, operation_, Role::kWZeroPoint);
    if (sum.w_zero_points.empty()) {
      sum.w_zero_points = {0};
      if (input_id(operation_, Role::kWZeroPoint) != kNoValue)
        oppose("the zero point of the weights is computed at run time");
    }
    sum.w_scales = floats_at(program_, operation_, Role::kWScale);
    take_weights(find_constant(program_, operation_, Role::kW), channels_first, least_rank, before_, sum);
    require_one_or_each(sum.w_zero_points.size(), sum, "zero points of the weights");
    require_one_or_each(std::max<std::size_t>(sum.w_scales.size(), 1), sum, "scales of the weights");
    const bool bias_known = take_bias(sum);
    if (!bias_known) oppose("the bias is computed at run time, or differs from row to row");
    const bool x_zero_point_known =
        !x_zero_points.empty() || (input_number(*operation_.op, Role::kXZeroPoint) && x_zero_point == kNoValue);
    const bool w_zero_points_known =
        input_id(operation_, Role::kWZeroPoint) == kNoValue || find_constant(program_, operation_, Role::kWZeroPoint);
    const bool one_or_each = sum.w_zero_points.size() == 1 || std::ssize(sum.w_zero_points) == sum.channels;
    if (!sum.weights.empty() && x_zero_point_known && x_zero_points.size() <= 1 && w_zero_points_known && one_or_each &&
        bias_known)
      bound(sum, before_, hazards_);
  }

  // Weights that are not one matrix have no channels to count by.
  void require_one_or_each(std::size_t count, const Sum& sum, std::string_view what) {
    if (count != 1 && static_cast<std::int64_t>(count) != sum.channels)
      oppose(fmt::format("{} {}, and weights that are not one constant matrix", count, what));
  }

  // One for all channels, or one for each along the last axis; a Gemm's may also differ from row to row.
  bool take_bias(Sum& sum) const {
    if (input_id(operation_, Role::kBias) == kNoValue) return true;
    const Tensor* bias = find_constant(program_, operation_, Role::kBias);
    if (!bias || (bias->size() != 1 && (bias->size() != sum.channels || bias->shape().back() != sum.channels)))
      return false;
    sum.bias = integers_at(program_, operation_, Role::kBias);
    return true;
  }

  // The operator's own scaling of the finished sum.
  void scale(std::vector<work::Stage>& epilogue, const Sum& sum) {
    const ValueId result = output_id(operation_, Role::kY);
    const DType type = dtype_of(result);
    if (type == DType::kInt32) return;
    const std::optional<Quantization> x = quantization_at(program_, operation_, Role::kXScale, Role::kXZeroPoint);
    const std::optional<Quantization> y = quantization_at(program_, operation_, Role::kYScale, Role::kYZeroPoint);
    const float alpha = operation_.attributes.get_float("alpha", 1);
    const bool x_scaled = input_id(operation_, Role::kXScale) != kNoValue;
    std::vector<float> multipliers;
    for (const float w_scale : sum.w_scales) {
      if (!x) break;
      const float x_scale = scale_with_alpha(alpha, x->scale);
      multipliers.push_back(y ? requantization_multiplier(x_scale, w_scale, y->scale) : x_scale * w_scale);
    }
    if (!is_float(type)) {
      if (multipliers.empty() || !y) return oppose("a scale is computed at run time, or x has several");
      epilogue.emplace_back(work::Requantize{std::move(multipliers), *y, type});
      return;
    }
    if (!y && input_id(operation_, Role::kYScale) != kNoValue) oppose("the scale of y is computed at run time");
    work::ToFloat to{std::move(multipliers), kNoValue, floats_at(program_, operation_, Role::kFloatBias)};
    if (to.multipliers.empty() && !sum.w_scales.empty()) {  // x's scale comes at run time
      to.multipliers = sum.w_scales;
      to.scale = input_id(operation_, Role::kXScale);
      if (x_scaled && !is_one_element(program_, to.scale)) oppose("x has a scale for each row");
      if (alpha != 1 || y) oppose("more factors than the scales of x and w, and one of them computed at run time");
    }
    if (to.multipliers.empty()) oppose("the scale of the weights is computed at run time");
    if (to.bias.empty() && input_id(operation_, Role::kFloatBias) != kNoValue)
      oppose("the bias is computed at run time");
    if (to.bias.size() > 1) require_one_or_each(to.bias.size(), sum, "elements of the bias");
    epilogue.emplace_back(std::move(to));
  }

  const Program& program_;
  const Operation& operation_;
  const Sum* const before_;
  std::string opaque_;
  std::vector<std::string> hazards_;
};

}  // namespace

Resolution resolve_convolution_work(const Program& program, const Operation& operation, const Sum* before) {
  return SumResolver(program, operation, before).convolution();
}

Resolution resolve_matrix_product(const Program& program, const Operation& operation, const Sum* before) {
  return SumResolver(program, operation, before).matrix_product();
}

}  // namespace octet
