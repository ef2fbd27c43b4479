// quads_inl.h: dot products of four bytes, for the sources that Highway compiles once for each target. Of the targets whose
// processors may lack them, extensions.h says which has them.
#include <hwy/highway.h>

// Once for each target: https://github.com/google/highway, "-inl.h".
#if defined(OCTET_ENGINE_FAST_SIMD_QUADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_ENGINE_FAST_SIMD_QUADS_INL_H_
#undef OCTET_ENGINE_FAST_SIMD_QUADS_INL_H_
#else
#define OCTET_ENGINE_FAST_SIMD_QUADS_INL_H_
#endif

#include "octet/engine/fast/simd/pairs_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

// sum + the four products in each lane: uint8 by int8; int8 by int8, where it says signed.
#if HWY_TARGET == HWY_AVX3_DL
struct AddQuads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(w.raw));
    return sum;
  }
};
#elif HWY_TARGET == HWY_AVX2
struct AddQuads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(x.raw), "x"(w.raw));
    return sum;
  }
};
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
// As numbers, because assemblers want to be told of an architecture that has these instructions, and could not be told the
// old one again. The symbols are the numbers of the registers.
#define OCTET_DOT_PRODUCT(opcode)                                                                        \
  asm(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t" \
      ".equ .Lregister_v\\n, \\n\n\t.endr\n\t"                                                           \
      ".inst " opcode " | (.Lregister_%2 << 16) | (.Lregister_%1 << 5) | .Lregister_%0"                  \
      : "+w"(sum.raw)                                                                                    \
      : "w"(x.raw), "w"(w.raw))
struct AddQuads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    OCTET_DOT_PRODUCT("0x4e809c00");  // usdot %0.4s, %1.16b, %2.16b
    return sum;
  }
};
struct AddSignedQuads {
  static HWY_INLINE SumVector add(SumVector sum, SumVector x, SumVector w) {
    OCTET_DOT_PRODUCT("0x4e809400");  // sdot %0.4s, %1.16b, %2.16b
    return sum;
  }
};
#undef OCTET_DOT_PRODUCT
#endif

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
