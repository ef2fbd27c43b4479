// add.cc: the meaning of Add.
//
//   c = a + b, with broadcasting
//
// Integers wrap around.
//
//   add_c1  a and b are of one type, floating point or an integer of 8 to 64 bits.
//   add_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

void infer_add(Inference& i) {
  infer_binary(i, "add", TypeKind::kNumeric);
  propagate_elements(i, [](const Dim& a, const Dim& b) { return a + b; });
}

}  // namespace

const Operator ops::kAdd = {
    .name = "Add",
    .versions = {1, 6, 7, 13, 14},
    .turns = {7},
    .formula = "c = a + b",
    .constraints = {{"add_c1", "a and b are of one type, floating point or an integer of 8 to 64 bits"},
                    {"add_c2", "the shapes broadcast"}},
    .infer = infer_add,
    .compute = [](Call& call) { zip_numeric(call, [](auto a, auto b) { return wrapping_add(a, b); }); },
    .on_elements = true,
    .traits = {Trait::kArithmetic},
};

}  // namespace octet
