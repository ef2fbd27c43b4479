// matching.h: which values of two networks stand for the same numbers, one of them perhaps quantized.
//
// A value of the reference belongs to the value of the candidate that its readers read, found by
//   map        what the caller says
//   name       the same name, and what QuantizeLinear and DequantizeLinear make of it, unless the reference has them too;
//              or the names that quantizers give the integers of a tensor T: T_quantized, T_QuantizeLinear_Output,
//              T_DequantizeLinear_Output
//   structure  the same operators on values that belong together, whatever the names. Conversions, clamps and
//              BatchNormalization are passed over, since quantizers fold and drop them: of a Conv, its BatchNormalization and its
//              Relu, the last belongs to the last.
//   output     the outputs of the networks by their position, where nothing else was found
// A value that only QuantizeLinear or clamps before one read is left out: the quantized value is compared instead.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/program/program.h"

namespace octet {

struct Pair {
  ValueId reference, candidate;
  std::string_view how;  // as above
  bool output = false;   // of the reference
};

struct Matching {
  std::vector<Pair> pairs;         // in the order in which the reference computes them
  std::vector<ValueId> unmatched;  // float values of the reference that have no counterpart
};

// Requires programs lowered as written (Policy::kAsWritten). `map` has names of the reference and of the candidate.
// Throws kUsage for names that there are not, with those that may have been meant.
Matching match(const Program& reference, const Program& candidate, const std::map<std::string, std::string>& map = {});

}  // namespace octet
