// and.cc: the meaning of And.
//
//   c = a and b, with broadcasting
//
//   and_c1  a and b are bool.
//   and_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {

const Operator ops::kAnd = {
    .name = "And",
    .versions = {1, 7},
    .turns = {7},
    .formula = "c = a and b",
    .constraints = {{"and_c1", "a and b are bool"}, {"and_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_binary(i, "and", TypeKind::kBool); },
    .compute = [](Call& call) { zip_inputs<bool, bool>(call, [](bool a, bool b) { return a && b; }); },
    .on_elements = true,
};

}  // namespace octet
