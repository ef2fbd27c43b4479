#include "octet/spec/quantized/dequantize_linear.h"

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/dequantize_row.h"
#include "octet/spec/quantized/parameter_map.h"

namespace octet {
namespace {

bool can_be_dequantized(DType dtype) {
  return (is_integer(dtype) && bits(dtype) <= 16) || dtype == DType::kInt32 ||
         (is_minifloat(dtype) && dtype != DType::kFloat8E8M0);
}

bool is_scale(DType dtype) { return is_float(dtype) && dtype != DType::kDouble; }

void infer_dequantize_linear(Inference& i) {
  const DType x = i.dtype(0), scale = i.dtype(1);
  if (!can_be_dequantized(x))
    fail_constraint("dequantize_linear_c1",
                    "x is {}, wanted an integer of 2, 4, 8, 16 or 32 bits, a float8 or float4e2m1", name(x));
  if (!is_scale(scale) && scale != DType::kFloat8E8M0)
    fail_constraint("dequantize_linear_c2", "x_scale is {}, wanted float32, float16, bfloat16 or float8e8m0",
                    name(scale));
  require_dtype(i, 2, x, "dequantize_linear_c3");
  require_parameter_map(i, "dequantize_linear_c4");
  const DType said = dtype_attribute(i.attributes(), "output_dtype");
  const DType y = said == DType::kUndefined ? scale : said;
  if (!is_scale(y)) fail_constraint("dequantize_linear_c5", "y is {}, wanted float32, float16 or bfloat16", name(y));
  i.set_output(0, y, i.input(0).shape);
}

// Elements that share their parameters.
template <typename T>
void dequantize_alike(const T* x, std::int64_t count, const Quantization& quantization, float* y) {
  vectorized([=] {
    for (std::int64_t k = 0; k < count; ++k) y[k] = dequantize_linear(static_cast<std::int32_t>(x[k]), quantization);
  });
}

// For float8 and float4.
Tensor dequantized_minifloats(Call& call) {
  const Tensor x = convert(call.input(0), DType::kFloat), scale = convert(call.input(1), DType::kFloat);
  const Tensor zero_point = call.has(2) ? convert(call.input(2), DType::kFloat) : Tensor();
  const std::span<const float> from = x.as<float>(), scales = scale.as<float>();
  const std::span<const float> zero_points = call.has(2) ? zero_point.as<float>() : std::span<const float>();
  const ParameterMap granularity(call.attributes(), x.shape(), scale.shape());
  Tensor y = Tensor::uninitialized(DType::kFloat, x.shape());
  const std::span<float> to = y.mutable_as<float>();
  granularity.for_each_run(0, x.size(), [&](const ParameterMap::Run& run) {
    for (std::int64_t k = 0; k < run.count; ++k) {
      const auto element = static_cast<std::size_t>(run.begin + k);
      const auto parameter = static_cast<std::size_t>(run.parameter + k * run.step);
      to[element] = (from[element] - (zero_points.empty() ? 0 : zero_points[parameter])) * scales[parameter];
    }
  });
  return y;
}

Tensor dequantized_integers(Call& call) {
  const Tensor& x = call.input(0);
  const Tensor scale = convert(call.input(1), DType::kFloat);
  const std::vector<std::int32_t> zero_points = zero_points_at(call, 2);
  const ParameterMap granularity(call.attributes(), x.shape(), scale.shape());
  const std::span<const float> scales = scale.as<float>();
  Tensor y = Tensor::uninitialized(DType::kFloat, x.shape());
  const std::span<float> to = y.mutable_as<float>();
  visit_integer(x.dtype(), [&]<typename T>() {
    const std::span<const T> from = x.as<T>();
    call.parallel().for_each_block(x.size(), 4096, [&](std::int64_t begin, std::int64_t end) {
      granularity.for_each_run(begin, end, [&](const ParameterMap::Run& run) {
        if (run.step == 0) {
          const auto parameter = static_cast<std::size_t>(run.parameter);
          return dequantize_alike(from.data() + run.begin, run.count,
                                  {scales[parameter], zero_points.empty() ? 0 : zero_points[parameter]},
                                  to.data() + run.begin);
        }
        dequantize_row(from.data() + run.begin, run.count, scales.data() + run.parameter,
                       zero_points.empty() ? nullptr : zero_points.data() + run.parameter, to.data() + run.begin);
      });
    });
  });
  return y;
}

void compute_dequantize_linear(Call& call) {
  const bool minifloats = is_minifloat(call.input(0).dtype());
  call.set_output(
      0, convert(minifloats ? dequantized_minifloats(call) : dequantized_integers(call), call.output_dtype(0)));
}

Operator dequantize_linear_in(std::string_view domain, std::vector<int> versions) {
  return {
      .name = "DequantizeLinear",
      .domain = domain,
      .versions = std::move(versions),
      .formula = "y = float(x - x_zero_point) * x_scale",
      .constraints = {{"dequantize_linear_c1",
                       "x is an integer of 2, 4, 8, 16 or 32 bits (not uint32), a float8 or "
                       "float4e2m1"},
                      {"dequantize_linear_c2", "x_scale is float32, float16, bfloat16 or float8e8m0"},
                      {"dequantize_linear_c3", "x_zero_point has x's type"},
                      {"dequantize_linear_c4", "x_scale and x_zero_point are per tensor, per axis or blocked"},
                      {"dequantize_linear_c5",
                       "y, by output_dtype or else x_scale's type, is float32, float16 or "
                       "bfloat16"}},
      .infer = infer_dequantize_linear,
      .compute = compute_dequantize_linear,
      .halves = Halves::kAsIs,
      .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint},
      .outputs = {Role::kY},
      .kind = StepKind::kDequantize,
      .on_elements = true,
      .same_as = domain.empty() ? nullptr : &ops::kDequantizeLinear,
  };
}

}  // namespace

const Operator ops::kDequantizeLinear = dequantize_linear_in("", {10, 13, 19, 21, 23, 24, 25, 28});
const Operator ops::kMicrosoftDequantizeLinear = dequantize_linear_in("com.microsoft", {1});

}  // namespace octet
