// directed.h: rows on which the mistakes of mistakes.h show, for the layers of the network at hand. Images hit hardly any.
//
//   requantize   channel, acc -> q    of sums of products and of averages: line_rows.h, and where a mistake shows at an
//                                     edge of the channel's staircase and on none of these, a row on which it does
//   pair         a, b -> q            of additions and multiplications: the corners of the plane, found as those of its
//                                     slices along both axes and both diagonals, both sides of every exception, both ends
//   table        table, x -> q        all 256 bytes
//   maximum      window -> q          of a pool: each tap alone the greatest, none, all
//
// Where the weights are known, a row of a sum comes with a patch, bytes of the layer's input under one window inside the
// image (or in one row of the matrix) that give its accumulator: hardware can be driven at its input.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/integer/integer_program.h"
#include "octet/program/program.h"

namespace octet {

struct DirectedRow {
  std::array<std::int64_t, 2> operands{};
  std::int32_t q = 0;
  std::uint64_t catches = 0;         // bit k: mistake k gives another result, computed
  std::optional<std::size_t> patch;  // its number; nothing where none was found, or there are none
};

struct DirectedSet {
  std::string step, kind;
  std::array<std::string_view, 2> operands;  // what they are; empty: there is one
  std::vector<std::string_view> mistakes;    // 64 at most
  std::vector<DirectedRow> rows;
  DType q_type = DType::kUndefined;
  DType patch_type = DType::kUndefined;  // undefined: the set has no patches
  Shape patch_shape;                     // as weights stand: [input channels, kernel...], [products], [pixels], [taps]
  std::vector<std::int32_t> patches;     // one after the other
};

// The sets for a step on integers only, which is also given as an IntegerStep. Requires a step that step_constants
// takes.
std::vector<DirectedSet> directed_vectors(const Step& step, const IntegerProgram& program,
                                          const IntegerStep& integer_step);

}  // namespace octet
