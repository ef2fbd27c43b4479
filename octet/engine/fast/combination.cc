#include "octet/engine/fast/combination.h"

#include "octet/spec/quantized/qlinear_add.h"

namespace octet::fast {
namespace {

AddConstants add_constants(const Combination::Meanings& m, Bounds bounds, bool is_signed) {
  const auto [ratio_a, ratio_b, zeros] = fold_addition(m.first, m.second, m.y, Arithmetic());
  return {ratio_a, ratio_b, static_cast<float>(m.y.zero_point) - zeros, bounds, is_signed};
}

MultiplyConstants multiply_constants(const Combination::Meanings& m, Bounds bounds, bool is_signed) {
  return {m.first.zero_point,
          m.second.zero_point,
          m.y.zero_point,
          requantization_multiplier(m.first.scale, m.second.scale, m.y.scale),
          bounds,
          is_signed};
}

}  // namespace

Bounds bounds_of(DType type) {
  const IntegerRange range = integer_range(type);
  return {static_cast<std::int32_t>(range.min), static_cast<std::int32_t>(range.max)};
}

Combination::Combination(bool product, const Meanings& meanings, DType type, Bounds bounds, const Elements& elements)
    : elements_(elements) {
  const bool is_signed = type == DType::kInt8;
  if (product)
    constants_ = multiply_constants(meanings, bounds, is_signed);
  else
    constants_ = add_constants(meanings, bounds, is_signed);
}

void Combination::operator()(const std::uint8_t* first, const std::uint8_t* second, std::int64_t count,
                             std::uint8_t* y) const {
  if (const auto* add = std::get_if<AddConstants>(&constants_))
    elements_.add(first, second, count, *add, y);
  else
    elements_.multiply(first, second, count, std::get<MultiplyConstants>(constants_), y);
}

}  // namespace octet::fast
