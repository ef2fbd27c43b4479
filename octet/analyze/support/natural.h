// natural.h: whole numbers from 0 up, as large as they become.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace octet {

class Natural {
 public:
  Natural(std::uint64_t value = 0);

  bool is_zero() const { return limbs_.empty(); }
  bool is_odd() const { return !is_zero() && (limbs_[0] & 1) != 0; }
  std::size_t bits() const;            // 0 for 0
  std::size_t trailing_zeros() const;  // of a number that is not 0
  // The lowest 64 bits.
  std::uint64_t low() const;
  std::string decimal() const;

  bool operator==(const Natural&) const = default;
  std::strong_ordering operator<=>(const Natural& other) const;

  friend Natural operator+(const Natural& a, const Natural& b);
  friend Natural operator-(const Natural& a, const Natural& b);  // a >= b
  friend Natural operator*(const Natural& a, const Natural& b);
  Natural operator<<(std::size_t shift) const;
  Natural operator>>(std::size_t shift) const;

 private:
  void trim();

  std::vector<std::uint32_t> limbs_;  // the lowest first, the highest not 0
};

// Quotient and remainder; the divisor is not 0.
std::pair<Natural, Natural> divide(const Natural& a, const Natural& b);
// The greatest common divisor of two odd numbers.
Natural common_divisor(Natural a, Natural b);

}  // namespace octet
