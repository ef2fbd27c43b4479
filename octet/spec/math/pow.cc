// pow.cc: the meaning of Pow.
//
//   z = x ^ y in the type of x, with broadcasting
//
// A floating-point base is raised in its own type, or in double where the exponent is of another type; where one exponent of 2
// or 3 serves several elements, by products x * x and (x * x) * x, each rounded, as in ONNX Runtime. An integer base
// with an integer exponent is exact modulo 2^bits; with a negative exponent it is the fraction truncated, 0 for a base
// of 0. An integer base with a floating-point exponent is computed in double and converted as Cast does.
//
//   pow_c1  x is floating point, int32 or int64, and y is floating point or an integer of 8 to 64 bits.
//   pow_c2  The shapes broadcast.
#include <cmath>
#include <type_traits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"
#include "octet/spec/support/unary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

void infer_pow(Inference& i) {
  const DType base = i.dtype(0);
  if (!is_float(base) && base != DType::kInt32 && base != DType::kInt64)
    fail_constraint("pow_c1", "input 0 is {}, wanted a floating-point type, int32 or int64", name(base));
  require_type(i, 1, TypeKind::kNumeric, "pow_c1");
  i.set_output(0, base, broadcast_inputs(i, "pow"));
}

template <typename T, typename Exponent>
T power(T base, Exponent exponent) {
  if constexpr (std::is_signed_v<Exponent>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? T(1) : T(-1);
      return 0;
    }
  }
  T result = 1;
  for (; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0) result = wrapping_multiply(result, base);
    base = wrapping_multiply(base, base);
  }
  return result;
}

// x * x or (x * x) * x for all elements. Whether the exponent says so.
template <typename T>
bool compute_product(Call& call, const Tensor& exponent) {
  const Tensor& base = call.input(0);
  const double number = exponent.size() == 1 && base.size() > 1 ? exponent.number_at(0) : 0;
  if (number == 2) map_elements<T, T>(call, [](T x) { return x * x; });
  if (number == 3) map_elements<T, T>(call, [](T x) { return x * x * x; });
  return number == 2 || number == 3;
}

template <typename T>
void compute_float(Call& call, const Tensor& exponent) {
  const Tensor& base = call.input(0);
  if (compute_product<T>(call, exponent)) return;
  if (exponent.dtype() == base.dtype())
    zip_elements<T, T, T>(call.parallel(), base, exponent, call.output(0), [](T x, T y) { return std::pow(x, y); });
  else
    zip_elements<T, double, T>(call.parallel(), base, convert(exponent, DType::kDouble), call.output(0),
                               [](double x, double y) { return std::pow(x, y); });
}

template <typename T>
void compute_integer(Call& call, const Tensor& exponent) {
  const auto zip = [&]<typename Exponent>(DType dtype, Exponent) {
    zip_elements<T, Exponent, T>(call.parallel(), call.input(0), convert(exponent, dtype), call.output(0),
                                 [](T x, Exponent y) { return power(x, y); });
  };
  if (is_signed_integer(exponent.dtype()))
    zip(DType::kInt64, std::int64_t{});
  else
    zip(DType::kUint64, std::uint64_t{});
}

void compute_pow(Call& call) {
  const Tensor exponent = second_operand(call);
  const DType base = call.input(0).dtype();
  if (is_float(base)) {
    visit_float(base, [&]<typename T>() { compute_float<T>(call, exponent); });
  } else if (is_float(exponent.dtype())) {
    Tensor result = Tensor::uninitialized(DType::kDouble, call.output_shape(0));
    zip_elements<double, double, double>(call.parallel(), convert(call.input(0), DType::kDouble),
                                         convert(exponent, DType::kDouble), result,
                                         [](double x, double y) { return std::pow(x, y); });
    call.set_output(0, convert(result, base));
  } else if (base == DType::kInt32) {
    compute_integer<std::int32_t>(call, exponent);
  } else {
    compute_integer<std::int64_t>(call, exponent);
  }
}

}  // namespace

const Operator ops::kPow = {
    .name = "Pow",
    .versions = {1, 7, 12, 13, 15},
    .turns = {7},
    .formula = "z = x ^ y",
    .constraints = {{"pow_c1",
                     "x is floating point, int32 or int64, and y is floating point or an integer of 8 to 64 bits"},
                    {"pow_c2", "the shapes broadcast"}},
    .infer = infer_pow,
    .compute = compute_pow,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
