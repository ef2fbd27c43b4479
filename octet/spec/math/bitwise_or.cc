// bitwise_or.cc: the meaning of BitwiseOr.
//
//   c = a | b, bit by bit, with broadcasting
//
//   bitwise_or_c1  a and b are of one integer type of 8 to 64 bits.
//   bitwise_or_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {

const Operator ops::kBitwiseOr = {
    .name = "BitwiseOr",
    .versions = {18},
    .formula = "c = a | b, bit by bit",
    .constraints = {{"bitwise_or_c1", "a and b are of one integer type of 8 to 64 bits"},
                    {"bitwise_or_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_binary(i, "bitwise_or", TypeKind::kInteger); },
    .compute = [](Call& call) { zip_integer(call, [](auto a, auto b) { return a | b; }); },
    .on_elements = true,
};

}  // namespace octet
