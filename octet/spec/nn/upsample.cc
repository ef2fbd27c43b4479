// upsample.cc: the meaning of Upsample, which Resize replaced in opset 10.
//
//   y[o1, o2, ...] = the element of x at (floor(o1 / s1), floor(o2 / s2), ...), or interpolated between its neighbours
//
// with the scales s: attributes height_scale and width_scale of [N, C, H, W] in opset 1, attribute scales in opset 7,
// an input later. Coordinates are o / s (kAsymmetric of resample.h); resize.h says how neighbours are summed.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/resize.h"
#include "octet/spec/support/scaled_shape.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr int kScalesInput = 9;

std::vector<float> attribute_scales(const Attributes& attributes, int opset) {
  if (opset >= 7) return attributes.get_floats("scales");
  return {1, 1, attributes.get_float("height_scale", 0), attributes.get_float("width_scale", 0)};
}

void infer_upsample(Inference& i) {
  if (i.dtype(0) != DType::kBool) require_type(i, 0, TypeKind::kNumeric, "upsample_c1");
  const std::string mode = i.attributes().get_string("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear")
    fail_constraint("upsample_c2", "mode is {}, wanted nearest or linear", mode);
  std::vector<float> scales;
  if (i.opset() < kScalesInput) {
    scales = attribute_scales(i.attributes(), i.opset());
  } else {
    if (i.dtype(1) != DType::kFloat) fail_constraint("upsample_c3", "scales are {}, wanted float32", name(i.dtype(1)));
    const Tensor* constant = i.constant(1);
    if (constant == nullptr)
      return i.set_output(0, i.dtype(0),
                          i.has_shape(0) ? std::optional(SymbolicShape(i.shape(0).size())) : std::nullopt);
    scales.assign(constant->as<float>().begin(), constant->as<float>().end());
  }
  for (float scale : scales)
    if (!(scale >= 1)) fail_constraint("upsample_c3", "scale {}, wanted 1 or more", scale);
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  SymbolicShape y = i.shape(0);
  if (scales.size() != y.size())
    fail_constraint("upsample_c3", "{} scales for {}", scales.size(), to_string(i.shape(0)));
  for (std::size_t d = 0; d < y.size(); ++d) y[d] = scaled_dim(y[d], scales[d], "upsample_c3");
  i.set_output(0, i.dtype(0), std::move(y));
}

void compute_upsample(Call& call) {
  const std::vector<float> from_attributes = attribute_scales(call.attributes(), call.opset());
  const std::span<const float> scales = call.opset() < kScalesInput ? from_attributes : call.input(1).as<float>();
  std::vector<ResampledAxis> axes;
  for (std::size_t d = 0; d < scales.size(); ++d)
    axes.push_back(scaled_axis(call.input(0).shape()[d], scales[d], "upsample_c3"));
  ResampleRule rule;
  if (call.attributes().get_string("mode", "nearest") != "nearest") rule.interpolation = Interpolation::kLinear;
  resize(call.parallel(), call.input(0), axes, rule, 0, call.output(0));
}

}  // namespace

const Operator ops::kUpsample = {
    .name = "Upsample",
    .versions = {1, 7, 9},
    .turns = {7},
    .formula = "y[o] = x[floor(o / scale)], or interpolated linearly",
    .constraints = {{"upsample_c1", "x is floating point, an integer of 8 to 64 bits, or bool"},
                    {"upsample_c2", "mode is nearest or linear"},
                    {"upsample_c3", "there is a scale per axis, float32 and 1 or more"}},
    .infer = infer_upsample,
    .compute = compute_upsample,
};

}  // namespace octet
