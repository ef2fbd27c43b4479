// tables.cc: bytes through a table.
#include "octet/engine/fast/simd/elements.h"
#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/tables.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/target_parts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using std::int64_t;

#if HWY_TARGET == HWY_AVX3_DL
// The table is four registers; an instruction reads from two of them.
void look_up(const LookupTable& table, const std::uint8_t* x, int64_t count, std::uint8_t* y) {
  __m512i quarters[4];
  for (int i = 0; i < 4; ++i) quarters[i] = _mm512_loadu_si512(table.data() + 64 * i);
  for (int64_t k = 0; k < count; k += 64) {
    const __mmask64 present = count - k >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - k)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(present, x + k);
    const __m512i lower = _mm512_permutex2var_epi8(quarters[0], bytes, quarters[1]);
    const __m512i upper = _mm512_permutex2var_epi8(quarters[2], bytes, quarters[3]);
    _mm512_mask_storeu_epi8(y + k, present, _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), lower, upper));
  }
}
#else
void look_up(const LookupTable& table, const std::uint8_t* x, int64_t count, std::uint8_t* y) {
  int64_t k = 0;
#if HWY_TARGET == HWY_NEON
  const auto quarter = [&](int i) HWY_ATTR { return vld1q_u8_x4(table.data() + 64 * i); };
  const uint8x16x4_t quarters[4] = {quarter(0), quarter(1), quarter(2), quarter(3)};
  for (; k + 16 <= count; k += 16) {
    const uint8x16_t bytes = vld1q_u8(x + k);
    uint8x16_t found = vqtbl4q_u8(quarters[0], bytes);
    found = vqtbx4q_u8(found, quarters[1], vsubq_u8(bytes, vdupq_n_u8(64)));
    found = vqtbx4q_u8(found, quarters[2], vsubq_u8(bytes, vdupq_n_u8(128)));
    found = vqtbx4q_u8(found, quarters[3], vsubq_u8(bytes, vdupq_n_u8(192)));
    vst1q_u8(y + k, found);
  }
#elif HWY_CAP_GE256
  // A look-up in 16 entries takes the low four bits, and gives 0 where the index is negative. Subtracting 16 again and
  // again makes one index after the other negative, for good; so the tables hold what changes from one row of 16 entries
  // to the next. Bytes from 128 on are negative to begin with, and have tables of their own.
  const hn::ScalableTag<std::uint8_t> d;
  const hn::RebindToSigned<decltype(d)> indices;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> rows[16];
  for (int i = 15; i >= 0; --i) {
    rows[i] = hn::LoadDup128(d, table.data() + 16 * i);
    if (i % 8 != 0) rows[i] = hn::Xor(rows[i], hn::LoadDup128(d, table.data() + 16 * (i - 1)));
  }
  const auto sixteen = hn::Set(indices, 16);
  for (; k + lanes <= count; k += lanes) {
    auto lower = hn::BitCast(indices, hn::LoadU(d, x + k));
    auto upper = hn::Xor(lower, hn::Set(indices, -128));
    auto found = hn::Or(hn::TableLookupBytesOr0(rows[0], hn::BitCast(d, lower)),
                        hn::TableLookupBytesOr0(rows[8], hn::BitCast(d, upper)));
    for (int i = 1; i < 8; ++i) {
      lower = hn::SaturatedSub(lower, sixteen);
      upper = hn::SaturatedSub(upper, sixteen);
      found = hn::Xor(found, hn::Xor(hn::TableLookupBytesOr0(rows[i], hn::BitCast(d, lower)),
                                     hn::TableLookupBytesOr0(rows[i + 8], hn::BitCast(d, upper))));
    }
    hn::StoreU(found, d, y + k);
  }
#endif
  for (; k < count; ++k) y[k] = table[x[k]];
}
#endif

void add_tables(Elements& found) { found.look_up = look_up; }

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
