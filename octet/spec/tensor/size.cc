// size.cc: the meaning of Size.
//
//   y = the number of elements of x, as an int64 scalar
#include "octet/spec/operators.h"

namespace octet {
namespace {

void infer_size(Inference& i) {
  i.set_output(0, DType::kInt64, SymbolicShape{});
  if (!i.input(0).shape) return;
  Dim count = 1;
  for (const Dim& dim : i.shape(0)) count = count * dim;
  i.set_elements(0, {count});
}

void compute_size(Call& call) { call.set_output(0, Tensor::scalar(call.input(0).size())); }

}  // namespace

const Operator ops::kSize = {
    .name = "Size",
    .versions = {1, 13, 19, 21, 23, 24, 25},
    .formula = "y = the number of elements of x",
    .infer = infer_size,
    .compute = compute_size,
    .halves = Halves::kAsIs,
};

}  // namespace octet
