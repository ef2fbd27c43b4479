#include "octet/engine/fast/simd/transforms.h"

#include <algorithm>
#include <limits>

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/transforms.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/bytes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Each has what is done along one axis. Rows of kG belong to elements; kGroups says how many of those each position has.

struct Winograd4 {
  static constexpr int kOutputs = 4, kInputs = 6, kElements = 6, kPositions = 6, kStride = 1, kShift = 6;
  static constexpr std::int8_t kGroups[] = {1, 1, 1, 1, 1, 1};
  static constexpr int kG[][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4}, {1, 2, 4}, {1, -2, 4}, {0, 0, 6}};

  template <typename V>
  static HWY_INLINE void input(const V (&d)[6], V (&t)[6]) {
    const V d1 = hn::ShiftLeft<2>(d[1]), d2 = hn::ShiftLeft<2>(d[2]);
    const V even = hn::Sub(d[4], d2), odd = hn::Sub(d[3], d1);
    const V near = hn::Sub(d[4], d[2]), difference = hn::Sub(d[3], d[1]), far = hn::Add(difference, difference);
    t[0] = hn::Add(hn::ShiftLeft<2>(hn::Sub(d[0], d[2])), near);
    t[1] = hn::Add(even, odd);
    t[2] = hn::Sub(even, odd);
    t[3] = hn::Add(near, far);
    t[4] = hn::Sub(near, far);
    t[5] = hn::Sub(hn::Sub(d[5], d[3]), hn::ShiftLeft<2>(difference));
  }
  template <typename V>
  static HWY_INLINE void output(const V (&m)[6], V (&y)[4]) {
    const V sum = hn::Add(m[1], m[2]), difference = hn::Sub(m[1], m[2]);
    const V sum2 = hn::Add(m[3], m[4]), difference2 = hn::Sub(m[3], m[4]);
    y[0] = hn::Add(hn::Add(m[0], sum), sum2);
    y[1] = hn::Add(difference, hn::Add(difference2, difference2));
    y[2] = hn::Add(sum, hn::ShiftLeft<2>(sum2));
    y[3] = hn::Add(difference, hn::ShiftLeft<2>(hn::Add(hn::Add(difference2, difference2), m[5])));
  }
  template <typename V>
  static HWY_INLINE V finish(V v) {
    return hn::Mul(v, hn::Set(hn::DFromV<V>(), 0x38E38E39));  // 9 times it is 1
  }
};

struct Winograd2 {
  static constexpr int kOutputs = 2, kInputs = 4, kElements = 4, kPositions = 4, kStride = 1, kShift = 2;
  static constexpr std::int8_t kGroups[] = {1, 1, 1, 1};
  static constexpr int kG[][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};

  template <typename V>
  static HWY_INLINE void input(const V (&d)[4], V (&t)[4]) {
    t[0] = hn::Sub(d[0], d[2]);
    t[1] = hn::Add(d[1], d[2]);
    t[2] = hn::Sub(d[2], d[1]);
    t[3] = hn::Sub(d[1], d[3]);
  }
  template <typename V>
  static HWY_INLINE void output(const V (&m)[4], V (&y)[2]) {
    y[0] = hn::Add(m[0], hn::Add(m[1], m[2]));
    y[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
  }
  template <typename V>
  static HWY_INLINE V finish(V v) {
    return v;
  }
};

struct Polyphase {
  static constexpr int kOutputs = 2, kInputs = 5, kElements = 5, kPositions = 3, kStride = 2, kShift = 0;
  static constexpr std::int8_t kGroups[] = {2, 1, 2};
  static constexpr int kG[][3] = {{1, 0, 0}, {0, 1, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}};

  template <typename V>
  static HWY_INLINE void input(const V (&d)[5], V (&t)[5]) {
    t[0] = hn::Sub(d[0], d[2]);
    t[1] = d[1];
    t[2] = d[2];
    t[3] = hn::Sub(d[4], d[2]);
    t[4] = d[3];
  }
  template <typename V>
  static HWY_INLINE void output(const V (&m)[3], V (&y)[2]) {
    y[0] = hn::Add(m[0], m[1]);
    y[1] = hn::Add(m[1], m[2]);
  }
  template <typename V>
  static HWY_INLINE V finish(V v) {
    return v;
  }
};

// In two dimensions: the place of each element, and how many each position has.
template <typename T>
struct Places2 {
  std::int8_t place[T::kElements][T::kElements] = {};
  std::int8_t in_position[T::kPositions * T::kPositions] = {};

  constexpr Places2() {
    int next = 0, row = 0;
    for (int i = 0; i < T::kPositions; row += T::kGroups[i++])
      for (int j = 0, column = 0; j < T::kPositions; column += T::kGroups[j++]) {
        in_position[i * T::kPositions + j] = static_cast<std::int8_t>(T::kGroups[i] * T::kGroups[j]);
        for (int r = row; r < row + T::kGroups[i]; ++r)
          for (int c = column; c < column + T::kGroups[j]; ++c) place[r][c] = static_cast<std::int8_t>(next++);
      }
  }
};
template <typename T>
constexpr Places2<T> kPlaces2{};

// What channels of transformed inputs are padded to: whole vectors, and units by two (Matrix::units).
constexpr std::int64_t kPaddedTo = std::max<std::int64_t>(hn::MaxLanes(hn::ScalableTag<std::int16_t>()), 4);

// The same number, of which the compiler does not know that it is the same each time: it would work out the addresses of all
// elements before a loop that most often runs once or twice.
HWY_INLINE std::ptrdiff_t each_time(std::ptrdiff_t step) {
  asm volatile("" : "+r"(step));
  return step;
}

template <typename T>
void transform_input(const std::int16_t* x, std::ptrdiff_t row_step, std::ptrdiff_t pixel_step, std::int64_t channels,
                     std::int64_t tiles, std::int16_t* y) {
  const hn::ScalableTag<std::int16_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t padded = (channels + kPaddedTo - 1) / kPaddedTo * kPaddedTo;
  for (; tiles > 0; --tiles, x += T::kOutputs * T::kStride * pixel_step, y += T::kElements * T::kElements * padded)
    for (std::int64_t c = 0; c < channels; c += lanes) {
      V half[T::kElements][T::kInputs];
      const std::ptrdiff_t down = each_time(row_step), right = each_time(pixel_step);
      const std::int16_t* column_of_x = x + c;
      for (int column = 0; column < T::kInputs; ++column, column_of_x += right) {
        V from[T::kInputs], to[T::kElements];
        for (int row = 0; row < T::kInputs; ++row) from[row] = hn::LoadU(d, column_of_x + row * down);
        T::input(from, to);
        for (int row = 0; row < T::kElements; ++row) half[row][column] = to[row];
      }
      const std::ptrdiff_t next = each_time(padded);
      for (int row = 0; row < T::kElements; ++row) {
        V to[T::kElements];
        T::input(half[row], to);
        for (int column = 0; column < T::kElements; ++column)
          hn::StoreU(to[column], d, y + kPlaces2<T>.place[row][column] * next + c);
      }
    }
}

using Sums = hn::ScalableTag<std::int32_t>;
using SumVector = hn::Vec<Sums>;

// store(row, acc of the pixels of a row, times 2^kShift) for all rows.
template <typename T, typename Store>
HWY_INLINE void transform_sums(const std::int32_t* m, std::int64_t channels, Store store) {
  const Sums d;
  SumVector half[T::kOutputs][T::kPositions];
  const std::ptrdiff_t next = each_time(channels);
  for (int column = 0; column < T::kPositions; ++column) {
    SumVector from[T::kPositions], to[T::kOutputs];
    for (int row = 0; row < T::kPositions; ++row) from[row] = hn::LoadU(d, m + (row * T::kPositions + column) * next);
    T::output(from, to);
    for (int row = 0; row < T::kOutputs; ++row) half[row][column] = to[row];
  }
  for (int row = 0; row < T::kOutputs; ++row) {
    SumVector to[T::kOutputs];
    T::output(half[row], to);
    for (SumVector& v : to) v = T::finish(v);
    store(row, to);
  }
}

template <typename T>
void transform_output(const std::int32_t* m, std::int64_t channels, std::int64_t tiles, std::int32_t* y,
                      std::ptrdiff_t row_step, std::ptrdiff_t pixel_step) {
  const Sums d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; tiles > 0; --tiles, m += T::kPositions * T::kPositions * channels, y += T::kOutputs * pixel_step)
    for (std::int64_t c = 0; c < channels; c += lanes)
      transform_sums<T>(m + c, channels, [&](int row, const SumVector(&sums)[T::kOutputs]) HWY_ATTR {
        for (int column = 0; column < T::kOutputs; ++column)
          hn::StoreU(hn::ShiftRight<T::kShift>(sums[column]), d, y + row * row_step + column * pixel_step + c);
      });
}

// Four pixels at a time, where vectors have 8 lanes: each row of a tile, or two of them.
template <typename T>
void transform_output_bytes(const std::int32_t* m, std::int64_t channels, std::int64_t tiles,
                            const Requantization& requantization, std::uint8_t* y, std::ptrdiff_t row_step,
                            std::ptrdiff_t pixel_step) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Saturation saturation = {requantization.bounds, requantization.zero_point};
#if HWY_TARGET == HWY_AVX2
  const Packing packing(saturation);
#endif
  for (; tiles > 0; --tiles, m += T::kPositions * T::kPositions * channels, y += T::kOutputs * pixel_step)
    for (std::int64_t c = 0; c < channels; c += lanes) {
      const V multipliers = hn::LoadU(d, requantization.multipliers + c);
      [[maybe_unused]] V before[2] = {multipliers, multipliers};  // the pixels of the row before
      transform_sums<T>(m + c, channels, [&](int row, const SumVector(&sums)[T::kOutputs]) HWY_ATTR {
        V reals[T::kOutputs];
        for (int column = 0; column < T::kOutputs; ++column)
          reals[column] = hn::Mul(hn::ConvertTo(d, sums[column]), multipliers);
        std::uint8_t* const to = y + row * row_step + c;
#if HWY_TARGET == HWY_AVX2
        const auto store = [](__m128i bytes, std::uint8_t* first, std::uint8_t* second) HWY_ATTR {
          _mm_storel_epi64(reinterpret_cast<__m128i*>(first), bytes);
          _mm_storeh_pd(reinterpret_cast<double*>(second), _mm_castsi128_pd(bytes));
        };
        if constexpr (T::kOutputs == 4) {
          const __m256i bytes =
              packing.pack<Overflow::kGivesLeast>(reals[0].raw, reals[1].raw, reals[2].raw, reals[3].raw);
          store(_mm256_castsi256_si128(bytes), to, to + pixel_step);
          store(_mm256_extracti128_si256(bytes, 1), to + 2 * pixel_step, to + 3 * pixel_step);
        } else if (row == 0) {
          before[0] = reals[0], before[1] = reals[1];
        } else {
          const __m256i bytes =
              packing.pack<Overflow::kGivesLeast>(before[0].raw, before[1].raw, reals[0].raw, reals[1].raw);
          store(_mm256_castsi256_si128(bytes), to - row_step, to - row_step + pixel_step);
          store(_mm256_extracti128_si256(bytes, 1), to, to + pixel_step);
        }
#else
      for (int column = 0; column < T::kOutputs; ++column)
        saturation.store(d, reals[column], to + column * pixel_step);
#endif
      });
    }
}

template <typename T>
void transform_weights(const std::int16_t* g, std::int16_t* transformed) {
  for (int row = 0; row < T::kElements; ++row)
    for (int column = 0; column < T::kElements; ++column) {
      int sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += T::kG[row][i] * g[i * 3 + j] * T::kG[column][j];
      transformed[kPlaces2<T>.place[row][column]] = static_cast<std::int16_t>(sum);
    }
}

struct Limits3 {
  std::int64_t scale, sum, weight;
};

template <typename T>
Transform transform(std::string_view name, Limits3 limits) {
  return {.name = name,
          .outputs = T::kOutputs,
          .stride = T::kStride,
          .positions = T::kPositions * T::kPositions,
          .elements = T::kElements * T::kElements,
          .in_position = kPlaces2<T>.in_position,
          .scale = limits.scale,
          .limit = limits.sum,
          .weight_limit = limits.weight,
          .shift = T::kShift,
          .start_position = T::kPositions + 1,
          .input = transform_input<T>,
          .output = transform_output<T>,
          .output_bytes = transform_output_bytes<T>,
          .weights = transform_weights<T>};
}

Transforms make_transforms() {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  return {.padded_to = kPaddedTo,
          .winograd4 = transform<Winograd4>("Winograd F(4x4)", {576, 1 << 25, 128}),
          .winograd2 = transform<Winograd2>("Winograd F(2x2)", {4, 1 << 29, 255}),
          .polyphase = transform<Polyphase>("polyphase F(2x2)", {1, kNoLimit, 255})};
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(make_transforms);

Transforms transforms_for_current_target() { return HWY_DYNAMIC_DISPATCH(make_transforms)(); }

}  // namespace octet::fast
#endif
