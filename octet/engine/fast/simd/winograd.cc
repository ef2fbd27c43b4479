#include "octet/engine/fast/simd/winograd.h"

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/winograd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// B times a column of six.
template <typename V>
HWY_INLINE void times_b(const V (&d)[6], V (&t)[6]) {
  const auto four = [](V v) HWY_ATTR { return hn::ShiftLeft<2>(v); };
  const auto five = [&](V v) HWY_ATTR { return hn::Add(four(v), v); };
  const V even = hn::Sub(d[4], four(d[2])), odd = hn::Sub(d[3], four(d[1]));
  const V near = hn::Sub(d[4], d[2]), far = hn::ShiftLeft<1>(hn::Sub(d[3], d[1]));
  t[0] = hn::Add(hn::Sub(four(d[0]), five(d[2])), d[4]);
  t[1] = hn::Add(even, odd);
  t[2] = hn::Sub(even, odd);
  t[3] = hn::Add(near, far);
  t[4] = hn::Sub(near, far);
  t[5] = hn::Add(hn::Sub(four(d[1]), five(d[3])), d[5]);
}

// A times a column of six.
template <typename V>
HWY_INLINE void times_a(const V (&m)[6], V (&y)[4]) {
  const V sum = hn::Add(m[1], m[2]), difference = hn::Sub(m[1], m[2]);
  const V sum2 = hn::Add(m[3], m[4]), difference2 = hn::Sub(m[3], m[4]);
  y[0] = hn::Add(hn::Add(m[0], sum), sum2);
  y[1] = hn::Add(difference, hn::ShiftLeft<1>(difference2));
  y[2] = hn::Add(sum, hn::ShiftLeft<2>(sum2));
  y[3] = hn::Add(hn::Add(difference, hn::ShiftLeft<3>(difference2)), hn::ShiftLeft<2>(m[5]));
}

void transform_input(const std::int16_t* x, std::ptrdiff_t row_step, std::ptrdiff_t pixel_step, std::int64_t channels,
                     std::int16_t* y, std::ptrdiff_t position_step) {
  const hn::ScalableTag<std::int16_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t c = 0; c < channels; c += lanes) {
    V half[6][6];  // [row of B][column]
    for (int column = 0; column < 6; ++column) {
      V from[6], to[6];
      for (int row = 0; row < 6; ++row) from[row] = hn::LoadU(d, x + row * row_step + column * pixel_step + c);
      times_b(from, to);
      for (int row = 0; row < 6; ++row) half[row][column] = to[row];
    }
    for (int row = 0; row < 6; ++row) {
      V to[6];
      times_b(half[row], to);
      for (int column = 0; column < 6; ++column) hn::StoreU(to[column], d, y + (row * 6 + column) * position_step + c);
    }
  }
}

void transform_output(const std::int32_t* m, std::ptrdiff_t position_step, const std::int32_t* start,
                      std::int64_t channels, std::int32_t* y, std::ptrdiff_t row_step, std::ptrdiff_t pixel_step) {
  const hn::ScalableTag<std::int32_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V inverse_of_9 = hn::Set(d, 0x38E38E39);
  for (std::int64_t c = 0; c < channels; c += lanes) {
    V half[4][6];
    for (int column = 0; column < 6; ++column) {
      V from[6], to[4];
      for (int row = 0; row < 6; ++row) from[row] = hn::LoadU(d, m + (row * 6 + column) * position_step + c);
      times_a(from, to);
      for (int row = 0; row < 4; ++row) half[row][column] = to[row];
    }
    const V first = hn::LoadU(d, start + c);
    for (int row = 0; row < 4; ++row) {
      V to[4];
      times_a(half[row], to);
      for (int column = 0; column < 4; ++column) {
        const V acc = hn::ShiftRight<6>(hn::Mul(to[column], inverse_of_9));
        hn::StoreU(hn::Add(first, acc), d, y + row * row_step + column * pixel_step + c);
      }
    }
  }
}

Winograd make_winograd() {
  return {.lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<std::int16_t>())),
          .input = transform_input,
          .output = transform_output};
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(make_winograd);

Winograd winograd_for_current_target() { return HWY_DYNAMIC_DISPATCH(make_winograd)(); }

void transform_weights(const std::int16_t* g, std::int16_t* transformed) {
  constexpr int kG[6][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4}, {1, 2, 4}, {1, -2, 4}, {0, 0, 6}};
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 6; ++column) {
      int sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += kG[row][i] * g[i * 3 + j] * kG[column][j];
      transformed[row * 6 + column] = static_cast<std::int16_t>(sum);
    }
}

}  // namespace octet::fast
#endif
