// cum_sum.cc: the meaning of CumSum.
//
//   y[i] = x[0] + ... + x[i] along an axis, added from the left
//
// exclusive leaves x[i] itself out; reverse walks the axis from its end. Integers wrap around.
//
//   cum_sum_c1  x is floating point or an integer of 8 to 64 bits.
//   cum_sum_c2  The axis, the second input, is one int32 or int64 within [-rank, rank - 1].
#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

void infer_cum_sum(Inference& i) {
  require_type(i, 0, TypeKind::kNumeric, "cum_sum_c1");
  require_index_type(i, 1, "cum_sum_c2");
  if (const auto axis = known_integers(i, 1)) {
    if (axis->size() != 1) fail_constraint("cum_sum_c2", "{} axes are given, wanted 1", axis->size());
    if (i.has_shape(0)) normalize_axis((*axis)[0], i.shape(0).size(), "cum_sum_c2");
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_cum_sum(Call& call) {
  const Tensor& input = call.input(0);
  if (input.size() == 0) return;
  const std::size_t axis = normalize_axis(call.input(1).int_at(0), input.shape().size(), "cum_sum_c2");
  const bool exclusive = call.attributes().get_int("exclusive", 0) != 0;
  const bool reverse = call.attributes().get_int("reverse", 0) != 0;
  const std::int64_t length = input.shape()[axis];
  const std::int64_t stride = strides_of(input.shape())[axis];
  visit_numeric(input.dtype(), [&]<typename T>() {
    const T* x = input.as<T>().data();
    T* y = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(input.size() / length, 64, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line) {
        std::int64_t at = line / stride * stride * length + line % stride + (reverse ? (length - 1) * stride : 0);
        T sum = 0;
        for (std::int64_t k = 0; k < length; ++k, at += reverse ? -stride : stride) {
          const T before = sum;
          sum = k == 0 ? x[at] : wrapping_add(sum, x[at]);
          y[at] = exclusive ? before : sum;
        }
      }
    });
  });
}

}  // namespace

extern const Operator kCumSum = {
    .name = "CumSum",
    .versions = {11, 14},
    .formula = "y[i] = x[0] + ... + x[i] along an axis",
    .constraints = {{"cum_sum_c1", "x is floating point or an integer of 8 to 64 bits"},
                    {"cum_sum_c2", "the axis, the second input, is one int32 or int64 within [-rank, rank - 1]"}},
    .infer = infer_cum_sum,
    .compute = compute_cum_sum,
};

}  // namespace octet
