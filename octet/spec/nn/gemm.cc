// gemm.cc: the meaning of Gemm.
//
//   y[m, n] = alpha * Sum_k a'[m, k] * b'[k, n] + beta * c[m, n]
//
// a' is a, or its transpose with transA; so is b'. c is broadcast to [M, N]; before opset 7 only with broadcast = 1.
// The sum is in the type of a (float32 for the half types), over k in order, a product and its addition rounded once,
// together; alpha, then beta * c, come last. Integers wrap; an alpha or beta other than 1 scales them in float64,
// truncating toward zero and saturating.
#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/product.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/saturated.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_gemm(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "gemm_c1");
  require_same_type(i, 1, 0, "gemm_c1");
  if (i.has(2)) require_same_type(i, 2, 0, "gemm_c1");
  if (i.opset() < 11 && !i.has(2)) fail_constraint("gemm_c4", "c is missing; it is optional from opset 11 on");
  require_rank(i, 0, 2, "gemm_c2");
  require_rank(i, 1, 2, "gemm_c2");
  Dim m, n, k, b_rows;
  if (i.has_shape(0)) {
    m = i.shape(0)[0];
    k = i.shape(0)[1];
    if (i.attributes().get_int("transA", 0) != 0) std::swap(m, k);
  }
  if (i.has_shape(1)) {
    b_rows = i.shape(1)[0];
    n = i.shape(1)[1];
    if (i.attributes().get_int("transB", 0) != 0) std::swap(b_rows, n);
  }
  if (surely_different(k, b_rows))
    fail_constraint("gemm_c3", "a' has {} columns, b' has {} rows", to_string(k), to_string(b_rows));

  const SymbolicShape y = {m, n};
  if (i.has_shape(2)) {
    const SymbolicShape& c = i.shape(2);
    const std::optional<SymbolicShape> common = broadcast(c, y);
    bool fits = common && common->size() == 2;
    for (std::size_t d = 0; fits && d < 2; ++d) fits = !surely_different((*common)[d], y[d]);
    if (!fits) fail_constraint("gemm_c4", "c is {}, wanted what broadcasts to {}", to_string(c), to_string(y));
    if (i.opset() < 7 && i.attributes().get_int("broadcast", 0) == 0) require_shape(i, 2, y, "gemm_c4");
  }
  i.set_output(0, i.dtype(0), y);
}

template <typename T>
T scaled(T value, float factor) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(factor) * value;
  if (factor == 1.0F) return value;
  return saturated<T>(static_cast<double>(factor) * static_cast<double>(value));
}

// T is the element type, Sum the type the sums are made in: unsigned for integers.
template <typename T, typename Sum>
void gemm_as(Call& call) {
  const Shape& y = call.output_shape(0);
  const auto operand = [&](std::size_t input, std::string_view transposed) {
    const auto* data = reinterpret_cast<const Sum*>(call.input(input).bytes().data());
    const std::int64_t first = call.input(input).shape()[0], second = call.input(input).shape()[1];
    if (call.attributes().get_int(transposed, 0) != 0) return Matrix<Sum>::column_major(data, second, first);
    return Matrix<Sum>::row_major(data, first, second);
  };
  const PackedMatrix<Sum> b(operand(1, "transB"), call.parallel());
  multiply(operand(0, "transA"), b, reinterpret_cast<Sum*>(call.output(0).mutable_bytes().data()), call.parallel());

  const float alpha = call.attributes().get_float("alpha", 1.0F), beta = call.attributes().get_float("beta", 1.0F);
  const std::span<T> out = call.output(0).mutable_as<T>();
  if (alpha != 1.0F)
    for (T& value : out) value = scaled(value, alpha);
  if (!call.has(2) || beta == 0.0F) return;
  const T* c = call.input(2).as<T>().data();
  const std::vector<std::int64_t> strides = broadcast_strides(call.input(2).shape(), y);
  T* to = out.data();
  for (std::int64_t m = 0; m < y[0]; ++m)
    for (std::int64_t n = 0; n < y[1]; ++n, ++to) {
      const T addend = scaled(c[m * strides[0] + n * strides[1]], beta);
      *to = static_cast<T>(static_cast<Sum>(*to) + static_cast<Sum>(addend));
    }
}

void compute_gemm(Call& call) {
  visit_numeric(call.output_dtype(0), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>)
      gemm_as<T, T>(call);
    else if constexpr (sizeof(T) >= 4)
      gemm_as<T, std::make_unsigned_t<T>>(call);
  });
}

}  // namespace

const Operator ops::kGemm = {
    .name = "Gemm",
    .versions = {1, 6, 7, 9, 11, 13},
    .turns = {7},
    .formula = "y = alpha * a' * b' + beta * c",
    .constraints = {{"gemm_c1", "a, b and c have the same type: floating point, or an integer of 32 or 64 bits"},
                    {"gemm_c2", "a and b have two dimensions"},
                    {"gemm_c3", "a' has as many columns as b' has rows"},
                    {"gemm_c4",
                     "c broadcasts to [M, N]; before opset 11 it is there, before opset 7 it is [M, N] unless "
                     "broadcast is 1"}},
    .infer = infer_gemm,
    .compute = compute_gemm,
    .traits = {Trait::kWeighted, Trait::kSumOfProducts},
    .macs = MacRule::kMatrix,
};

}  // namespace octet
