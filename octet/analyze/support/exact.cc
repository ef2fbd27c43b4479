#include "octet/analyze/support/exact.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace octet {
namespace {

// Takes the factors of two out of a number that is not 0 and says how many there were.
std::int64_t take_twos(Natural& value) {
  const std::size_t zeros = value.trailing_zeros();
  value = value >> zeros;
  return static_cast<std::int64_t>(zeros);
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

Exact::Exact(Natural p, Natural q, std::int64_t exponent, bool negative)
    : p_(std::move(p)), q_(std::move(q)), exponent_(exponent), negative_(negative) {
  if (q_.is_zero()) return;
  if (p_.is_zero()) {
    q_ = 1;
    exponent_ = 0;
    negative_ = false;
    return;
  }
  exponent_ += take_twos(p_);
  exponent_ -= take_twos(q_);
  const Natural divisor = common_divisor(p_, q_);
  if (divisor == Natural(1)) return;
  p_ = divide(p_, divisor).first;
  q_ = divide(q_, divisor).first;
}

Exact::Exact(std::int64_t value) : Exact(Natural(magnitude(value)), 1, 0, value < 0) {}

Exact::Exact(double value) : Exact(none()) {
  if (!std::isfinite(value)) return;
  int exponent;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  *this = Exact(Natural(static_cast<std::uint64_t>(std::ldexp(fraction, 53))), 1, exponent - 53, std::signbit(value));
}

Natural Exact::numerator() const { return exponent_ > 0 ? p_ << static_cast<std::size_t>(exponent_) : p_; }
Natural Exact::denominator() const { return exponent_ < 0 ? q_ << static_cast<std::size_t>(-exponent_) : q_; }

Exact Exact::operator-() const {
  Exact result = *this;
  result.negative_ = !negative_ && !p_.is_zero();
  return result;
}

Exact operator+(const Exact& a, const Exact& b) {
  if (!a.is_number() || !b.is_number()) return Exact::none();
  const std::int64_t exponent = std::min(a.exponent_, b.exponent_);
  const Natural x = (a.p_ * b.q_) << static_cast<std::size_t>(a.exponent_ - exponent);
  const Natural y = (b.p_ * a.q_) << static_cast<std::size_t>(b.exponent_ - exponent);
  const Natural q = a.q_ * b.q_;
  if (a.negative_ == b.negative_) return Exact(x + y, q, exponent, a.negative_);
  return x >= y ? Exact(x - y, q, exponent, a.negative_) : Exact(y - x, q, exponent, b.negative_);
}

Exact operator*(const Exact& a, const Exact& b) {
  if (!a.is_number() || !b.is_number()) return Exact::none();
  return Exact(a.p_ * b.p_, a.q_ * b.q_, a.exponent_ + b.exponent_, a.negative_ != b.negative_);
}

Exact operator/(const Exact& a, const Exact& b) {
  if (!a.is_number() || !b.is_number() || b.p_.is_zero()) return Exact::none();
  return Exact(a.p_ * b.q_, a.q_ * b.p_, a.exponent_ - b.exponent_, a.negative_ != b.negative_);
}

Exact Exact::floor() const {
  if (!is_number()) return none();
  auto [whole, rest] = divide(numerator(), denominator());
  if (negative_ && !rest.is_zero()) whole = whole + Natural(1);
  return Exact(whole, 1, 0, negative_);
}

std::optional<std::int64_t> Exact::rounded(Rounding rule) const {
  if (!is_number()) return std::nullopt;
  const Exact below = floor();
  if (below.numerator().bits() > 62) return std::nullopt;
  const std::int64_t whole = (below.negative_ ? -1 : 1) * static_cast<std::int64_t>(below.numerator().low());
  // 0 at an integer, 1 below the tie, 2 on it, 3 above.
  const Exact rest = *this - below;
  const int place = rest.sign() == 0 ? 0 : 2 + (rest - Exact(0.5)).sign();
  switch (rule) {
    case Rounding::kFloor: return whole;
    case Rounding::kTowardZero: return whole + (negative_ && place > 0 ? 1 : 0);
    case Rounding::kTiesUp: return whole + (place >= 2 ? 1 : 0);
    case Rounding::kTiesAway: return whole + (place > 2 || (place == 2 && !negative_) ? 1 : 0);
    case Rounding::kTiesEven: return whole + (place > 2 || (place == 2 && whole % 2 != 0) ? 1 : 0);
  }
  return std::nullopt;
}

std::string Exact::fraction() const {
  if (!is_number()) return "";
  std::string text = fmt::format("{}{}", negative_ ? "-" : "", p_.decimal());
  if (q_ != Natural(1)) text += fmt::format(" / {}", q_.decimal());
  if (exponent_ != 0) text += fmt::format(" * 2^{}", exponent_);
  return text;
}

std::string Exact::decimal(std::size_t digits) const {
  if (!is_number()) return "";
  if (p_.is_zero()) return "0";
  Natural above = numerator(), below = denominator();
  // value = above / below * 10^exponent with 1 <= above / below < 10
  std::int64_t exponent = 0;
  for (; above >= below * Natural(10); ++exponent) below = below * Natural(10);
  for (; above < below; --exponent) above = above * Natural(10);
  std::string text;
  while (text.size() < digits && !above.is_zero()) {
    const auto [digit, rest] = divide(above, below);
    text += static_cast<char>('0' + digit.low());
    above = rest * Natural(10);
  }
  const std::string_view more = above.is_zero() ? "" : "…", minus = negative_ ? "-" : "";
  const bool scientific = exponent < -5 || exponent >= 21;
  const std::int64_t point = scientific ? 1 : exponent + 1;  // digits before it
  if (point < 1) text.insert(0, static_cast<std::size_t>(1 - point), '0');
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(point, 1));
  if (text.size() < whole) text.resize(whole, '0');
  if (text.size() > whole) text.insert(whole, 1, '.');
  const std::string power = scientific ? fmt::format("e{}{:02}", exponent < 0 ? "-" : "+", std::abs(exponent)) : "";
  return fmt::format("{}{}{}{}", minus, text, more, power);
}

std::optional<ExactValue> exact_value(const Exact& value) {
  if (!value.is_number()) return std::nullopt;
  return ExactValue{value.fraction(), value.decimal()};
}

}  // namespace octet
