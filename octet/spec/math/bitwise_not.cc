// bitwise_not.cc: the meaning of BitwiseNot.
//
//   y = ~x, bit by bit
//
//   bitwise_not_c1  x is an integer of 8 to 64 bits.
#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {

const Operator ops::kBitwiseNot = {
    .name = "BitwiseNot",
    .versions = {18},
    .formula = "y = ~x, bit by bit",
    .constraints = {{"bitwise_not_c1", "x is an integer of 8 to 64 bits"}},
    .infer = [](Inference& i) { infer_unary(i, TypeKind::kInteger, "bitwise_not_c1"); },
    .compute =
        [](Call& call) {
          visit_integer(call.input(0).dtype(), [&]<typename T>() { map_elements<T, T>(call, [](T x) { return ~x; }); });
        },
    .on_elements = true,
};

}  // namespace octet
