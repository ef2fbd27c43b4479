// or.cc: the meaning of Or.
//
//   c = a or b, with broadcasting
//
//   or_c1  a and b are bool.
//   or_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {

const Operator ops::kOr = {
    .name = "Or",
    .versions = {1, 7},
    .turns = {7},
    .formula = "c = a or b",
    .constraints = {{"or_c1", "a and b are bool"}, {"or_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_binary(i, "or", TypeKind::kBool); },
    .compute = [](Call& call) { zip_inputs<bool, bool>(call, [](bool a, bool b) { return a || b; }); },
    .on_elements = true,
};

}  // namespace octet
