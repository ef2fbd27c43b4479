// xor.cc: the meaning of Xor.
//
//   c = a xor b, with broadcasting
//
//   xor_c1  a and b are bool.
//   xor_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {

const Operator ops::kXor = {
    .name = "Xor",
    .versions = {1, 7},
    .turns = {7},
    .formula = "c = a xor b",
    .constraints = {{"xor_c1", "a and b are bool"}, {"xor_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_binary(i, "xor", TypeKind::kBool); },
    .compute = [](Call& call) { zip_inputs<bool, bool>(call, [](bool a, bool b) { return a != b; }); },
    .on_elements = true,
};

}  // namespace octet
