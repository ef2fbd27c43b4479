#include "octet/spec/matmul_shape.h"

#include "octet/spec/check.h"

namespace octet {

std::optional<SymbolicShape> infer_matmul(const std::optional<SymbolicShape>& a, const std::optional<SymbolicShape>& b,
                                          std::string_view label) {
  if ((a && a->empty()) || (b && b->empty())) fail_constraint(label, "an operand is a scalar, wanted a matrix");
  if (!a || !b) return std::nullopt;
  SymbolicShape left = *a, right = *b;
  if (a->size() == 1) left.insert(left.begin(), 1);
  if (b->size() == 1) right.push_back(1);
  const Dim depth = left.back(), rows = left[left.size() - 2];
  const Dim other_depth = right[right.size() - 2], columns = right.back();
  const auto batch =
      broadcast(SymbolicShape(left.begin(), left.end() - 2), SymbolicShape(right.begin(), right.end() - 2));
  if (surely_different(depth, other_depth) || !batch)
    fail_constraint(label, "the operands are {} and {}", to_string(*a), to_string(*b));
  SymbolicShape y = *batch;
  if (a->size() > 1) y.push_back(rows);
  if (b->size() > 1) y.push_back(columns);
  return y;
}

Shape matmul_left(Shape a) {
  if (a.size() == 1) a.insert(a.begin(), 1);
  return a;
}

Shape matmul_right(Shape b) {
  if (b.size() == 1) b.push_back(1);
  return b;
}

MatMulLayout::MatMulLayout(const Shape& a, const Shape& b) {
  const Shape left = matmul_left(a), right = matmul_right(b);
  m = left[left.size() - 2];
  k = left.back();
  n = right.back();
  const Shape left_batch(left.begin(), left.end() - 2), right_batch(right.begin(), right.end() - 2);
  batch_ = broadcast(left_batch, right_batch).value();
  batches = element_count(batch_);
  a_strides_ = broadcast_strides(left_batch, batch_);
  b_strides_ = broadcast_strides(right_batch, batch_);
}

MatMulLayout::Operands MatMulLayout::operands(std::int64_t batch) const {
  Operands found = {0, 0};
  for (std::size_t axis = batch_.size(); axis-- > 0;) {
    const std::int64_t index = batch % batch_[axis];
    batch /= batch_[axis];
    found.a += index * a_strides_[axis];
    found.b += index * b_strides_[axis];
  }
  return found;
}

}  // namespace octet
