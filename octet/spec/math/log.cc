// log.cc: the meaning of Log.
//
//   y = log(x)
//
//   log_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kLog = {
    .name = "Log",
    .versions = {1, 6, 13},
    .formula = "y = log(x)",
    .constraints = {{"log_c1", "x is floating point"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kFloat, "log_c1"); },
    .compute = [](Call& call) { map_float(call, [](auto x) { return std::log(x); }); },
    .on_elements = true,
    .traits = {Trait::kFunction},
};

}  // namespace octet
