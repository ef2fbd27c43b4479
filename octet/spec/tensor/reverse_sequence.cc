// reverse_sequence.cc: the meaning of ReverseSequence.
//
//   y[t, b, ...] = x[n(b) - 1 - t, b, ...] for t < n(b), x[t, b, ...] behind          n(b) = sequence_lens[b]
//
// time_axis, 0 unless said, and batch_axis, 1 unless said, are the first two axes in either order.
//
//   reverse_sequence_c1  x has two axes or more; batch_axis and time_axis are 0 and 1, or 1 and 0.
//   reverse_sequence_c2  sequence_lens is int64, [batch], each within [0, the length of the time axis].
#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

std::size_t sequence_axis(const Attributes& attributes) {
  const std::int64_t batch = attributes.get_int("batch_axis", 1), time = attributes.get_int("time_axis", 0);
  if (batch + time != 1 || batch * time != 0)
    fail_constraint("reverse_sequence_c1", "batch_axis is {}, time_axis is {}: wanted 0 and 1, or 1 and 0", batch,
                    time);
  return static_cast<std::size_t>(time);
}

void infer_reverse_sequence(Inference& i) {
  const std::size_t time = sequence_axis(i.attributes());
  if (i.dtype(1) != DType::kInt64)
    fail_constraint("reverse_sequence_c2", "sequence_lens is {}, wanted int64", name(i.dtype(1)));
  require_rank(i, 1, 1, "reverse_sequence_c2");
  i.set_output(0, i.dtype(0), i.input(0).shape);
  if (!i.has_shape(0)) return;
  const SymbolicShape& x = i.shape(0);
  if (x.size() < 2) fail_constraint("reverse_sequence_c1", "x is {}, wanted two axes or more", to_string(x));
  require_shape(i, 1, {x[1 - time]}, "reverse_sequence_c2");
  const Tensor* lengths = i.constant(1);
  if (!lengths || !x[time].known()) return;
  for (const std::int64_t length : lengths->to_ints())
    if (length < 0 || length > x[time].value())
      fail_constraint("reverse_sequence_c2", "a length is {}, wanted 0 to {}", length, x[time].value());
}

void compute_reverse_sequence(Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t time = sequence_axis(call.attributes());
  const std::int64_t steps = x.shape()[time], batch = x.shape()[1 - time];
  const std::vector<std::int64_t> lengths = call.input(1).to_ints(), strides = strides_of(x.shape());
  const std::int64_t inner = strides[1];
  visit_storage(x.dtype(), [&]<typename E>() {
    const E* from = stored<E>(x);
    E* to = mutable_stored<E>(call.output(0));
    call.parallel().for_each_block(batch, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b)
        for (std::int64_t t = 0; t < steps; ++t) {
          const std::int64_t length = lengths[static_cast<std::size_t>(b)], source = t < length ? length - 1 - t : t;
          const std::int64_t row = b * strides[1 - time];
          std::copy_n(from + row + source * strides[time], inner, to + row + t * strides[time]);
        }
    });
  });
}

}  // namespace

const Operator ops::kReverseSequence = {
    .name = "ReverseSequence",
    .versions = {10, 28},
    .formula = "y[t, b, ...] = x[n(b) - 1 - t, b, ...] for t < n(b), x[t, b, ...] behind",
    .constraints = {{"reverse_sequence_c1", "x has two axes or more; batch_axis and time_axis are 0 and 1, or 1 and 0"},
                    {"reverse_sequence_c2",
                     "sequence_lens is int64, [batch], each within [0, the length of the time axis]"}},
    .infer = infer_reverse_sequence,
    .compute = compute_reverse_sequence,
    .halves = Halves::kAsIs,
};

}  // namespace octet
