// widening.cc: bytes as products read them.
#include <algorithm>
#include <utility>

#include "octet/engine/fast/simd/products.h"
#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/widening.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/target_parts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Shorts = hn::ScalableTag<std::int16_t>;

// store(k) of vectors that cover `count` elements, the last of them perhaps once more; false where one is too long.
template <typename Store>
HWY_INLINE bool in_whole_vectors(std::int64_t count, Store store) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Shorts()));
  if (count < lanes) return false;
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) store(k);
  if (k < count) store(count - lanes);
  return true;
}

HWY_INLINE void store_zeros(std::int64_t count, std::int16_t* y) {
  const Shorts d;
  if (!in_whole_vectors(count, [&](std::int64_t k) HWY_ATTR { hn::StoreU(hn::Zero(d), d, y + k); }))
    std::fill_n(y, count, std::int16_t{0});
}

template <typename Byte>
void widen_bytes(const WidenedRows& rows, std::int32_t zero_point) {
  const Shorts d;
  const hn::Rebind<Byte, Shorts> bytes;
  const auto zero = hn::Set(d, static_cast<std::int16_t>(zero_point));
  WidenedRows rest = rows;  // pixels that follow one another are one
  if (rest.x_step == rest.channels) rest.channels *= std::exchange(rest.pixels, 1);
  for (; rest.rows > 0; --rest.rows, rest.x += rest.x_row_step, rest.y += rest.y_row_step) {
    const auto* x = reinterpret_cast<const Byte*>(rest.x);
    std::int16_t* y = rest.y;
    store_zeros(rest.before, y);
    y += rest.before;
    for (std::int64_t p = 0; p < rest.pixels; ++p, x += rest.x_step, y += rest.channels)
      if (!in_whole_vectors(rest.channels, [&](std::int64_t k) HWY_ATTR {
            hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(bytes, x + k)), zero), d, y + k);
          }))
        for (std::int64_t k = 0; k < rest.channels; ++k) y[k] = static_cast<std::int16_t>(x[k] - zero_point);
    store_zeros(rest.behind, y);
  }
}
void widen(const WidenedRows& rows, std::int32_t zero_point, bool is_signed) {
  (is_signed ? widen_bytes<std::int8_t> : widen_bytes<std::uint8_t>)(rows, zero_point);
}

void flip(const std::uint8_t* x, std::int64_t count, std::uint8_t* y) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto sign = hn::Set(d, std::uint8_t{0x80});
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) hn::StoreU(hn::Xor(hn::LoadU(d, x + k), sign), d, y + k);
  for (; k < count; ++k) y[k] = static_cast<std::uint8_t>(x[k] ^ 0x80);
}

void add_widening(Products& found) {
  found.widen = widen;
  found.flip = flip;
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
