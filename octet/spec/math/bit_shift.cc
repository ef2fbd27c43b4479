// bit_shift.cc: the meaning of BitShift.
//
//   c = a << b or a >> b, by the attribute direction ("LEFT" or "RIGHT"), with broadcasting
//
// Bits leave at the end they are shifted to and zeros come in, but copies of the sign bit where a signed a is shifted
// to the right. A shift by the width of the type or more, or by a negative b, leaves nothing but what came in: 0, or -1
// where a negative a is shifted to the right.
//
//   bit_shift_c1  a and b are of one integer type of 8 to 64 bits, unsigned before opset 28.
//   bit_shift_c2  The shapes broadcast.
//   bit_shift_c3  direction is "LEFT" or "RIGHT".
#include <limits>
#include <type_traits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/binary.h"

namespace octet {
namespace {

constexpr int kSignedOpset = 28;

void infer_bit_shift(Inference& i) {
  infer_binary(i, "bit_shift", TypeKind::kInteger);
  if (i.opset() < kSignedOpset && is_signed_integer(i.dtype(0)))
    fail_constraint("bit_shift_c1", "input 0 is {}, wanted an unsigned integer type", name(i.dtype(0)));
  const std::string direction = i.attributes().get_string("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    fail_constraint("bit_shift_c3", "direction is \"{}\", wanted \"LEFT\" or \"RIGHT\"", direction);
}

void compute_bit_shift(Call& call) {
  const bool left = call.attributes().get_string("direction", "") == "LEFT";
  zip_integer(call, [=]<typename T>(T a, T b) {
    constexpr int kWidth = std::numeric_limits<std::make_unsigned_t<T>>::digits;
    if (b < T(0) || static_cast<std::uint64_t>(b) >= kWidth) return static_cast<T>(!left && a < T(0) ? -1 : 0);
    const auto shift = static_cast<std::make_unsigned_t<T>>(b);
    return static_cast<T>(left ? static_cast<std::uint64_t>(a) << shift : static_cast<std::uint64_t>(a >> shift));
  });
}

}  // namespace

const Operator ops::kBitShift = {
    .name = "BitShift",
    .versions = {11, 28},
    .formula = "c = a << b or a >> b",
    .constraints = {{"bit_shift_c1", "a and b are of one integer type of 8 to 64 bits, unsigned before opset 28"},
                    {"bit_shift_c2", "the shapes broadcast"},
                    {"bit_shift_c3", "direction is \"LEFT\" or \"RIGHT\""}},
    .infer = infer_bit_shift,
    .compute = compute_bit_shift,
    .on_elements = true,
};

}  // namespace octet
