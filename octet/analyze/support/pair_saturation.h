// pair_saturation.h: what the instruction vpmaddubsw loses, with which x86 without VNNI multiplies uint8 by int8.
//
//   sum' = Sum over j of saturate16(a[2j] * b[2j] + a[2j+1] * b[2j+1])
//
// Two products reach 2 * 255 * 127 = 64770, and int16 ends at 32767: what is beyond is lost. The bytes are as stored,
// before any zero point; runtimes correct for zero points exactly and afterwards, so an accumulator is wrong by what
// the pairs have lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octet {

struct LostPair {
  std::size_t first;   // of its two products
  std::int32_t exact;  // their sum
  std::int32_t lost;   // exact - saturated
};

// The pairs that saturate. `a` holds uint8 and `b` int8, in the order in which the runtime adds; a last one without a
// partner is alone.
std::vector<LostPair> lost_pairs(std::span<const std::int32_t> a, std::span<const std::int32_t> b);

}  // namespace octet
