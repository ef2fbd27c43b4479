// identity.cc: the meaning of Identity.
//
//   y = x
#include "octet/spec/operators.h"

namespace octet {
namespace {

void infer_identity(Inference& i) {
  i.set_output(0, i.dtype(0), i.input(0).shape);
  if (const auto* elements = i.elements(0)) i.set_elements(0, *elements);
}

void compute_identity(Call& call) { call.set_output(0, call.input(0)); }

}  // namespace

const Operator ops::kIdentity = {
    .name = "Identity",
    .versions = {1, 13, 14, 16, 19, 21, 23, 24, 25},
    .formula = "y = x",
    .infer = infer_identity,
    .compute = compute_identity,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .renames = true,
};

}  // namespace octet
