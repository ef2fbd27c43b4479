// integer_addition.h: QLinearAdd with integers alone, equal on all 65,536 pairs.
//
//   y = saturate((a * ma + b * mb + addend) >> shift)        the shift is arithmetic: it rounds down
//
// but on exceptions, pairs with a value of their own. a and b are bytes as they are: the addend holds the half and all
// zero points. The smallest shift is taken at which ma and mb next to their ratios, and some addend, are equal on every
// pair; of the addends the one in the middle. Where no shift up to 31 has that, the ratios are rounded to multipliers of
// at most 24 bits, the addend is the one that is wrong on the fewest pairs, and these are exceptions: there is always a
// result.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/spec/integer_requantizer.h"
#include "octet/spec/quantized/quantized_binary.h"

namespace octet {

// Pairs of one a.
struct PairException {
  std::int32_t a, first, last;  // from b to b
  std::int32_t value;

  bool operator==(const PairException&) const = default;
};

struct IntegerAddition {
  std::int64_t ma = 0, mb = 0, addend = 0;
  int shift = 0;
  IntegerRange range{-128, 127};          // of a, b and y
  std::vector<PairException> exceptions;  // by a, then by b; looked up first

  std::int32_t operator()(std::int32_t a, std::int32_t b) const;
  // Without looking for exceptions.
  std::int32_t plane(std::int32_t a, std::int32_t b) const;
};

// For any function of two bytes that is near to a * ratio_a + b * ratio_b and a constant.
IntegerAddition integer_addition(const QuantizedBinary& add, double ratio_a, double ratio_b, const IntegerRange& range);

// For QLinearAdd, as it is without broadcasting, or where it exchanges A and B (qlinear_add_swaps).
IntegerAddition integer_addition(const Quantization& a, const Quantization& b, const Quantization& y,
                                 const IntegerRange& range, bool swaps = false);

// How many pairs have an exception.
std::int64_t excepted(const IntegerAddition& addition);

// The widths for every pair, including those with exceptions: the wider of the multipliers, the wider of the products,
// the sum.
IntegerWidths widths(const IntegerAddition& addition);

}  // namespace octet
