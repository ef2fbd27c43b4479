// bit_shift.cc: the meaning of BitShift.
//
//   c = a << b or a >> b, by the attribute direction ("LEFT" or "RIGHT"), with broadcasting
//
// Bits leave at the end they are shifted to and zeros come in: a shift by the width of the type or more gives 0.
//
//   bit_shift_c1  a and b are of one unsigned integer type of 8 to 64 bits.
//   bit_shift_c2  The shapes broadcast.
//   bit_shift_c3  direction is "LEFT" or "RIGHT".
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/support/binary.h"

namespace octet {
namespace {

void infer_bit_shift(Inference& i) {
  infer_binary(i, "bit_shift", TypeKind::kInteger);
  if (is_signed_integer(i.dtype(0)))
    fail_constraint("bit_shift_c1", "input 0 is {}, wanted an unsigned integer type", name(i.dtype(0)));
  const std::string direction = i.attributes().get_string("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    fail_constraint("bit_shift_c3", "direction is \"{}\", wanted \"LEFT\" or \"RIGHT\"", direction);
}

void compute_bit_shift(Call& call) {
  const bool left = call.attributes().get_string("direction", "") == "LEFT";
  zip_integer(call, [=]<typename T>(T a, T b) {
    if (b >= std::numeric_limits<T>::digits) return T(0);
    const auto shift = static_cast<int>(b);
    const auto bits = static_cast<std::uint64_t>(a);
    return static_cast<T>(left ? bits << shift : bits >> shift);
  });
}

}  // namespace

extern const Operator kBitShift = {
    .name = "BitShift",
    .versions = {11},
    .formula = "c = a << b or a >> b",
    .constraints = {{"bit_shift_c1", "a and b are of one unsigned integer type of 8 to 64 bits"},
                    {"bit_shift_c2", "the shapes broadcast"},
                    {"bit_shift_c3", "direction is \"LEFT\" or \"RIGHT\""}},
    .infer = infer_bit_shift,
    .compute = compute_bit_shift,
    .on_elements = true,
};

}  // namespace octet
