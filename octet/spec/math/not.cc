// not.cc: the meaning of Not.
//
//   y = not x
//
//   not_c1  x is bool.
#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kNot = {
    .name = "Not",
    .versions = {1},
    .formula = "y = not x",
    .constraints = {{"not_c1", "x is bool"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kBool, "not_c1"); },
    .compute = [](Call& call) { map_elements<bool, bool>(call, [](bool x) { return !x; }); },
    .on_elements = true,
};

}  // namespace octet
