#include "octet/spec/quantized/quantize_linear.h"

#include <type_traits>

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameter_map.h"

namespace octet {
namespace {

bool can_be_quantized_to(DType dtype) { return (is_integer(dtype) && bits(dtype) <= 16) || is_minifloat(dtype); }

void infer_quantize_linear(Inference& i) {
  const DType x = i.dtype(0), scale = i.dtype(1);
  const bool real_x = is_float(x) && x != DType::kDouble, real_scale = is_float(scale) && scale != DType::kDouble;
  if (!real_x && x != DType::kInt32)
    fail_constraint("quantize_linear_c1", "x is {}, wanted float32, float16, bfloat16 or int32", name(x));
  if (!real_scale && scale != DType::kInt32 && scale != DType::kFloat8E8M0)
    fail_constraint("quantize_linear_c2", "y_scale is {}, wanted float32, float16, bfloat16, int32 or float8e8m0",
                    name(scale));
  const DType said = dtype_attribute(i.attributes(), "output_dtype");
  const DType y = i.has(2) ? i.dtype(2) : said == DType::kUndefined ? DType::kUint8 : said;
  if (!can_be_quantized_to(y) || y == DType::kFloat8E8M0)
    fail_constraint("quantize_linear_c3", "y is {}, wanted an integer of 2, 4, 8 or 16 bits, a float8 or float4e2m1",
                    name(y));
  if (said != DType::kUndefined && said != y)
    fail_constraint("quantize_linear_c3", "output_dtype is {}, y_zero_point {}: wanted the same", name(said), name(y));
  require_parameter_map(i, "quantize_linear_c4");
  const DType precision = dtype_attribute(i.attributes(), "precision");
  if (precision != DType::kUndefined && !is_float(precision))
    fail_constraint("quantize_linear_c5", "precision is {}, wanted a floating-point type", name(precision));
  i.set_output(0, y, i.input(0).shape);
}

// What the quotient's operands and result are rounded to.
struct Exact {
  template <typename Real>
  Real operator()(Real value) const {
    return value;
  }
};
struct ToFloat16 {
  float operator()(float value) const { return to_float(to_float16(value)); }
};
struct ToBFloat16 {
  float operator()(float value) const { return to_float(to_bfloat16(value)); }
};

// Elements that share their parameters, with ties to even.
template <typename T, typename Round>
void quantize_alike(const float* x, std::int64_t count, float scale, PlainQuantizer quantizer, Round round, T* y) {
  vectorized([=] {
    for (std::int64_t k = 0; k < count; ++k) y[k] = static_cast<T>(quantizer(round(round(x[k]) / scale)));
  });
}

// The quotient of two rounded halves, rounded to float32 and then to the half, is the correctly rounded one: float32
// has more than twice their digits and two.
template <typename Real, typename Round>
void quantize(Call& call, Round round) {
  const Tensor x = convert(call.input(0), dtype_of<Real>()), scale = convert(call.input(1), dtype_of<Real>());
  const std::vector<std::int32_t> zero_points = zero_points_at(call, 2);
  const ParameterMap granularity(call.attributes(), x.shape(), scale.shape());
  const std::span<const Real> from = x.as<Real>(), scales = scale.as<Real>();
  Tensor& y = call.output(0);
  const IntegerRange range = integer_range(y.dtype());
  const Rounding rounding = call.arithmetic().rounding;
  visit_integer(y.dtype(), [&]<typename T>() {
    T* to = y.mutable_as<T>().data();
    call.parallel().for_each_block(x.size(), 4096, [&](std::int64_t begin, std::int64_t end) {
      granularity.for_each_run(begin, end, [&](const ParameterMap::Run& run) {
        if constexpr (std::is_same_v<Real, float>)
          if (run.step == 0 && rounding == Rounding::kTiesEven) {
            const auto parameter = static_cast<std::size_t>(run.parameter);
            const std::int32_t zero_point = zero_points.empty() ? 0 : zero_points[parameter];
            return quantize_alike(from.data() + run.begin, run.count, round(scales[parameter]),
                                  PlainQuantizer({zero_point, range, ZeroPoint::kAfterRounding}), round,
                                  to + run.begin);
          }
        for (std::int64_t k = 0; k < run.count; ++k) {
          const auto element = static_cast<std::size_t>(run.begin + k);
          const auto parameter = static_cast<std::size_t>(run.parameter + k * run.step);
          const Real t = round(round(from[element]) / round(scales[parameter]));
          const std::int32_t zero_point = zero_points.empty() ? 0 : zero_points[parameter];
          to[element] = static_cast<T>(quantize_real(t, {zero_point, range, ZeroPoint::kAfterRounding}, rounding));
        }
      });
    });
  });
}

// To float8 and float4.
template <typename Real, typename Round>
void quantize_to_minifloat(Call& call, Round round) {
  const Tensor x = convert(call.input(0), dtype_of<Real>()), scale = convert(call.input(1), dtype_of<Real>());
  const Tensor zero_point = call.has(2) ? convert(call.input(2), dtype_of<Real>()) : Tensor();
  const std::span<const Real> from = x.as<Real>(), scales = scale.as<Real>();
  const std::span<const Real> zero_points = call.has(2) ? zero_point.as<Real>() : std::span<const Real>();
  const ParameterMap granularity(call.attributes(), x.shape(), scale.shape());
  const MinifloatRounding rounding{.saturate = call.attributes().get_int("saturate", 1) != 0};
  Tensor& y = call.output(0);
  const DType dtype = y.dtype();
  std::uint8_t* to = y.mutable_as<std::uint8_t>().data();
  call.parallel().for_each_block(x.size(), 4096, [&](std::int64_t begin, std::int64_t end) {
    granularity.for_each_run(begin, end, [&](const ParameterMap::Run& run) {
      for (std::int64_t k = 0; k < run.count; ++k) {
        const auto element = static_cast<std::size_t>(run.begin + k);
        const auto parameter = static_cast<std::size_t>(run.parameter + k * run.step);
        Real t = round(round(from[element]) / round(scales[parameter]));
        if (!zero_points.empty() && zero_points[parameter] != 0) t = round(t + zero_points[parameter]);
        to[element] = minifloat_code(t, dtype, rounding);
      }
    });
  });
}

template <typename Real, typename Round>
void quantize_to_any(Call& call, Round round) {
  return is_minifloat(call.output_dtype(0)) ? quantize_to_minifloat<Real>(call, round) : quantize<Real>(call, round);
}

void compute_quantize_linear(Call& call) {
  DType precision = dtype_attribute(call.attributes(), "precision");
  if (precision == DType::kUndefined && call.input(0).dtype() == DType::kInt32) precision = DType::kDouble;
  switch (precision) {
    case DType::kDouble: return quantize_to_any<double>(call, Exact());
    case DType::kFloat16: return quantize_to_any<float>(call, ToFloat16());
    case DType::kBFloat16: return quantize_to_any<float>(call, ToBFloat16());
    default: return quantize_to_any<float>(call, Exact());
  }
}

Operator quantize_linear_in(std::string_view domain, std::vector<int> versions) {
  return {
      .name = "QuantizeLinear",
      .domain = domain,
      .versions = std::move(versions),
      .formula = "y = saturate(round_ties_even(x / y_scale) + y_zero_point)",
      .constraints = {{"quantize_linear_c1", "x is float32, float16, bfloat16 or int32"},
                      {"quantize_linear_c2", "y_scale is float32, float16, bfloat16, int32 or float8e8m0"},
                      {"quantize_linear_c3",
                       "y is an integer of 2, 4, 8 or 16 bits, a float8 or float4e2m1, and has "
                       "y_zero_point's and output_dtype's type"},
                      {"quantize_linear_c4", "y_scale and y_zero_point are per tensor, per axis or blocked"},
                      {"quantize_linear_c5", "precision is absent, float32, float64, float16 or bfloat16"}},
      .infer = infer_quantize_linear,
      .compute = compute_quantize_linear,
      .halves = Halves::kAsIs,
      .inputs = {Role::kX, Role::kYScale, Role::kYZeroPoint},
      .outputs = {Role::kY},
      .kind = StepKind::kQuantize,
      .on_elements = true,
      .same_as = domain.empty() ? nullptr : &ops::kQuantizeLinear,
  };
}

}  // namespace

const Operator ops::kQuantizeLinear = quantize_linear_in("", {10, 13, 19, 21, 23, 24, 25, 28});
const Operator ops::kMicrosoftQuantizeLinear = quantize_linear_in("com.microsoft", {1});

}  // namespace octet
