// simd.h: the loops that take the time, compiled for each instruction set, as tables of functions: one Simd for each
// that this processor has. All compute the same bits.
//
// The sources beside this header are compiled once per target by Highway (hwy/foreach_target.h); each adds its part.
#pragma once

#include <span>
#include <string_view>

#include "octet/engine/fast/simd/elements.h"
#include "octet/engine/fast/simd/float_products.h"
#include "octet/engine/fast/simd/products.h"
#include "octet/engine/fast/simd/transforms.h"

namespace octet::fast {

struct Simd {
  std::string_view name;  // "avx512-vnni", "avx2", "neon": simd.cc has all of them
  Elements elements;
  Products products;
  Transforms transforms;
  FloatProducts floats;
};

// What this processor has, the best first.
std::span<const Simd> simd_targets();
// The one named by the environment variable OCTET_CPU, else the best. Throws kUsage for a name that this processor does
// not have.
const Simd& chosen_simd();

}  // namespace octet::fast
