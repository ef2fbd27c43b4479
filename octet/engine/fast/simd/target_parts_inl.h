// target_parts_inl.h: what each source beside this header adds to the Simd of one target. simd.cc puts it together.
#include <hwy/highway.h>

// Once for each target: https://github.com/google/highway, "-inl.h".
#if defined(OCTET_ENGINE_FAST_SIMD_TARGET_PARTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTET_ENGINE_FAST_SIMD_TARGET_PARTS_INL_H_
#undef OCTET_ENGINE_FAST_SIMD_TARGET_PARTS_INL_H_
#else
#define OCTET_ENGINE_FAST_SIMD_TARGET_PARTS_INL_H_
#endif

#include "octet/engine/fast/simd/elements.h"
#include "octet/engine/fast/simd/float_products.h"
#include "octet/engine/fast/simd/products.h"
#include "octet/engine/fast/simd/transforms.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

Elements make_elements();                     // elements.cc
void add_tables(Elements& found);             // tables.cc
void add_transposes(Elements& found);         // transposes.cc
Products make_products(Extension extension);  // products.cc, on a processor that has the extension
void add_depthwise(Products& found);          // depthwise.cc
void add_widening(Products& found);           // widening.cc
Transforms make_transforms();                 // transforms.cc
FloatProducts make_float_products();          // float_products.cc
void add_windows(FloatProducts& found);       // float_windows.cc
void add_softmax(FloatProducts& found);       // float_softmax.cc

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
