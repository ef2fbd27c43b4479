// bit_cast.cc: the meaning of BitCast.
//
//   y has the bits of x, read as the type `to`
//
// A byte other than 0 becomes true where `to` is bool.
//
//   bit_cast_c1  `to` is a type as wide as x's, and neither is string.
#include <algorithm>
#include <memory>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

void infer_bit_cast(Inference& i) {
  const std::int64_t to = i.attributes().get_int("to", 0);
  if (to <= 0 || to >= kDTypeCount) fail_constraint("bit_cast_c1", "to is {}, wanted 1 to {}", to, kDTypeCount - 1);
  const DType from = i.dtype(0), result = static_cast<DType>(to);
  if (bits(result) != bits(from) || bits(from) == 0)
    fail_constraint("bit_cast_c1", "x is {}, to is {}: wanted two types of one width", name(from), name(result));
  i.set_output(0, result, i.input(0).shape);
}

// Elements narrower than a byte stand in one each, sign-extended where they are signed.
std::uint8_t with_sign(std::uint8_t byte, DType dtype) {
  const int unused = 8 - bits(dtype);
  const auto high = static_cast<std::uint8_t>(byte << unused);
  return is_signed_integer(dtype) ? static_cast<std::uint8_t>(static_cast<std::int8_t>(high) >> unused)
                                  : static_cast<std::uint8_t>(high >> unused);
}

void compute_bit_cast(Call& call) {
  const Tensor& x = call.input(0);
  const DType to = call.output_dtype(0);
  const bool in_bytes = bits(to) < 8 || to == DType::kBool;
  if (!in_bytes) return call.set_output(0, Tensor(to, x.shape(), x.bytes(), std::make_shared<Tensor>(x)));
  std::ranges::transform(x.bytes(), call.output(0).mutable_bytes().begin(), [=](std::byte byte) {
    const auto value = std::to_integer<std::uint8_t>(byte);
    return to == DType::kBool ? std::byte(value != 0 ? 1 : 0) : std::byte(with_sign(value, to));
  });
}

}  // namespace

const Operator ops::kBitCast = {
    .name = "BitCast",
    .versions = {26},
    .formula = "y has the bits of x, read as the type `to`",
    .constraints = {{"bit_cast_c1", "`to` is a type as wide as x's, and neither is string"}},
    .infer = infer_bit_cast,
    .compute = compute_bit_cast,
    .halves = Halves::kAsIs,
};

}  // namespace octet
