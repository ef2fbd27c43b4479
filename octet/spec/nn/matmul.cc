// matmul.cc: the meaning of MatMul.
//
//   y[..., m, n] = Sum_k a[..., m, k] * b[..., k, n]
//
// with numpy's rules for leading dimensions and vectors (matmul_shape.h). The sum is in the type of a (float32 for the
// half types), over k in order, a product and its addition rounded once, together; integers wrap.
#include "octet/base/visit.h"
#include "octet/spec/matmul_shape.h"
#include "octet/spec/operator.h"
#include "octet/spec/support/product.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_matmul(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "matmul_c1");
  require_same_type(i, 1, 0, "matmul_c1");
  i.set_output(0, i.dtype(0), infer_matmul(i.input(0).shape, i.input(1).shape, "matmul_c2"));
}

// T is the type the sums are made in: unsigned for integers.
template <typename T>
void matmul_as(Call& call) {
  const auto* a = reinterpret_cast<const T*>(call.input(0).bytes().data());
  const auto* b = reinterpret_cast<const T*>(call.input(1).bytes().data());
  auto* y = reinterpret_cast<T*>(call.output(0).mutable_bytes().data());
  const MatMulLayout layout(call.input(0).shape(), call.input(1).shape());
  const std::int64_t m = layout.m, k = layout.k, n = layout.n;
  const auto product = [&](const T* left, std::int64_t rows, const T* right, T* to) {
    const PackedMatrix<T> packed(Matrix<T>::row_major(right, k, n), call.parallel());
    multiply(Matrix<T>::row_major(left, rows, k), packed, to, call.parallel());
  };
  if (call.input(1).size() == k * n) return product(a, layout.batches * m, b, y);  // one b for all: a tall product
  call.parallel().for_each_block(layout.batches, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t batch = begin; batch < end; ++batch) {
      const MatMulLayout::Operands at = layout.operands(batch);
      product(a + at.a * m * k, m, b + at.b * k * n, y + batch * m * n);
    }
  });
}

void compute_matmul(Call& call) {
  visit_numeric(call.output_dtype(0), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>)
      matmul_as<T>(call);
    else if constexpr (sizeof(T) >= 4)
      matmul_as<std::make_unsigned_t<T>>(call);
  });
}

}  // namespace

extern const Operator kMatMul = {
    .name = "MatMul",
    .versions = {1, 9, 13},
    .formula = "y[m,n] = Sum_k a[m,k] * b[k,n]",
    .constraints = {{"matmul_c1", "a and b have the same type: floating point, or an integer of 32 or 64 bits"},
                    {"matmul_c2",
                     "neither is a scalar, a has as many columns as b has rows, and the leading dimensions broadcast"}},
    .infer = infer_matmul,
    .compute = compute_matmul,
};

}  // namespace octet
