// known_forms.h: integer forms that were found before. Finding one takes a millisecond or more, and networks whose layers
// share their parameters ask for the same one again and again.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "octet/spec/integer_addition.h"
#include "octet/spec/integer_requantizer.h"
#include "octet/spec/staircase.h"

namespace octet {

// Equal to what the functions of the same parameters give. References hold as long as the object.
class KnownForms {
 public:
  // integer_addition(a, b, y, range, swaps).
  const IntegerAddition& addition(const Quantization& a, const Quantization& b, const Quantization& y,
                                  const IntegerRange& range, bool swaps);
  // integer_requantizer(staircase(channel, reach), channel.range).
  const IntegerRequantizer& requantizer(const Requantization& channel, const Interval& reach);

 private:
  std::map<std::array<std::int64_t, 9>, IntegerAddition> additions_;
  std::map<std::array<std::int64_t, 6>, IntegerRequantizer> requantizers_;
};

}  // namespace octet
