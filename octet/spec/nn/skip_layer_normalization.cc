// skip_layer_normalization.cc: the meaning of com.microsoft SkipLayerNormalization and SkipSimplifiedLayerNormalization.
//
//   s = input + skip [+ bias]                                      rounded to T after each addition
//   output = (s - mean) / sqrt(var + epsilon) * gamma + beta       along the last dimension (normal_rows.h)
//   output = s / sqrt(mean of s^2 + epsilon) * gamma               the simplified one, which has no beta
//
// T is float32, also for the half types. skip may be one image for all: [S, H] or [1, S, H] where input is [B, S, H].
// The other outputs are mean (0 of the simplified one), 1 / sqrt(...) and s.
//
//   skip_layer_normalization_c1  all inputs have the same type: float32, float16 or bfloat16.
//   skip_layer_normalization_c2  input is [S, H] or [B, S, H] with H >= 1; skip has its shape, or lacks B, or has 1 for it.
//   skip_layer_normalization_c3  gamma, beta and bias are [H].
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/normal_rows.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

// Which inputs there are, by their numbers.
struct SkipInputs {
  std::size_t beta, bias;  // beta is 0 where there is none
};
constexpr SkipInputs kSkipCentred = {.beta = 3, .bias = 4}, kSkipSimplified = {.beta = 0, .bias = 3};

void require_skip(const Inference& i) {
  if (!i.has_shape(0)) return;
  const SymbolicShape& x = i.shape(0);
  if ((x.size() != 2 && x.size() != 3) || x.back().is(0))
    fail_constraint("skip_layer_normalization_c2", "input is {}, wanted [S,H] or [B,S,H] with H of 1 or more",
                    to_string(x));
  if (!i.has_shape(1)) return;
  const SymbolicShape& skip = i.shape(1);
  const bool smaller = x.size() == 3 && skip.size() == 2;
  bool fits = smaller || skip.size() == x.size();
  for (std::size_t d = 0; fits && d < skip.size(); ++d) {
    const Dim& wanted = x[d + (smaller ? 1 : 0)];
    fits = !surely_different(skip[d], wanted) || (x.size() == 3 && !smaller && d == 0 && skip[d].is(1));
  }
  if (!fits)
    fail_constraint("skip_layer_normalization_c2", "skip is {}, wanted the shape of {}, or 1 or nothing for the batch",
                    to_string(skip), to_string(x));
}

void infer_skip(Inference& i, const SkipInputs& inputs) {
  require_type(i, 0, TypeKind::kFloat, "skip_layer_normalization_c1");
  if (i.dtype(0) == DType::kDouble)
    fail_constraint("skip_layer_normalization_c1", "input is float64, wanted float32, float16 or bfloat16");
  for (const std::size_t input : {1U, 2U}) i.input(input);
  for (std::size_t input = 1; input <= inputs.bias; ++input)
    if (i.has(input)) require_same_type(i, input, 0, "skip_layer_normalization_c1");
  require_skip(i);
  const std::optional<SymbolicShape>& x = i.input(0).shape;
  for (std::size_t input = 2; input <= inputs.bias; ++input)
    require_shape(i, input, {x ? x->back() : Dim()}, "skip_layer_normalization_c3");
  std::optional<SymbolicShape> moments = x;
  if (moments) moments->back() = 1;
  i.set_output(0, i.dtype(0), x);
  i.set_output(1, DType::kFloat, moments);
  i.set_output(2, DType::kFloat, std::move(moments));
  i.set_output(3, i.dtype(0), x);
}

void compute_skip(Call& call, const SkipInputs& inputs) {
  const Tensor& input = call.input(0);
  const std::int64_t length = input.shape().back(), rows = input.size() / length;
  const std::int64_t skip_rows = call.input(1).size() / length;
  const float epsilon = call.attributes().get_float("epsilon", 1e-12F);
  const auto optional = [&](std::size_t k) {
    return k != 0 && call.has(k) ? call.input(k).as<float>().data() : nullptr;
  };
  const float *x = input.as<float>().data(), *skip = optional(1), *gamma = optional(2), *beta = optional(inputs.beta),
              *bias = optional(inputs.bias);
  const auto result = [&](std::size_t k) {
    return call.wants(k) ? call.output(k).mutable_as<float>().data() : nullptr;
  };
  float *y = result(0), *means = result(1), *inverses = result(2), *sums = result(3);
  call.parallel().for_each_block(rows, 1, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      float* sum = (sums ? sums : y) + row * length;
      const float *left = x + row * length, *right = skip + row % skip_rows * length;
      for (std::int64_t k = 0; k < length; ++k) sum[k] = bias ? left[k] + right[k] + bias[k] : left[k] + right[k];
      const NormalRow<float> normal =
          inputs.beta != 0 ? running_row(sum, length, epsilon) : root_mean_square_row(sum, length, epsilon);
      if (means) means[row] = normal.mean;
      if (inverses) inverses[row] = normal.inverse();
      write_normal_row(normal, sum, length, gamma, beta, y + row * length);
    }
  });
}

const std::vector<Constraint>& skip_constraints() {
  static const std::vector<Constraint> constraints = {
      {"skip_layer_normalization_c1", "all inputs have the same type: float32, float16 or bfloat16"},
      {"skip_layer_normalization_c2",
       "input is [S, H] or [B, S, H] with H >= 1; skip has its shape, or lacks B, or has 1 for it"},
      {"skip_layer_normalization_c3", "gamma, beta and bias are [H]"}};
  return constraints;
}

}  // namespace

const Operator ops::kSkipLayerNormalization = {
    .name = "SkipLayerNormalization",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "output = (s - mean) / sqrt(var + epsilon) * gamma + beta, s = input + skip + bias",
    .constraints = skip_constraints(),
    .infer = [](Inference& i) { infer_skip(i, kSkipCentred); },
    .compute = [](Call& call) { compute_skip(call, kSkipCentred); },
    .traits = {Trait::kManyTerms},
};

const Operator ops::kSkipSimplifiedLayerNormalization = {
    .name = "SkipSimplifiedLayerNormalization",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "output = s / sqrt(mean of s^2 + epsilon) * gamma, s = input + skip + bias",
    .constraints = skip_constraints(),
    .infer = [](Inference& i) { infer_skip(i, kSkipSimplified); },
    .compute = [](Call& call) { compute_skip(call, kSkipSimplified); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
