// sub.cc: the meaning of Sub.
//
//   c = a - b, with broadcasting
//
// Integers wrap around.
//
//   sub_c1  a and b are of one type, floating point or an integer of 8 to 64 bits.
//   sub_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

void infer_sub(Inference& i) {
  infer_binary(i, "sub", TypeKind::kNumeric);
  propagate_elements(i, [](const Dim& a, const Dim& b) { return a - b; });
}

}  // namespace

const Operator ops::kSub = {
    .name = "Sub",
    .versions = {1, 6, 7, 13, 14},
    .turns = {7},
    .formula = "c = a - b",
    .constraints = {{"sub_c1", "a and b are of one type, floating point or an integer of 8 to 64 bits"},
                    {"sub_c2", "the shapes broadcast"}},
    .infer = infer_sub,
    .compute = [](Call& call) { zip_numeric(call, [](auto a, auto b) { return wrapping_subtract(a, b); }); },
    .on_elements = true,
    .traits = {Trait::kArithmetic},
};

}  // namespace octet
