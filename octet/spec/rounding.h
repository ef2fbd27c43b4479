// rounding.h: from a real number to an integer, every tie rule by its name.
//
//                      -2.5  -1.5  -0.5   0.5   1.5   2.5      between ties
//   round_ties_even      -2    -2     0     0     2     2      to nearest
//   round_ties_away      -3    -2    -1     1     2     3      to nearest
//   round_ties_up        -2    -1     0     1     2     3      to nearest
//   round_toward_zero    -2    -1     0     0     1     2      drops the fraction
//   round_floor          -3    -2    -1     0     1     2      toward minus infinity
//
// All are constexpr and exact: they compare x - trunc(x), which has no rounding error, with one half. Arguments must be
// finite and within int64.
#pragma once

#include <bit>
#include <cstdint>

namespace octet {

enum class Rounding { kTiesEven, kTiesAway, kTiesUp, kTowardZero, kFloor };
inline constexpr int kRoundingCount = 5;

template <typename Real>
constexpr std::int64_t round_toward_zero(Real x) {
  return static_cast<std::int64_t>(x);
}

template <typename Real>
constexpr std::int64_t round_floor(Real x) {
  const std::int64_t whole = round_toward_zero(x);
  return static_cast<Real>(whole) > x ? whole - 1 : whole;
}

template <typename Real>
constexpr std::int64_t round_ties_even(Real x) {
  const std::int64_t whole = round_toward_zero(x);
  const Real fraction = x - static_cast<Real>(whole);
  const bool odd = whole % 2 != 0;
  if (fraction > Real(0.5) || (fraction == Real(0.5) && odd)) return whole + 1;
  if (fraction < Real(-0.5) || (fraction == Real(-0.5) && odd)) return whole - 1;
  return whole;
}

// The same for |x| <= 2^22, in two operations: adding 1.5 * 2^23 leaves no bits for a fraction.
constexpr std::int32_t round_small_ties_even(float x) {
  return std::bit_cast<std::int32_t>(x + 0x1.8p23F) - std::bit_cast<std::int32_t>(0x1.8p23F);
}

template <typename Real>
constexpr std::int64_t round_ties_up(Real x) {
  const std::int64_t whole = round_toward_zero(x);
  const Real fraction = x - static_cast<Real>(whole);
  if (fraction >= Real(0.5)) return whole + 1;
  return fraction < Real(-0.5) ? whole - 1 : whole;
}

template <typename Real>
constexpr std::int64_t round_ties_away(Real x) {
  return x < 0 ? -round_ties_up(-x) : round_ties_up(x);
}

template <typename Real>
constexpr std::int64_t round_by(Rounding rule, Real x) {
  switch (rule) {
    case Rounding::kTiesEven: return round_ties_even(x);
    case Rounding::kTiesAway: return round_ties_away(x);
    case Rounding::kTiesUp: return round_ties_up(x);
    case Rounding::kTowardZero: return round_toward_zero(x);
    case Rounding::kFloor: return round_floor(x);
  }
  return 0;
}

// x / 2^shift under a rule, in integers only. 0 <= shift <= 126; the result must fit int64.
constexpr std::int64_t shift_right(Rounding rule, __int128 x, int shift) {
  const __int128 below = x >> shift;
  const __int128 rest = x - (below << shift);
  if (rest == 0) return static_cast<std::int64_t>(below);
  const __int128 half = __int128{1} << (shift - 1);
  bool up = false;
  switch (rule) {
    case Rounding::kTiesEven: up = rest > half || (rest == half && below % 2 != 0); break;
    case Rounding::kTiesAway: up = rest > half || (rest == half && below >= 0); break;
    case Rounding::kTiesUp: up = rest >= half; break;
    case Rounding::kTowardZero: up = below < 0; break;
    case Rounding::kFloor: break;
  }
  return static_cast<std::int64_t>(up ? below + 1 : below);
}

}  // namespace octet
