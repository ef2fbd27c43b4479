// batch_normalization.cc: the meaning of BatchNormalization.
//
//   y[n, c, ...] = x[n, c, ...] * f[c] + (b[c] - mean[c] * f[c]),     f[c] = scale[c] / sqrt(var[c] + epsilon)
//
// in the type of x (float32 for the half types), in this order, as ONNX Runtime does. spatial = 0, which opset 9 took
// away, normalizes every element of [C, D1, ...] on its own.
//
// With training_mode = 1 (opset 14 on) mean and var are those of x over all axes but C (var of the population), and
//
//   running_mean = input_mean * momentum + mean * (1 - momentum)      and likewise running_var
//
// Training of older opsets, which asks for more than one output, is not computed.
#include "octet/spec/batch_normalization.h"

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/moments.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_batch_normalization(Inference& i) {
  for (std::size_t input = 0; input < 5; ++input) require_type(i, input, TypeKind::kFloat, "batch_normalization_c1");
  if (i.opset() < 15)
    for (std::size_t input = 1; input < 5; ++input) require_same_type(i, input, 0, "batch_normalization_c1");
  if (!batch_norm_trains(i.attributes(), i.opset()) && i.output_count() > 1) {
    if (i.opset() < kBatchNormTrains)
      fail(ErrorCode::kUnsupported, "BatchNormalization-{} with {} outputs trains; Octet computes inference", i.opset(),
           i.output_count());
    fail_constraint("batch_normalization_c3", "{} outputs, wanted 1 unless training_mode is 1", i.output_count());
  }
  std::optional<SymbolicShape> parameters;
  if (i.has_shape(0)) {
    const SymbolicShape& x = i.shape(0);
    if (x.empty()) fail_constraint("batch_normalization_c2", "x is a scalar, wanted [N,C,...]");
    parameters = SymbolicShape{x.size() > 1 ? x[1] : Dim(1)};
    if (!batch_norm_is_per_channel(i.attributes(), i.opset())) parameters = SymbolicShape(x.begin() + 1, x.end());
    for (std::size_t input = 1; input < 5; ++input) require_shape(i, input, *parameters, "batch_normalization_c2");
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
  i.set_output(1, i.dtype(3), parameters);
  i.set_output(2, i.dtype(4), parameters);
}

// x as [images, channels, size].
struct ChannelLayout {
  std::int64_t images, channels, size;
};

ChannelLayout layout_of(const Call& call) {
  const Shape& x = call.input(0).shape();
  ChannelLayout layout = {x[0], call.input(1).size(), 1};
  const std::int64_t image = element_count(std::span(x).subspan(1));
  layout.size = layout.channels == 0 ? 0 : image / layout.channels;
  return layout;
}

template <typename T>
void normalize_channels(Call& call) {
  const ChannelLayout layout = layout_of(call);
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  const T epsilon = static_cast<T>(call.attributes().get_float("epsilon", 1e-5F));
  const auto parameter = [&](std::size_t input) { return convert(call.input(input), dtype_of<T>()); };
  const Tensor scale = parameter(1), bias = parameter(2);
  Tensor mean = parameter(3), variance = parameter(4);

  if (batch_norm_trains(call.attributes(), call.opset())) {
    const T momentum = static_cast<T>(call.attributes().get_float("momentum", 0.9F));
    Tensor running_mean = mean, running_variance = variance;
    for (std::int64_t c = 0; c < layout.channels; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const Moments<T> moments =
          moments_of(x + c * layout.size, layout.size, layout.images, layout.channels * layout.size);
      const auto update = [&](Tensor& current, Tensor& running, T value) {
        current.mutable_as<T>()[at] = value;
        T& kept = running.mutable_as<T>()[at];
        kept = kept * momentum + value * (1 - momentum);
      };
      update(mean, running_mean, moments.mean);
      update(variance, running_variance, moments.variance);
    }
    if (call.wants(1)) call.set_output(1, convert(running_mean, call.output_dtype(1)));
    if (call.wants(2)) call.set_output(2, convert(running_variance, call.output_dtype(2)));
  }

  call.parallel().for_each_block(layout.images * layout.channels, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const auto c = static_cast<std::size_t>(plane % layout.channels);
      const auto [factor, offset] =
          batch_norm_affine(scale.as<T>()[c], bias.as<T>()[c], mean.as<T>()[c], variance.as<T>()[c], epsilon);
      for (std::int64_t k = plane * layout.size; k < (plane + 1) * layout.size; ++k) y[k] = x[k] * factor + offset;
    }
  });
}

void compute_batch_normalization(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() { normalize_channels<T>(call); });
}

}  // namespace

const Operator ops::kBatchNormalization = {
    .name = "BatchNormalization",
    .versions = {1, 6, 7, 9, 14, 15},
    .turns = {9, 14},
    .formula = "y = (x - mean) / sqrt(var + epsilon) * scale + b",
    .constraints = {{"batch_normalization_c1", "all inputs are floating point, of one type before opset 15"},
                    {"batch_normalization_c2",
                     "x is [N, C, ...]; scale, b, mean and var are [C], or [C, ...] with spatial = 0"},
                    {"batch_normalization_c3", "only training has more than one output"}},
    .infer = infer_batch_normalization,
    .compute = compute_batch_normalization,
    .traits = {Trait::kManyTerms, Trait::kFunction},
};

}  // namespace octet
