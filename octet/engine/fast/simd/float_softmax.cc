// float_softmax.cc: softmax_row.h, eight elements at a time where a vector holds so many.
#include "octet/engine/fast/simd/float_products.h"
#include "octet/engine/fast/simd/targets.h"
#include "octet/spec/softmax_row.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/float_softmax.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/target_parts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX2
namespace hn = hwy::HWY_NAMESPACE;

using Eight = hn::CappedTag<float, 8>;
using EightVector = hn::Vec<Eight>;

// ort_exp_of_negative
HWY_INLINE EightVector exp_of_negative(EightVector given) {
  const Eight d;
  const hn::RebindToSigned<Eight> bits;
  const EightVector bias = hn::Set(d, 12582912.0F);
  const EightVector x = hn::Max(given, hn::Set(d, -88.3762626647949F));
  const EightVector biased = hn::MulAdd(x, hn::Set(d, 1.44269504088896341F), bias), m = hn::Sub(biased, bias);
  EightVector r = hn::MulAdd(m, hn::Set(d, -6.93145752e-1F), x);
  r = hn::MulAdd(m, hn::Set(d, -1.42860677e-6F), r);
  EightVector p = hn::Set(d, 0x1.694000p-10F);
  for (const float next : {0x1.125edcp-7F, 0x1.555b5ap-5F, 0x1.555450p-3F, 0x1.fffff6p-2F, 1.0F, 1.0F})
    p = hn::MulAdd(p, r, hn::Set(d, next));
  const auto exponent = hn::Sub(hn::BitCast(bits, biased), hn::BitCast(bits, bias));
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(exponent, hn::Set(bits, 127))));
  return hn::IfThenElse(hn::IsNaN(given), given, hn::Mul(p, power));
}

void softmax(const float* x, std::int64_t length, float* y) {
  const Eight d;
  const std::int64_t whole = length / 8 * 8;
  const auto rest = hn::FirstN(d, static_cast<std::size_t>(length - whole));
  const EightVector lowest = hn::Set(d, std::numeric_limits<float>::lowest());
  // Whatever becomes of a NaN here: its exponential makes one of the sum, and so of the whole row.
  EightVector greatest = hn::Max(hn::IfThenElse(rest, hn::MaskedLoad(rest, d, x + whole), lowest), lowest);
  for (std::int64_t k = 0; k < whole; k += 8) greatest = hn::Max(hn::LoadU(d, x + k), greatest);
  const EightVector maximum = hn::MaxOfLanes(d, greatest);
  EightVector sums = hn::Zero(d);
  for (std::int64_t k = 0; k < whole; k += 8) {
    const EightVector e = exp_of_negative(hn::Sub(hn::LoadU(d, x + k), maximum));
    hn::StoreU(e, d, y + k);
    sums = hn::Add(sums, e);
  }
  const EightVector last = exp_of_negative(hn::Sub(hn::MaskedLoad(rest, d, x + whole), maximum));
  sums = hn::Add(sums, hn::IfThenElseZero(rest, last));
  float lanes[8];
  hn::StoreU(sums, d, lanes);
  const EightVector inverse = hn::Set(d, 1 / total_of_eight(lanes));
  for (std::int64_t k = 0; k < whole; k += 8) hn::StoreU(hn::Mul(hn::LoadU(d, y + k), inverse), d, y + k);
  hn::BlendedStore(hn::Mul(last, inverse), rest, d, y + whole);
}
#else
void softmax(const float* x, std::int64_t length, float* y) { softmax_row(x, y, length); }
#endif

void add_softmax(FloatProducts& found) { found.softmax = softmax; }

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
