// integer_requantizer.h: requantization with integers alone, equal to the staircase it is made from.
//
//   y = saturate((acc * m + addend) >> shift)        the shift is arithmetic: it rounds down; no rule for ties
//
// but on exceptions, runs of accumulators with a value of their own. The addend holds the half and the zero point. m is
// negative where the staircase falls.
//
// m, addend and shift are those of a straight line that passes between the steps: at each step's first accumulator it has
// arrived, at the last one before it has not. Of these lines the one with the smallest shift is taken, then the smallest
// m, then the addend in the middle. Where float32 has rounded some products up and others down, no line does both. Then
// as few ends of steps as possible are left to exceptions, and a line is made for the others: up to four ends exactly the
// fewest, and of these lines the one with the narrowest m; beyond, the end that helps most, one after the other. m has at
// most 31 bits and the sum at most 64. There is always a result, and every accumulator is accounted for: where the line
// differs from the staircase, there is an exception.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/spec/staircase.h"

namespace octet {

struct RequantizerException {
  std::int64_t first, last;  // accumulators
  std::int32_t value;

  bool operator==(const RequantizerException&) const = default;
};

struct IntegerRequantizer {
  std::int64_t m = 0, addend = 0;
  int shift = 0;
  IntegerRange range{-128, 127};                 // to which it saturates
  std::vector<RequantizerException> exceptions;  // by accumulator; looked up first

  std::int32_t operator()(std::int64_t accumulator) const;
  // Without looking for exceptions.
  std::int32_t line(std::int64_t accumulator) const;
};

// Values of the staircase lie in the range.
IntegerRequantizer integer_requantizer(const Staircase& stairs, const IntegerRange& range);

// With a line of the caller's, whose sums fit int64, and the exceptions that it needs.
IntegerRequantizer integer_requantizer(const Staircase& stairs, const IntegerRange& range, const FixedMultiplier& slope,
                                       std::int64_t addend);

// How many accumulators have an exception.
std::int64_t excepted(const IntegerRequantizer& requantizer);

// Two's complement registers that hold the numbers of every accumulator, those with exceptions too.
struct IntegerWidths {
  int m = 0;  // without its sign
  int product = 0, sum = 0;

  void include(const IntegerWidths& other);
  bool operator==(const IntegerWidths&) const = default;
};
IntegerWidths widths(const IntegerRequantizer& requantizer, const Interval& reach);

}  // namespace octet
