// mul.cc: the meaning of Mul.
//
//   c = a * b, with broadcasting
//
// Integers wrap around.
//
//   mul_c1  a and b are of one type, floating point or an integer of 8 to 64 bits.
//   mul_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

void infer_mul(Inference& i) {
  infer_binary(i, "mul", TypeKind::kNumeric);
  propagate_elements(i, [](const Dim& a, const Dim& b) { return a * b; });
}

}  // namespace

const Operator ops::kMul = {
    .name = "Mul",
    .versions = {1, 6, 7, 13, 14},
    .turns = {7},
    .formula = "c = a * b",
    .constraints = {{"mul_c1", "a and b are of one type, floating point or an integer of 8 to 64 bits"},
                    {"mul_c2", "the shapes broadcast"}},
    .infer = infer_mul,
    .compute = [](Call& call) { zip_numeric(call, [](auto a, auto b) { return wrapping_multiply(a, b); }); },
    .on_elements = true,
    .traits = {Trait::kArithmetic},
};

}  // namespace octet
