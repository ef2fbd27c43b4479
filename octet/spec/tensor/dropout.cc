// dropout.cc: the meaning of Dropout.
//
//   y = x, mask = true everywhere: what it is when a network is used, not trained
//
// The mask is bool since opset 10 and has x's type before. Training with a ratio other than 0 leaves out elements at
// random, which has no exact result.
//
//   dropout_c1  x is floating point.
#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_dropout(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "dropout_c1");
  const Tensor* training = i.opset() >= 12 ? i.constant(2) : nullptr;
  if (training && training->size() == 1 && training->number_at(0) != 0) {
    const Tensor* ratio = i.constant(1);
    if (!i.has(1) || (ratio && (ratio->size() != 1 || ratio->number_at(0) != 0)))
      fail(ErrorCode::kUnsupported, "training_mode with a ratio other than 0 has no exact result");
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
  i.set_output(1, i.opset() >= 10 ? DType::kBool : i.dtype(0), i.input(0).shape);
}

void compute_dropout(Call& call) {
  call.set_output(0, call.input(0));
  if (!call.wants(1)) return;
  Tensor ones = Tensor::uninitialized(DType::kUint8, call.output_shape(1));
  std::ranges::fill(ones.mutable_as<std::uint8_t>(), std::uint8_t{1});
  call.set_output(1, convert(ones, call.output_dtype(1)));
}

}  // namespace

const Operator ops::kDropout = {
    .name = "Dropout",
    .versions = {1, 6, 7, 10, 12, 13, 22},
    .turns = {10},
    .formula = "y = x",
    .constraints = {{"dropout_c1", "x is floating point"}},
    .infer = infer_dropout,
    .compute = compute_dropout,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .renames = true,
};

}  // namespace octet
