// floor.cc: the meaning of Floor.
//
//   y = floor(x)
//
//   floor_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kFloor = {
    .name = "Floor",
    .versions = {1, 6, 13},
    .formula = "y = floor(x)",
    .constraints = {{"floor_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "floor_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::floor(x); }); },
    .on_elements = true,
};

}  // namespace octet
