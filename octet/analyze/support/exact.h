// exact.h: rational numbers without any rounding. Floats are such numbers, and so are their sums, products and
// quotients.
//
// What is not a number stays none: infinities, NaN, a division by zero and whatever is computed from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "octet/analyze/explain.h"
#include "octet/analyze/support/natural.h"
#include "octet/spec/rounding.h"

namespace octet {

class Exact {
 public:
  Exact(int value) : Exact(std::int64_t{value}) {}
  Exact(std::int64_t value);
  Exact(float value) : Exact(double{value}) {}
  Exact(double value);
  static Exact none() { return Exact(Natural(1), Natural(0), 0, false); }

  bool is_number() const { return !q_.is_zero(); }
  // -1, 0 or 1.
  int sign() const { return p_.is_zero() ? 0 : negative_ ? -1 : 1; }

  Exact operator-() const;
  friend Exact operator+(const Exact& a, const Exact& b);
  friend Exact operator-(const Exact& a, const Exact& b) { return a + -b; }
  friend Exact operator*(const Exact& a, const Exact& b);
  friend Exact operator/(const Exact& a, const Exact& b);

  // The largest integer that is not larger.
  Exact floor() const;
  // To an integer by a rule; nothing for no number and for what leaves int64.
  std::optional<std::int64_t> rounded(Rounding rule) const;

  // "3 / 7 * 2^-12", see ExactValue. "" for no number.
  std::string fraction() const;
  // The first `digits` significant digits, and "…" where there are more; with an exponent below 1e-5 and from 1e21 on.
  // "" for no number.
  std::string decimal(std::size_t digits = 17) const;

 private:
  Exact(Natural p, Natural q, std::int64_t exponent, bool negative);

  // Two numbers' common form: numerator / denominator without a power of two.
  Natural numerator() const;
  Natural denominator() const;

  // (-1)^negative * p / q * 2^exponent; p and q odd and without a common divisor, or p is 0; q is 0 for no number.
  Natural p_, q_;
  std::int64_t exponent_;
  bool negative_;
};

// Nothing for no number.
std::optional<ExactValue> exact_value(const Exact& value);

}  // namespace octet
