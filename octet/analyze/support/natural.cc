#include "octet/analyze/support/natural.h"

#include <algorithm>
#include <bit>

namespace octet {
namespace {

constexpr std::size_t kLimb = 32;

}  // namespace

Natural::Natural(std::uint64_t value)
    : limbs_{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> kLimb)} {
  trim();
}

void Natural::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

std::size_t Natural::bits() const {
  return is_zero() ? 0 : (limbs_.size() - 1) * kLimb + static_cast<std::size_t>(std::bit_width(limbs_.back()));
}

std::size_t Natural::trailing_zeros() const {
  std::size_t limb = 0;
  while (limbs_[limb] == 0) ++limb;
  return limb * kLimb + static_cast<std::size_t>(std::countr_zero(limbs_[limb]));
}

std::uint64_t Natural::low() const {
  const std::uint64_t first = limbs_.empty() ? 0 : limbs_[0], second = limbs_.size() < 2 ? 0 : limbs_[1];
  return first | second << kLimb;
}

std::string Natural::decimal() const {
  std::string digits;
  Natural rest = *this;
  do {
    std::uint64_t remainder = 0;
    for (std::size_t i = rest.limbs_.size(); i-- > 0;) {
      remainder = remainder << kLimb | rest.limbs_[i];
      rest.limbs_[i] = static_cast<std::uint32_t>(remainder / 10);
      remainder %= 10;
    }
    rest.trim();
    digits += static_cast<char>('0' + remainder);
  } while (!rest.is_zero());
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::strong_ordering Natural::operator<=>(const Natural& other) const {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  return std::lexicographical_compare_three_way(limbs_.rbegin(), limbs_.rend(), other.limbs_.rbegin(),
                                                other.limbs_.rend());
}

Natural operator+(const Natural& a, const Natural& b) {
  Natural sum;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < std::max(a.limbs_.size(), b.limbs_.size()) || carry != 0; ++i) {
    if (i < a.limbs_.size()) carry += a.limbs_[i];
    if (i < b.limbs_.size()) carry += b.limbs_[i];
    sum.limbs_.push_back(static_cast<std::uint32_t>(carry));
    carry >>= kLimb;
  }
  return sum;
}

Natural operator-(const Natural& a, const Natural& b) {
  Natural difference = a;
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const std::int64_t limb = std::int64_t{a.limbs_[i]} - (i < b.limbs_.size() ? b.limbs_[i] : 0) + borrow;
    difference.limbs_[i] = static_cast<std::uint32_t>(limb);
    borrow = limb < 0 ? -1 : 0;
  }
  difference.trim();
  return difference;
}

Natural operator*(const Natural& a, const Natural& b) {
  Natural product;
  product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += std::uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
      product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= kLimb;
    }
    product.limbs_[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
  }
  product.trim();
  return product;
}

Natural Natural::operator<<(std::size_t shift) const {
  Natural power;
  power.limbs_.assign(shift / kLimb + 1, 0);
  power.limbs_.back() = std::uint32_t{1} << shift % kLimb;
  return *this * power;
}

Natural Natural::operator>>(std::size_t shift) const {
  Natural result;
  for (std::size_t i = shift / kLimb; i < limbs_.size(); ++i) {
    const std::uint64_t high = i + 1 < limbs_.size() ? limbs_[i + 1] : 0;
    result.limbs_.push_back(static_cast<std::uint32_t>((high << kLimb | limbs_[i]) >> shift % kLimb));
  }
  result.trim();
  return result;
}

std::pair<Natural, Natural> divide(const Natural& a, const Natural& b) {
  Natural quotient, rest = a;
  for (std::size_t bit = a.bits() < b.bits() ? 0 : a.bits() - b.bits() + 1; bit-- > 0;) {
    const Natural part = b << bit;
    const bool fits = rest >= part;
    if (fits) rest = rest - part;
    quotient = (quotient << 1) + Natural(fits ? 1 : 0);
  }
  return {quotient, rest};
}

Natural common_divisor(Natural a, Natural b) {
  while (a != b) {
    if (a < b) std::swap(a, b);
    a = a - b;
    a = a >> a.trailing_zeros();
  }
  return a;
}

}  // namespace octet
