// einsum.cc: the meaning of Einsum.
//
//   y[output axes] = Sum over the other axes of the product of the inputs            "bij,bjk->bik" is a matrix product
//
// as the equation says (einsum_equation.h). Axes of length 1 are repeated where another input's is longer. The inputs
// are combined from the left, two at a time: an axis that neither the result nor a later input has is summed over at
// once, a shared one as MatMul does (product.h), one of a single input before that, in order. In the type of x (float32
// for the half types); integers wrap.
//
//   einsum_c1  The inputs are of one type, floating point or an integer of 8 to 64 bits.
//   einsum_c2  The equation can be read and has as many terms as there are inputs, each as many axes as its input.
//   einsum_c3  Axes of one letter have one length, or 1.
#include <algorithm>
#include <map>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/einsum_equation.h"
#include "octet/spec/support/product.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/view.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

using AxisLengths = std::map<int, Dim>;

bool has_axis(const AxisLabels& labels, int axis) { return std::ranges::find(labels, axis) != labels.end(); }

// The length of every axis. One that is not known may be 1, so that a longer known one counts.
void take_lengths(AxisLengths& lengths, const AxisLabels& labels, const SymbolicShape& shape) {
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const auto [found, is_new] = lengths.emplace(labels[k], shape[k]);
    Dim& known = found->second;
    if (is_new || shape[k].is(1)) continue;
    if (known.is(1)) {
      known = shape[k];
    } else if (surely_different(known, shape[k])) {
      fail_constraint("einsum_c3", "an axis is {} long in one input, {} in another", to_string(known),
                      to_string(shape[k]));
    } else if (!known.known()) {
      known = shape[k].known() || known == shape[k] ? shape[k] : Dim();
    }
  }
}

void infer_einsum(Inference& i) {
  require_type(i, 0, TypeKind::kNumeric, "einsum_c1");
  std::vector<std::size_t> ranks;
  for (std::size_t k = 0; k < i.input_count(); ++k) {
    require_same_type(i, k, 0, "einsum_c1");
    if (i.has_shape(k)) ranks.push_back(i.shape(k).size());
  }
  if (!i.attributes().has("equation")) fail_constraint("einsum_c2", "attribute equation is missing");
  if (ranks.size() < i.input_count()) return i.set_output(0, i.dtype(0), std::nullopt);
  const EinsumEquation equation = parse_einsum(i.attributes().get_string("equation", ""), ranks, "einsum_c2");
  AxisLengths lengths;
  for (std::size_t k = 0; k < ranks.size(); ++k) take_lengths(lengths, equation.inputs[k], i.shape(k));
  SymbolicShape y;
  for (const int axis : equation.output) y.push_back(lengths.at(axis));
  i.set_output(0, i.dtype(0), std::move(y));
}

// A tensor and what its axes are called.
struct Term {
  Tensor tensor;
  AxisLabels labels;
};

class Contraction {
 public:
  Contraction(AxisLengths lengths, const Parallel& parallel) : lengths_(std::move(lengths)), parallel_(parallel) {}

  // Both with the axes of `kept` alone, in some order.
  Term multiplied(Term a, Term b, const AxisLabels& kept) const {
    a = summed(std::move(a), [&](int axis) { return has_axis(kept, axis) || has_axis(b.labels, axis); });
    b = summed(std::move(b), [&](int axis) { return has_axis(kept, axis) || has_axis(a.labels, axis); });
    AxisLabels batch, inner, rows, columns;
    for (const int axis : a.labels)
      (!has_axis(b.labels, axis) ? rows : has_axis(kept, axis) ? batch : inner).push_back(axis);
    for (const int axis : b.labels)
      if (!has_axis(a.labels, axis)) columns.push_back(axis);
    Term y{Tensor(), joined({batch, rows, columns})};
    a = arranged(a, joined({batch, rows, inner}));
    b = arranged(b, joined({batch, inner, columns}));
    y.tensor = Tensor::uninitialized(a.tensor.dtype(), shape_of(y.labels));
    visit_sum_type(a.tensor.dtype(), [&]<typename T>() {
      multiply_batches<T>(a.tensor, b.tensor, y.tensor, size_of_axes(batch), size_of_axes(inner));
    });
    return y;
  }

  // Without the axes that are not to be kept.
  template <typename F>
  Term summed(Term term, F keep) const {
    AxisLabels kept, others;
    for (const int axis : term.labels)
      if (AxisLabels& list = keep(axis) ? kept : others; !has_axis(list, axis)) list.push_back(axis);
    term = arranged(term, joined({kept, others}));
    if (others.empty()) return term;
    Tensor sums(term.tensor.dtype(), shape_of(kept));
    const std::int64_t count = size_of_axes(others);
    visit_sum_type(sums.dtype(), [&]<typename T>() {
      const T* x = reinterpret_cast<const T*>(term.tensor.bytes().data());
      T* y = reinterpret_cast<T*>(sums.mutable_bytes().data());
      for (std::int64_t k = 0; k < term.tensor.size(); ++k) y[k / count] += x[k];
    });
    return {std::move(sums), std::move(kept)};
  }

  // With these axes, in this order and at full length. Axes of one letter are walked together.
  Term arranged(const Term& term, const AxisLabels& labels) const {
    const std::vector<std::int64_t> strides = strides_of(term.tensor.shape());
    View from{.strides = std::vector<std::int64_t>(labels.size(), 0)};
    for (std::size_t k = 0; k < term.labels.size(); ++k) {
      const auto place = static_cast<std::size_t>(std::ranges::find(labels, term.labels[k]) - labels.begin());
      if (term.tensor.shape()[k] != 1) from.strides[place] += strides[k];
    }
    const Shape shape = shape_of(labels);
    Tensor tensor = Tensor::uninitialized(term.tensor.dtype(), shape);
    copy_elements(parallel_, shape, term.tensor, from, tensor, {.strides = strides_of(shape)});
    return {std::move(tensor), labels};
  }

 private:
  // Sums of integers are made in unsigned ones, which wrap.
  template <typename F>
  static void visit_sum_type(DType dtype, F f) {
    visit_numeric(dtype, [&]<typename T>() {
      if constexpr (std::is_floating_point_v<T>)
        f.template operator()<T>();
      else if constexpr (sizeof(T) >= 4)
        f.template operator()<std::make_unsigned_t<T>>();
    });
  }

  template <typename T>
  void multiply_batches(const Tensor& a, const Tensor& b, Tensor& y, std::int64_t batches, std::int64_t inner) const {
    if (y.size() == 0) return;
    if (inner == 0) return std::ranges::fill(y.mutable_bytes(), std::byte{0}), void();
    const std::int64_t rows = a.size() / batches / inner, columns = b.size() / batches / inner;
    const auto* left = reinterpret_cast<const T*>(a.bytes().data());
    const auto* right = reinterpret_cast<const T*>(b.bytes().data());
    auto* to = reinterpret_cast<T*>(y.mutable_bytes().data());
    parallel_.for_each_block(batches, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t n = begin; n < end; ++n)
        multiply(Matrix<T>::row_major(left + n * rows * inner, rows, inner),
                 PackedMatrix<T>(Matrix<T>::row_major(right + n * inner * columns, inner, columns), parallel_),
                 to + n * rows * columns, parallel_);
    });
  }

  static AxisLabels joined(std::initializer_list<AxisLabels> lists) {
    AxisLabels all;
    for (const AxisLabels& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  Shape shape_of(const AxisLabels& labels) const {
    Shape shape;
    for (const int axis : labels) shape.push_back(lengths_.at(axis).value());
    return shape;
  }

  std::int64_t size_of_axes(const AxisLabels& labels) const { return element_count(shape_of(labels)); }

  const AxisLengths lengths_;
  const Parallel& parallel_;
};

// Narrow integers are summed in 32 bits, of which the low ones are kept.
DType summed_type(DType dtype) { return is_integer(dtype) && bits(dtype) < 32 ? DType::kInt32 : dtype; }

void compute_einsum(Call& call) {
  std::vector<std::size_t> ranks;
  for (std::size_t k = 0; k < call.input_count(); ++k) ranks.push_back(call.input(k).shape().size());
  const EinsumEquation equation = parse_einsum(call.attributes().get_string("equation", ""), ranks, "einsum_c2");
  AxisLengths lengths;
  std::vector<Term> terms;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    take_lengths(lengths, equation.inputs[k], symbolic(call.input(k).shape()));
    terms.push_back({convert(call.input(k), summed_type(call.input(k).dtype())), equation.inputs[k]});
  }
  const Contraction contraction(std::move(lengths), call.parallel());
  Term y = std::move(terms.front());
  for (std::size_t k = 1; k < terms.size(); ++k) {
    AxisLabels kept = equation.output;
    for (std::size_t later = k + 1; later < terms.size(); ++later)
      kept.insert(kept.end(), terms[later].labels.begin(), terms[later].labels.end());
    y = contraction.multiplied(std::move(y), std::move(terms[k]), kept);
  }
  y = contraction.summed(std::move(y), [&](int axis) { return has_axis(equation.output, axis); });
  call.set_output(0, convert(contraction.arranged(y, equation.output).tensor, call.output_dtype(0)));
}

}  // namespace

const Operator ops::kEinsum = {
    .name = "Einsum",
    .versions = {12, 28},
    .formula = "y[output axes] = Sum over the other axes of the product of the inputs, by the equation",
    .constraints = {{"einsum_c1", "the inputs are of one type, floating point or an integer of 8 to 64 bits"},
                    {"einsum_c2",
                     "the equation can be read and has as many terms as there are inputs, each as many axes as its "
                     "input"},
                    {"einsum_c3", "axes of one letter have one length, or 1"}},
    .infer = infer_einsum,
    .compute = compute_einsum,
};

}  // namespace octet
