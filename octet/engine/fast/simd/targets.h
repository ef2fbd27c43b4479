// targets.h: the instruction sets that the sources beside this header are compiled for. Include it before anything of
// Highway.
#pragma once

#ifndef OCTET_LEFT_OUT_TARGETS  // a build for checks says which it can do without
#define OCTET_LEFT_OUT_TARGETS 0
#endif

#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | OCTET_LEFT_OUT_TARGETS)
