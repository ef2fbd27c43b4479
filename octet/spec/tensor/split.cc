// split.cc: the meaning of Split.
//
//   y0, y1, ... = x cut into consecutive pieces along `axis`
//
// The lengths of the pieces are an attribute before opset 13 (in opset 1 they may be an input too) and an input since.
// Without them the pieces are of equal length; since opset 18 the last one may be shorter.
//
//   split_c1  axis is within [-rank, rank - 1].
//   split_c2  There is one length per output; none is negative; together they are x's.
//   split_c3  num_outputs, where it is given, is the number of outputs.
//   split_c4  Without lengths, x's divides evenly (before opset 18) or leaves something for every piece but the last.
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

// The pieces' lengths as far as they are known.
std::vector<Dim> given_lengths(const Inference& i, const std::vector<std::int64_t>& lengths, const Dim& total) {
  if (lengths.size() != i.output_count())
    fail_constraint("split_c2", "{} lengths for {} outputs", lengths.size(), i.output_count());
  Dim sum = 0;
  for (std::int64_t length : lengths) {
    if (length < 0) fail_constraint("split_c2", "length {} is negative", length);
    sum = sum + length;
  }
  if (surely_different(sum, total))
    fail_constraint("split_c2", "the lengths add up to {}, the axis has {}", to_string(sum), to_string(total));
  return symbolic(lengths);
}

std::vector<Dim> equal_lengths(const Inference& i, const Dim& total) {
  const auto count = static_cast<std::int64_t>(i.output_count());
  if (i.opset() >= 18 && i.attributes().get_int("num_outputs", count) != count)
    fail_constraint("split_c3", "num_outputs is {}, there are {} outputs", i.attributes().get_int("num_outputs", 0),
                    count);
  if (!total.known() && count != 1) return std::vector<Dim>(i.output_count());
  if (i.opset() < 18 && total.known() && total.value() % count != 0)
    fail_constraint("split_c4", "{} does not divide into {} equal pieces", total.value(), count);
  std::vector<Dim> lengths(i.output_count(), ceil_divide(total, count));
  if (count == 1) return lengths;
  lengths.back() = total - lengths[0] * (count - 1);
  if (lengths.back().value() < 0)
    fail_constraint("split_c4", "{} does not divide into {} pieces of {}", total.value(), count, lengths[0].value());
  return lengths;
}

void infer_split(Inference& i) {
  const bool as_input = i.opset() >= 13 || (i.opset() < 2 && i.has(1));
  const IntegerList given = list_from(i, as_input, 1, "split");
  if (!i.has_shape(0)) {
    for (std::size_t n = 0; n < i.output_count(); ++n) i.set_output(n, i.dtype(0), std::nullopt);
    return;
  }
  if (i.output_count() == 0) return;
  SymbolicShape y = i.shape(0);
  const std::size_t axis = normalize_axis(i.attributes().get_int("axis", 0), y.size(), "split_c1");
  std::vector<Dim> lengths(i.output_count());
  if (!given.given)
    lengths = equal_lengths(i, y[axis]);
  else if (given.values)
    lengths = given_lengths(i, *given.values, y[axis]);
  for (std::size_t n = 0; n < i.output_count(); ++n) {
    y[axis] = lengths[n];
    i.set_output(n, i.dtype(0), y);
  }
}

void compute_split(Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t axis = normalize_axis(call.attributes().get_int("axis", 0), x.shape().size(), "split_c1");
  View from = {.strides = strides_of(x.shape())};
  for (std::size_t n = 0; n < call.output_count(); ++n) {
    const Shape& shape = call.output_shape(n);
    copy_elements(call.parallel(), shape, x, from, call.output(n), {.strides = strides_of(shape)});
    from.offset += shape[axis] * from.strides[axis];
  }
}

}  // namespace

const Operator ops::kSplit = {
    .name = "Split",
    .versions = {1, 2, 11, 13, 18},
    .formula = "y0, y1, ... = x cut into consecutive pieces along `axis`",
    .constraints = {{"split_c1", "axis is within [-rank, rank - 1]"},
                    {"split_c2", "there is one length per output; none is negative; together they are x's"},
                    {"split_c3", "num_outputs, where it is given, is the number of outputs"},
                    {"split_c4",
                     "without lengths, x's divides evenly (before opset 18) or leaves something for every piece but "
                     "the last"}},
    .infer = infer_split,
    .compute = compute_split,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
