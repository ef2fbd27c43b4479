// prelu.cc: the meaning of PRelu.
//
//   y = slope * x where x < 0, x elsewhere
//
// The slope broadcasts to x; before opset 7 a slope of rank 1 had one element or one per channel (axis 1).
//
//   prelu_c1  x and slope are of one type, floating point or an integer of 8 to 64 bits.
//   prelu_c2  The slope broadcasts to the shape of x.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

// The slope's shape with its channels on axis 1 of x.
template <typename AnyShape>
AnyShape matched(int opset, AnyShape slope, std::size_t rank) {
  if (opset < 7 && slope.size() == 1 && rank > 2) slope.resize(rank - 1, 1);
  return slope;
}

void infer_prelu(Inference& i) {
  require_type(i, 0, TypeKind::kNumeric, "prelu_c1");
  require_same_type(i, 0, 1, "prelu_c1");
  i.set_output(0, i.dtype(0), i.input(0).shape);
  if (!i.has_shape(0) || !i.has_shape(1)) return;
  const SymbolicShape& x = i.shape(0);
  const SymbolicShape slope = matched(i.opset(), i.shape(1), x.size());
  bool fits = slope.size() <= x.size();
  for (std::size_t k = 1; fits && k <= slope.size(); ++k)
    fits = slope[slope.size() - k].is(1) || !surely_different(slope[slope.size() - k], x[x.size() - k]);
  if (!fits)
    fail_constraint("prelu_c2", "slope of shape {} does not broadcast to {}", to_string(i.shape(1)), to_string(x));
}

void compute_prelu(Call& call) {
  const Tensor& x = call.input(0);
  const Tensor slope = call.input(1).reshaped(matched(call.opset(), call.input(1).shape(), x.shape().size()));
  visit_numeric(x.dtype(), [&]<typename T>() {
    zip_elements<T, T, T>(call.parallel(), x, slope, call.output(0),
                          [](T a, T b) { return a < T(0) ? wrapping_multiply(b, a) : a; });
  });
}

}  // namespace

const Operator ops::kPRelu = {
    .name = "PRelu",
    .versions = {1, 6, 7, 9, 16},
    .turns = {7},
    .formula = "y = slope * x where x < 0, x elsewhere",
    .constraints = {{"prelu_c1", "x and slope are of one type, floating point or an integer of 8 to 64 bits"},
                    {"prelu_c2", "the slope broadcasts to the shape of x"}},
    .infer = infer_prelu,
    .compute = compute_prelu,
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
