// det.cc: the meaning of Det.
//
//   y[...] = the determinant of x[..., :, :]
//
// by elimination with the largest pivot of each column, in float64, rounded once. That of a matrix without elements is
// 1.
//
//   det_c1  x is floating point.
//   det_c2  x is [..., M, M].
#include <cmath>
#include <utility>
#include <vector>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_det(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "det_c1");
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  const SymbolicShape& x = i.shape(0);
  if (x.size() < 2 || surely_different(x[x.size() - 1], x[x.size() - 2]))
    fail_constraint("det_c2", "x is {}, wanted [...,M,M]", to_string(x));
  i.set_output(0, i.dtype(0), SymbolicShape(x.begin(), x.end() - 2));
}

double determinant(std::vector<double>& matrix, std::size_t size) {
  double result = 1;
  const auto at = [&](std::size_t row, std::size_t column) -> double& { return matrix[row * size + column]; };
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < size; ++row)
      if (std::fabs(at(row, k)) > std::fabs(at(pivot, k))) pivot = row;
    if (pivot != k) result = -result;
    for (std::size_t column = k; pivot != k && column < size; ++column) std::swap(at(k, column), at(pivot, column));
    result *= at(k, k);
    if (at(k, k) == 0) return 0;
    for (std::size_t row = k + 1; row < size; ++row) {
      const double factor = at(row, k) / at(k, k);
      for (std::size_t column = k; column < size; ++column) at(row, column) -= factor * at(k, column);
    }
  }
  return result;
}

void compute_det(Call& call) {
  const auto size = static_cast<std::size_t>(call.input(0).shape().back());
  visit_float(call.output_dtype(0), [&]<typename T>() {
    const T* x = call.input(0).as<T>().data();
    T* y = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(call.output(0).size(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t n = begin; n < end; ++n) {
        const T* first = x + n * static_cast<std::int64_t>(size * size);
        std::vector<double> matrix(first, first + size * size);
        y[n] = static_cast<T>(determinant(matrix, size));
      }
    });
  });
}

}  // namespace

const Operator ops::kDet = {
    .name = "Det",
    .versions = {11, 22},
    .formula = "y[...] = the determinant of x[..., :, :]",
    .constraints = {{"det_c1", "x is floating point"}, {"det_c2", "x is [..., M, M]"}},
    .infer = infer_det,
    .compute = compute_det,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
