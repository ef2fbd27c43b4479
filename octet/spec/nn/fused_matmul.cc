// fused_matmul.cc: the meaning of com.microsoft FusedMatMul, and of TransposeMatMul, its name in older files.
//
//   y[..., m, n] = alpha * Sum_k a'[..., m, k] * b'[..., k, n]
//
// a' is a with its last two dimensions exchanged where transA = 1, and b' likewise; of a vector nothing is exchanged.
// transBatchA = 1 moves a's first dimension behind those of the batch before that: [M, batch..., K] is then
// [batch..., M, K]. The sum is MatMul's; its product with alpha is rounded once more.
//
//   fused_matmul_c1  a and b have the same floating-point type.
//   fused_matmul_c2  neither is a scalar, a' has as many columns as b' has rows, and the leading dimensions broadcast.
//   fused_matmul_c3  with transBatchA or transBatchB, a and b have one rank, 3 or more.
#include <algorithm>
#include <numeric>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/support/matmul.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

// Axis k of the matrices that are multiplied is axis order[k] of the operand.
std::vector<std::size_t> factor_order(const Attributes& attributes, std::string_view operand, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rank < 2) return order;
  if (attributes.get_int("transBatch" + std::string(operand), 0) != 0)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (attributes.get_int("trans" + std::string(operand), 0) != 0) std::swap(order[rank - 2], order[rank - 1]);
  return order;
}

std::optional<SymbolicShape> factor_shape(const Inference& i, std::size_t input, std::string_view operand) {
  if (!i.has_shape(input)) return std::nullopt;
  SymbolicShape shape;
  for (const std::size_t axis : factor_order(i.attributes(), operand, i.shape(input).size()))
    shape.push_back(i.shape(input)[axis]);
  return shape;
}

void infer_fused_matmul(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "fused_matmul_c1");
  require_same_type(i, 1, 0, "fused_matmul_c1");
  const Attributes& attributes = i.attributes();
  const bool moves = attributes.get_int("transBatchA", 0) != 0 || attributes.get_int("transBatchB", 0) != 0;
  if (moves && i.has_shape(0) && i.has_shape(1) && (i.shape(0).size() != i.shape(1).size() || i.shape(0).size() < 3))
    fail_constraint("fused_matmul_c3", "A is {}, B is {}, wanted one rank, 3 or more, for transBatchA or transBatchB",
                    to_string(i.shape(0)), to_string(i.shape(1)));
  i.set_output(0, i.dtype(0), infer_matmul(factor_shape(i, 0, "A"), factor_shape(i, 1, "B"), "fused_matmul_c2"));
}

// The operand as it is multiplied; itself where nothing moves.
Tensor factor(const Call& call, std::size_t input, std::string_view operand) {
  const Tensor& from = call.input(input);
  const std::vector<std::size_t> order = factor_order(call.attributes(), operand, from.shape().size());
  if (std::is_sorted(order.begin(), order.end())) return from;
  const std::vector<std::int64_t> strides = strides_of(from.shape());
  Shape shape;
  View view;
  for (const std::size_t axis : order) {
    shape.push_back(from.shape()[axis]);
    view.strides.push_back(strides[axis]);
  }
  Tensor to = Tensor::uninitialized(from.dtype(), shape);
  copy_elements(call.parallel(), shape, from, view, to, {0, strides_of(shape)});
  return to;
}

void compute_fused_matmul(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() {
    Tensor& y = call.output(0);
    matmul_as<T>(factor(call, 0, "A"), factor(call, 1, "B"), y, call.parallel());
    const auto alpha = static_cast<T>(call.attributes().get_float("alpha", 1));
    T* elements = y.mutable_as<T>().data();
    call.parallel().for_each_block(y.size(), kElementGrain, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) elements[k] *= alpha;
    });
  });
}

Operator fused_matmul_called(std::string_view name) {
  return {
      .name = name,
      .domain = "com.microsoft",
      .versions = {1},
      .formula = "y[m,n] = alpha * Sum_k a[m,k] * b[k,n], a and b transposed first where transA and transB say so",
      .constraints = {{"fused_matmul_c1", "a and b have the same floating-point type"},
                      {"fused_matmul_c2",
                       "neither is a scalar, a has as many columns as b has rows once they are transposed, and the "
                       "leading dimensions broadcast"},
                      {"fused_matmul_c3", "with transBatchA or transBatchB, a and b have one rank, 3 or more"}},
      .infer = infer_fused_matmul,
      .compute = compute_fused_matmul,
      .traits = {Trait::kSumOfProducts},
      .macs = MacRule::kMatrix,
  };
}

}  // namespace

const Operator ops::kFusedMatMul = fused_matmul_called("FusedMatMul");
const Operator ops::kTransposeMatMul = fused_matmul_called("TransposeMatMul");

}  // namespace octet
