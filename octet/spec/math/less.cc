// less.cc: the meaning of Less.
//
//   c = a < b, with broadcasting
//
// c is bool. A comparison with NaN is false.
//
//   less_c1  a and b are of one type, floating point or an integer of 8 to 64 bits.
//   less_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {

const Operator ops::kLess = {
    .name = "Less",
    .versions = {1, 7, 9, 13},
    .turns = {7},
    .formula = "c = a < b",
    .constraints = {{"less_c1", "a and b are of one type, floating point or an integer of 8 to 64 bits"},
                    {"less_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_binary(i, "less", TypeKind::kNumeric, DType::kBool); },
    .compute = [](Call& call) { compare_numeric(call, [](auto a, auto b) { return a < b; }); },
    .on_elements = true,
};

}  // namespace octet
