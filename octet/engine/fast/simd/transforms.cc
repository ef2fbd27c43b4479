#include "octet/engine/fast/simd/transforms.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "octet/engine/fast/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/transforms.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "octet/engine/fast/simd/bytes_inl.h"
#include "octet/engine/fast/simd/target_parts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Each has what is done along one axis. Rows of kG belong to elements; kGroups says how many of those each position has;
// kInputSums are the sums of the rows of B. What comes out is 2^kShift * acc, or 9 times that.
//
// Some rows of the output are computed at a time, so that the registers hold them for all columns: pass k computes those that
// kOutputRows[k] names, of what m(row) gives.

struct Winograd4 {
  static constexpr int kOutputs = 4, kInputs = 6, kElements = 6, kPositions = 6, kStride = 1, kShift = 6;
  static constexpr bool kNinefold = true;
  static constexpr std::uint8_t kGroups[] = {1, 1, 1, 1, 1, 1};
  static constexpr int kG[][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4}, {1, 2, 4}, {1, -2, 4}, {0, 0, 6}};
  static constexpr int kOutputRows[][2] = {{0, 2}, {1, 3}};
  static constexpr int kInputSums[] = {0, -6, 0, 0, 0, 0};

  template <typename V>
  static HWY_INLINE void input_line(const V (&d)[kInputs], V (&t)[kElements]) {
    const V even = hn::Sub(d[4], hn::ShiftLeft<2>(d[2])), odd = hn::Sub(d[3], hn::ShiftLeft<2>(d[1]));
    const V near = hn::Sub(d[4], d[2]), difference = hn::Sub(d[3], d[1]), far = hn::Add(difference, difference);
    t[0] = hn::Add(hn::ShiftLeft<2>(hn::Sub(d[0], d[2])), near);
    t[1] = hn::Add(even, odd);
    t[2] = hn::Sub(even, odd);
    t[3] = hn::Add(near, far);
    t[4] = hn::Sub(near, far);
    t[5] = hn::Sub(hn::Sub(d[5], d[3]), hn::ShiftLeft<2>(difference));
  }
  template <int kPass, typename V, typename Load>
  static HWY_INLINE void output_rows(Load m, V (&y)[2]) {
    if constexpr (kPass == 0) {
      const V sum = hn::Add(m(1), m(2)), sum2 = hn::Add(m(3), m(4));
      y[0] = hn::Add(hn::Add(m(0), sum), sum2);
      y[1] = hn::Add(sum, hn::ShiftLeft<2>(sum2));
    } else {
      const V difference = hn::Sub(m(1), m(2)), difference2 = hn::Sub(m(3), m(4));
      const V twice = hn::Add(difference2, difference2);
      y[0] = hn::Add(difference, twice);
      y[1] = hn::Add(difference, hn::ShiftLeft<2>(hn::Add(twice, m(5))));
    }
  }
};

struct Winograd2 {
  static constexpr int kOutputs = 2, kInputs = 4, kElements = 4, kPositions = 4, kStride = 1, kShift = 2;
  static constexpr bool kNinefold = false;
  static constexpr std::uint8_t kGroups[] = {1, 1, 1, 1};
  static constexpr int kG[][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  static constexpr int kOutputRows[][2] = {{0, 1}};
  static constexpr int kInputSums[] = {0, 2, 0, 0};

  template <typename V>
  static HWY_INLINE void input_line(const V (&d)[kInputs], V (&t)[kElements]) {
    t[0] = hn::Sub(d[0], d[2]);
    t[1] = hn::Add(d[1], d[2]);
    t[2] = hn::Sub(d[2], d[1]);
    t[3] = hn::Sub(d[1], d[3]);
  }
  template <int kPass, typename V, typename Load>
  static HWY_INLINE void output_rows(Load m, V (&y)[2]) {
    const V first = m(1), second = m(2);
    y[0] = hn::Add(m(0), hn::Add(first, second));
    y[1] = hn::Sub(hn::Sub(first, second), m(3));
  }
};

struct Polyphase2 {
  static constexpr int kOutputs = 2, kInputs = 5, kElements = 5, kPositions = 3, kStride = 2, kShift = 0;
  static constexpr bool kNinefold = false;
  static constexpr std::uint8_t kGroups[] = {2, 1, 2};
  static constexpr int kG[][3] = {{1, 0, 0}, {0, 1, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}};
  static constexpr int kOutputRows[][2] = {{0, 1}};
  static constexpr int kInputSums[] = {0, 1, 1, 0, 1};

  template <typename V>
  static HWY_INLINE void input_line(const V (&d)[kInputs], V (&t)[kElements]) {
    t[0] = hn::Sub(d[0], d[2]);
    t[1] = d[1];
    t[2] = d[2];
    t[3] = hn::Sub(d[4], d[2]);
    t[4] = d[3];
  }
  template <int kPass, typename V, typename Load>
  static HWY_INLINE void output_rows(Load m, V (&y)[2]) {
    const V middle = m(1);
    y[0] = hn::Add(m(0), middle);
    y[1] = hn::Add(middle, m(2));
  }
};

struct Polyphase4 {
  static constexpr int kOutputs = 4, kInputs = 9, kElements = 9, kPositions = 5, kStride = 2, kShift = 2;
  static constexpr bool kNinefold = true;
  static constexpr std::uint8_t kGroups[] = {2, 2, 2, 1, 2};
  static constexpr int kG[][3] = {{3, 0, 0}, {0, 6, 0}, {-3, 0, -3}, {0, 3, 0}, {-1, 0, 1},
                                  {0, 3, 0}, {1, 0, 2}, {0, 0, 6},   {0, 6, 0}};
  static constexpr int kOutputRows[][2] = {{0, 2}, {1, 3}};
  static constexpr int kInputSums[] = {0, 0, -2, 2, 0, 0, 0, 0, 0};

  // Even numbers are e, odd ones o.
  template <typename V>
  static HWY_INLINE void input_line(const V (&d)[kInputs], V (&t)[kElements]) {
    const auto twice = [](V v) HWY_ATTR { return hn::Add(v, v); };
    const V near = hn::Sub(d[6], d[4]), difference = hn::Sub(d[2], d[6]);
    t[0] = hn::Sub(twice(hn::Sub(d[0], d[4])), difference);
    t[1] = hn::Sub(d[1], d[5]);
    t[2] = hn::Sub(near, twice(d[2]));
    t[3] = hn::Add(d[3], d[5]);
    t[4] = hn::Add(near, twice(hn::Sub(d[2], d[4])));
    t[5] = hn::Sub(d[5], d[3]);
    t[6] = hn::Sub(d[6], d[2]);
    t[7] = hn::Sub(twice(difference), hn::Sub(d[4], d[8]));
    t[8] = hn::Sub(d[7], d[3]);
  }
  template <int kPass, typename V, typename Load>
  static HWY_INLINE void output_rows(Load m, V (&y)[2]) {
    const V third = m(3);
    if constexpr (kPass == 0) {
      const V sum = hn::Add(m(1), m(2));
      y[0] = hn::Add(hn::Add(m(0), third), sum);
      y[1] = hn::Add(sum, hn::ShiftLeft<2>(third));
    } else {
      const V difference = hn::Sub(m(1), m(2));
      y[0] = hn::Add(difference, hn::Add(third, third));
      y[1] = hn::Add(hn::Add(difference, m(4)), hn::ShiftLeft<3>(third));
    }
  }
};

// In two dimensions: the place of each element, and how many each position has.
template <typename T>
struct Places2 {
  std::int8_t place[T::kElements][T::kElements] = {};
  std::uint8_t in_position[T::kPositions * T::kPositions] = {};

  constexpr Places2() {
    int next = 0, row = 0;
    for (int i = 0; i < T::kPositions; row += T::kGroups[i++])
      for (int j = 0, column = 0; j < T::kPositions; column += T::kGroups[j++]) {
        in_position[i * T::kPositions + j] = static_cast<std::uint8_t>(T::kGroups[i] * T::kGroups[j]);
        for (int r = row; r < row + T::kGroups[i]; ++r)
          for (int c = column; c < column + T::kGroups[j]; ++c) place[r][c] = static_cast<std::int8_t>(next++);
      }
  }
};
template <typename T>
constexpr Places2<T> kPlaces2{};

// What channels of transformed inputs are padded to: whole vectors, and as many units as Matrices wants.
constexpr std::int64_t kPaddedTo = std::max<std::int64_t>(hn::MaxLanes(hn::ScalableTag<std::int16_t>()), 4);

// The same number, of which the compiler does not know that it is the same each time: it would work out the addresses of all
// elements before a loop that most often runs once or twice.
HWY_INLINE std::ptrdiff_t each_time(std::ptrdiff_t step) {
  asm volatile("" : "+r"(step));
  return step;
}

// Places in a row, reached from two of them by multiples of one number, which takes the fewest instructions and registers.
template <typename E>
struct Line {
  E *even, *odd;
  std::ptrdiff_t two;

  HWY_INLINE Line(E* first, std::ptrdiff_t step) : even(first), odd(first + step), two(each_time(2 * step)) {}
  HWY_INLINE E* operator[](int k) const { return (k % 2 == 0 ? even : odd) + k / 2 * two; }
  HWY_INLINE void operator+=(std::ptrdiff_t step) { even += step, odd += step; }
};

// All rows of the result along one axis.
template <typename T, typename V, int... kPasses>
HWY_INLINE void transform_line_back(std::integer_sequence<int, kPasses...>, const V (&m)[T::kPositions],
                                    V (&y)[T::kOutputs]) {
  const auto compute = [&](auto pass) HWY_ATTR {
    V rows[2];
    T::template output_rows<pass>([&](int row) HWY_ATTR { return m[row]; }, rows);
    for (int k = 0; k < 2; ++k) y[T::kOutputRows[pass][k]] = rows[k];
  };
  (compute(std::integral_constant<int, kPasses>()), ...);
}
template <typename T>
constexpr std::make_integer_sequence<int, std::size(T::kOutputRows)> kOutputPasses;

using Shorts = hn::ScalableTag<std::int16_t>;
using ShortVector = hn::Vec<Shorts>;

// lines[line, column, c]: columns of the image, each transformed.
template <typename T, typename Byte>
void transform_columns(const ImageRows& x, std::int64_t columns, std::int64_t padded, std::int16_t* lines) {
  const Shorts d;
  const hn::Rebind<Byte, Shorts> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t inside = std::clamp<std::int64_t>(-x.first, 0, columns);
  const std::int64_t outside = std::clamp<std::int64_t>(x.columns - x.first, inside, columns);
  for (int line = 0; line < T::kElements; ++line) {  // padding is 0
    std::int16_t* const to = lines + line * columns * padded;
    std::fill(to, to + inside * padded, std::int16_t{0});
    std::fill(to + outside * padded, to + columns * padded, std::int16_t{0});
  }
  if (inside == outside) return;
  const Byte* rows[T::kInputs];
  for (int k = 0; k < T::kInputs; ++k) {
    rows[k] = reinterpret_cast<const Byte*>(x.rows[k]) + (x.first + inside) * x.channels;
    asm volatile("" : "+r"(rows[k]));  // else the compiler keeps them in vectors
  }
  ShortVector zeros[T::kElements];  // what the zero point adds to each line
  for (int line = 0; line < T::kElements; ++line)
    zeros[line] = hn::Set(d, static_cast<std::int16_t>(T::kInputSums[line] * x.zero_point));
  const auto transform = [&](std::int64_t from, std::int16_t* to, auto load) HWY_ATTR {
    ShortVector pixels[T::kInputs], transformed[T::kElements];
    for (int k = 0; k < T::kInputs; ++k) pixels[k] = hn::PromoteTo(d, load(rows[k] + from));
    T::input_line(pixels, transformed);
    const Line<std::int16_t> line_of(to, columns * padded);
    for (int line = 0; line < T::kElements; ++line) {
      if (T::kInputSums[line] != 0) transformed[line] = hn::Sub(transformed[line], zeros[line]);
      hn::StoreU(transformed[line], d, line_of[line]);
    }
  };
  const auto whole = [&](const Byte* from) HWY_ATTR { return hn::LoadU(narrow, from); };
  std::int16_t* const first = lines + inside * padded;
  if (x.channels == padded) {  // pixels follow one another without a gap
    for (std::int64_t k = 0; k < (outside - inside) * padded; k += lanes) transform(k, first + k, whole);
    return;
  }
  const std::int64_t until = (x.columns - x.first - inside) * x.channels;  // the end of the rows
  for (std::int64_t column = 0; column < outside - inside; ++column)
    for (std::int64_t c = 0; c < x.channels; c += lanes) {
      const std::int64_t from = column * x.channels + c, left = until - from;
      std::int16_t* const to = first + column * padded + c;
      if (left >= lanes)
        transform(from, to, whole);
      else
        transform(from, to, [&](const Byte* at) HWY_ATTR {
          Byte bytes[hn::MaxLanes(Shorts())] = {};
          std::copy(at, at + left, bytes);
          return hn::LoadU(narrow, bytes);
        });
    }
}

// The elements of one line, of tiles side by side. What two tiles see is read once.
template <typename T, int kLine>
HWY_INLINE void transform_along(const std::int16_t* line, std::int64_t padded, std::int64_t tiles, std::int16_t* y) {
  const Shorts d;
  constexpr int kNew = T::kOutputs * T::kStride, kShared = T::kInputs - kNew;
  ShortVector pixels[T::kInputs], transformed[T::kElements];
  for (int column = 0; column < kShared; ++column, line += padded) pixels[column] = hn::LoadU(d, line);
  for (; tiles > 0; --tiles, y += T::kElements * T::kElements * padded) {
    for (int column = kShared; column < T::kInputs; ++column, line += padded) pixels[column] = hn::LoadU(d, line);
    T::input_line(pixels, transformed);
    for (int column = 0; column < T::kElements; ++column)
      hn::StoreU(transformed[column], d, y + kPlaces2<T>.place[kLine][column] * padded);
    for (int column = 0; column < kShared; ++column) pixels[column] = pixels[column + kNew];
  }
}
template <typename T, int... kLines>
HWY_INLINE void transform_lines(std::integer_sequence<int, kLines...>, const std::int16_t* lines, std::int64_t columns,
                                std::int64_t padded, std::int64_t tiles, std::int16_t* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Shorts()));
  const auto along = [&](auto line) HWY_ATTR {
    for (std::int64_t c = 0; c < padded; c += lanes)
      transform_along<T, line>(lines + line * columns * padded + c, padded, tiles, y + c);
  };
  (along(std::integral_constant<int, kLines>()), ...);
}

template <typename T>
void transform_input(const ImageRows& x, std::int64_t tiles, std::int16_t* meanwhile, std::int16_t* y) {
  const std::int64_t padded = (x.channels + kPaddedTo - 1) / kPaddedTo * kPaddedTo;
  const std::int64_t columns = (tiles - 1) * T::kOutputs * T::kStride + T::kInputs;
  (x.is_signed ? transform_columns<T, std::int8_t> : transform_columns<T, std::uint8_t>)(x, columns, padded, meanwhile);
  transform_lines<T>(std::make_integer_sequence<int, T::kElements>(), meanwhile, columns, padded, tiles, y);
}

using Sums = hn::ScalableTag<std::int32_t>;
using SumVector = hn::Vec<Sums>;

// acc * 2^kShift of what comes out, where that is 9 times as much: modulo 2^32.
template <typename T>
HWY_INLINE SumVector finished(SumVector v) {
  return T::kNinefold ? hn::Mul(v, hn::Set(Sums(), 0x38E38E39)) : v;  // 9 times it is 1
}

// The sums of two rows of a tile, one for each output pixel.
template <typename T>
using RowSums = SumVector[2][T::kOutputs];

// store(first row, second row, their sums) for two rows.
template <typename T, int kPass, typename Store>
HWY_INLINE void transform_sum_rows(const std::int32_t* m, std::ptrdiff_t next, Store store) {
  const Sums d;
  SumVector half[2][T::kPositions];
  Line<const std::int32_t> column_of_m(m, T::kPositions * next);
  for (int column = 0; column < T::kPositions; ++column, column_of_m += next) {
    SumVector rows[2];
    T::template output_rows<kPass>([&](int row) HWY_ATTR { return hn::LoadU(d, column_of_m[row]); }, rows);
    half[0][column] = rows[0], half[1][column] = rows[1];
  }
  RowSums<T> sums;
  for (int k = 0; k < 2; ++k) transform_line_back<T>(kOutputPasses<T>, half[k], sums[k]);
  store(T::kOutputRows[kPass][0], T::kOutputRows[kPass][1], sums);
}
// The same for all rows.
template <typename T, typename Store, int... kPasses>
HWY_INLINE void transform_sums(std::integer_sequence<int, kPasses...>, const std::int32_t* m, std::int64_t channels,
                               Store store) {
  (transform_sum_rows<T, kPasses>(m, each_time(channels), store), ...);
}
template <typename T>
void transform_output(const std::int32_t* m, std::int64_t channels, std::int64_t tiles, std::int32_t* y,
                      std::ptrdiff_t row_step, std::ptrdiff_t pixel_step) {
  const Sums d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; tiles > 0; --tiles, m += T::kPositions * T::kPositions * channels, y += T::kOutputs * pixel_step)
    for (std::int64_t c = 0; c < channels; c += lanes)
      transform_sums<T>(kOutputPasses<T>, m + c, channels, [&](int first, int second, const RowSums<T>& sums) HWY_ATTR {
        for (int column = 0; column < T::kOutputs; ++column) {
          std::int32_t* const to = y + column * pixel_step + c;
          hn::StoreU(hn::ShiftRight<T::kShift>(finished<T>(sums[0][column])), d, to + first * row_step);
          hn::StoreU(hn::ShiftRight<T::kShift>(finished<T>(sums[1][column])), d, to + second * row_step);
        }
      });
}

#if HWY_TARGET == HWY_AVX2
// The bytes of four pixels, 8 channels of each.
HWY_INLINE void store_pixels(const Packing& packing, const hn::Vec<hn::ScalableTag<float>>* floats,
                             std::uint8_t* const (&to)[4]) {
  const auto [first, second] =
      packing.pack_by_two<Overflow::kGivesLeast>(floats[0].raw, floats[1].raw, floats[2].raw, floats[3].raw);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to[0]), first);
  _mm_storeh_pd(reinterpret_cast<double*>(to[1]), _mm_castsi128_pd(first));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to[2]), second);
  _mm_storeh_pd(reinterpret_cast<double*>(to[3]), _mm_castsi128_pd(second));
}
#endif

// kInFloat: 9 * acc is whole as a float, and divided there.
template <typename T, bool kInFloat>
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
  const auto real = [&](SumVector v) HWY_ATTR {
    if constexpr (kInFloat)
      return hn::Mul(hn::ConvertTo(d, v), hn::Set(d, 1.0F / 9));
    else
      return hn::ConvertTo(d, finished<T>(v));
  };
  for (; tiles > 0; --tiles, m += T::kPositions * T::kPositions * channels, y += T::kOutputs * pixel_step)
    for (std::int64_t c = 0; c < channels; c += lanes) {
      const V multipliers = hn::LoadU(d, requantization.multipliers + c);
      transform_sums<T>(kOutputPasses<T>, m + c, channels, [&](int first, int second, const RowSums<T>& sums) HWY_ATTR {
        constexpr int kCount = 2 * T::kOutputs;
        V floats[kCount];
        std::uint8_t* to[kCount];
        for (int k = 0; k < kCount; ++k) {
          const int row = k / T::kOutputs, column = k % T::kOutputs;
          floats[k] = hn::Mul(real(sums[row][column]), multipliers);
          to[k] = y + (row == 0 ? first : second) * row_step + column * pixel_step + c;
        }
#if HWY_TARGET == HWY_AVX2
        for (int k = 0; k < kCount; k += 4) store_pixels(packing, floats + k, {to[k], to[k + 1], to[k + 2], to[k + 3]});
#else
      for (int k = 0; k < kCount; ++k) saturation.store(d, floats[k], to[k]);
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
  static_assert(T::kInputs <= kMostInputs);
  return {.name = name,
          .outputs = T::kOutputs,
          .stride = T::kStride,
          .inputs = T::kInputs,
          .lines = T::kElements,
          .positions = T::kPositions * T::kPositions,
          .elements = T::kElements * T::kElements,
          .in_position = kPlaces2<T>.in_position,
          .scale = limits.scale,
          .limit = limits.sum,
          .weight_limit = limits.weight,
          .shift = T::kShift,
          .small_limit = ((1 << 24) - 1) / 9 + 1,
          .start_position = T::kPositions + 1,
          .input = transform_input<T>,
          .output = transform_output<T>,
          .output_bytes = transform_output_bytes<T, false>,
          .output_small_bytes = transform_output_bytes<T, T::kNinefold>,
          .weights = transform_weights<T>};
}

Transforms make_transforms() {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  return {.padded_to = kPaddedTo,
          .winograd4 = transform<Winograd4>("Winograd F(4x4)", {576, 1 << 25, 128}),
          .winograd2 = transform<Winograd2>("Winograd F(2x2)", {4, 1 << 29, 255}),
          .polyphase4 = transform<Polyphase4>("polyphase F(4x4)", {36, 1 << 29, 255}),
          .polyphase2 = transform<Polyphase2>("polyphase F(2x2)", {1, kNoLimit, 255})};
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
