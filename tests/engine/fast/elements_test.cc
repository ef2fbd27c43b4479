// Every function of every instruction set that this processor has, held to the definitions in octet/spec.
#include "octet/engine/fast/simd/elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "octet/engine/fast/combination.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/quantized/qlinear_mul.h"
#include "octet/spec/quantized/quantize_linear.h"

namespace octet::fast {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr DType kTypes[] = {DType::kUint8, DType::kInt8};
const Arithmetic kDefaultArithmetic;

using Bytes = std::vector<std::uint8_t>;

std::int32_t number(std::uint8_t byte, DType type) {
  return type == DType::kInt8 ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
}
std::uint8_t byte(std::int32_t number) { return static_cast<std::uint8_t>(number); }

// One NaN is as good as another.
std::vector<std::uint32_t> bits(const std::vector<float>& floats) {
  std::vector<std::uint32_t> result;
  for (const float real : floats) result.push_back(std::bit_cast<std::uint32_t>(std::isnan(real) ? kNaN : real));
  return result;
}

// Calls f(count) for vectors of every remainder.
template <typename F>
void for_each_count(F f) {
  for (std::int64_t count = 0; count <= 130; ++count) f(static_cast<std::size_t>(count));
}

Bytes random_bytes(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
  return bytes;
}

// Ordinary ones, ties, and all that is not.
std::vector<float> floats() {
  std::vector<float> result = {0.0F,           -0.0F,         kInfinity, -kInfinity, kNaN,   -kNaN,
                               1e-45F,         -1e-45F,       1e-39F,    3e38F,      -3e38F, 2147483648.0F,
                               -2147483648.0F, 2147483520.0F, 4e9F,      -4e9F,      1e10F};
  result.push_back(std::bit_cast<float>(0x7F800001U));  // a signaling NaN
  for (int half = -700; half <= 700; ++half) result.push_back(static_cast<float>(half) / 2);
  for (int half = -700; half <= 700; ++half) result.push_back(std::nextafter(static_cast<float>(half) / 2, 0.0F));
  std::mt19937 random(2);
  for (int k = 0; k < 2000; ++k) result.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return result;
}

// Ordinary scales, and those of a hostile file.
constexpr float kScales[] = {1.0F,  0.5F,   0.0235F, 0.0039215689F, 3.7F,   1e-9F,     1e9F, 1e-30F,
                             1e30F, 1e-45F, 3e38F,   0.0F,          -0.25F, kInfinity, kNaN};

class EveryTarget : public testing::TestWithParam<const Simd*> {
 protected:
  const Elements& simd() const { return GetParam()->elements; }
};

std::vector<const Simd*> targets() {
  std::vector<const Simd*> result;
  for (const Simd& simd : simd_targets()) result.push_back(&simd);
  return result;
}
INSTANTIATE_TEST_SUITE_P(, EveryTarget, testing::ValuesIn(targets()), [](const auto& target) {
  std::string name(target.param->name);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

// ---- floats and bytes

TEST_P(EveryTarget, QuantizesAsQuantizeLinear) {
  const std::vector<float> x = floats();
  for (const DType type : kTypes)
    for (const float scale : kScales)
      for (const int zero : {0, 1, 100, 127, 128, 255}) {
        const Quantization q = {scale, number(byte(zero), type)};
        Bytes y(x.size()), wanted;
        for (const float real : x) wanted.push_back(byte(quantize_linear(real, q, integer_range(type))));
        simd().quantize(x.data(), std::ssize(x), q, bounds_of(type), y.data());
        ASSERT_EQ(y, wanted) << "scale " << scale << ", zero point " << q.zero_point;
      }
}

TEST_P(EveryTarget, QuantizesWithinBounds) {
  const std::vector<float> x = floats();
  const Quantization q = {0.5F, 7};
  Bytes y(x.size()), wanted;
  for (const float real : x)
    wanted.push_back(byte(std::clamp(quantize_linear(real, q, integer_range(DType::kInt8)), 7, 100)));
  simd().quantize(x.data(), std::ssize(x), q, {7, 100}, y.data());
  EXPECT_EQ(y, wanted);
}

TEST_P(EveryTarget, DequantizesAsDequantizeLinear) {
  Bytes x(256);
  std::iota(x.begin(), x.end(), std::uint8_t{0});
  for (const DType type : kTypes)
    for (const float scale : kScales)
      for (const int zero : {0, 3, 128, 255}) {
        const Quantization q = {scale, number(byte(zero), type)};
        std::vector<float> y(256), wanted;
        for (const std::uint8_t b : x) wanted.push_back(dequantize_linear(number(b, type), q));
        simd().dequantize(x.data(), 256, q, type == DType::kInt8, y.data());
        ASSERT_EQ(bits(y), bits(wanted)) << "scale " << scale;
      }
}

TEST_P(EveryTarget, FindsTheRangeOfDynamicQuantizeLinear) {
  const std::vector<float> all = floats();
  for (std::size_t first = 0; first < all.size(); first += 97)
    for_each_count([&](std::size_t count) {
      if (first + count > all.size()) return;
      float low = 0, high = 0, least = 7, greatest = -7;
      for (std::size_t k = first; k < first + count; ++k) {
        low = std::min(low, all[k]);
        high = std::max(high, all[k]);
      }
      simd().range(all.data() + first, static_cast<std::int64_t>(count), &least, &greatest);
      ASSERT_EQ(bits({least, greatest}), bits({low, high})) << count << " elements from " << first;
    });
}

TEST_P(EveryTarget, AveragesAsQLinearAveragePool) {
  const std::vector<float> start = floats();
  const Bytes x = random_bytes(start.size(), 13), image = random_bytes(3 * start.size(), 14);
  const std::vector<std::int64_t> pixels = {1, 0, 2, 1};
  for (const DType type : kTypes)
    for (const float scale : kScales) {
      const Quantization q = {scale, number(x[7], type)};
      const QuantizedOutput output = quantized_output(type, q.zero_point, ZeroPoint::kBeforeRounding);
      std::vector<float> sums = start, wanted_sums;
      Bytes y(x.size()), wanted;
      for (std::size_t k = 0; k < x.size(); ++k) {
        float sum = 0;
        for (const std::int64_t pixel : pixels)
          sum += dequantize_linear(number(image[static_cast<std::size_t>(pixel) * x.size() + k], type), q);
        wanted_sums.push_back(sum);
        wanted.push_back(byte(quantize_real(start[k] / 9.0F / scale, output, Rounding::kTiesEven)));
      }
      simd().add_up_floats({image.data(), std::ssize(x), pixels}, std::ssize(x), q, type == DType::kInt8, sums.data());
      simd().average(start.data(), std::ssize(x), 9, q, bounds_of(type), y.data());
      ASSERT_EQ(bits(sums), bits(wanted_sums)) << "scale " << scale;
      ASSERT_EQ(y, wanted) << "scale " << scale;
    }
}

TEST_P(EveryTarget, RequantizesEachChannelByItsMultiplier) {
  std::mt19937 random(3);
  std::vector<std::int32_t> sums = {0, 1, -1, 2147483647, -2147483647 - 1, 16777217, -16777217};
  while (sums.size() < 130 * 3) sums.push_back(static_cast<std::int32_t>(random()) >> (random() % 31));
  std::vector<float> multipliers(std::begin(kScales), std::end(kScales));
  while (multipliers.size() < 130)
    multipliers.push_back(
        std::ldexp(1.0F + static_cast<float>(random() % 8388608) / 8388608.0F, -static_cast<int>(random() % 24)));
  for (const DType type : kTypes)
    for_each_count([&](std::size_t columns) {
      const std::int32_t zero_point = number(static_cast<std::uint8_t>(random()), type);
      const QuantizedOutput output = quantized_output(type, zero_point, ZeroPoint::kAfterRounding);
      Bytes y(3 * (columns + 5), 77), wanted = y;
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < columns; ++c)
          wanted[r * (columns + 5) + c] =
              byte(Requantizer(kDefaultArithmetic, multipliers[c], output)(sums[r * 130 + c]));
      const auto count = static_cast<std::int64_t>(columns);
      simd().requantize({sums.data(), 130, 3, count}, multipliers.data(), zero_point, bounds_of(type), y.data(),
                        count + 5);
      ASSERT_EQ(y, wanted) << columns << " columns";
    });
}

TEST_P(EveryTarget, RoundsEachOperationFromSumsToFloats) {
  std::mt19937 random(4);
  std::vector<std::int32_t> sums;
  std::vector<float> multipliers, bias;
  while (sums.size() < 130 * 2) sums.push_back(static_cast<std::int32_t>(random()));
  while (bias.size() < 130) {
    multipliers.push_back(static_cast<float>(random()) * 1e-12F);
    bias.push_back(static_cast<float>(static_cast<std::int32_t>(random())) * 1e-4F);
  }
  for (const bool with_bias : {false, true})
    for_each_count([&](std::size_t columns) {
      const Limits limits = columns % 2 == 0 ? Limits{} : Limits{0, 6};
      std::vector<float> y(2 * (columns + 3), -5.0F), wanted = y;
      for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
          const float by = 0.3F * multipliers[c];
          const float product = static_cast<float>(sums[r * 130 + c]) * by;
          const float real = with_bias ? product + bias[c] : product;
          const float raised = real < limits.low ? limits.low : real;
          wanted[r * (columns + 3) + c] = raised > limits.high ? limits.high : raised;
        }
      const auto count = static_cast<std::int64_t>(columns);
      simd().to_float({sums.data(), 130, 2, count}, multipliers.data(), 0.3F, with_bias ? bias.data() : nullptr, limits,
                      y.data(), count + 3);
      ASSERT_EQ(bits(y), bits(wanted)) << columns << " columns";
    });
}

// ---- two operands

// All pairs of bytes, and what a function makes of them.
class AllPairs {
 public:
  AllPairs() : first_(65536), second_(65536) {
    for (std::size_t k = 0; k < 65536; ++k) {
      first_[k] = static_cast<std::uint8_t>(k / 256);
      second_[k] = static_cast<std::uint8_t>(k % 256);
    }
  }
  void expect(bool product, const Combination::Meanings& m, DType type, const Elements& simd) const {
    const QuantizedBinary f = product ? qlinear_mul(m.first, m.second, m.y, integer_range(type), kDefaultArithmetic)
                                      : qlinear_add(m.first, m.second, m.y, integer_range(type), kDefaultArithmetic);
    Bytes y(65536), wanted(65536);
    for (std::size_t k = 0; k < 65536; ++k) wanted[k] = byte(f(number(first_[k], type), number(second_[k], type)));
    Combination(product, m, type, bounds_of(type), simd)(first_.data(), second_.data(), 65536, y.data());
    ASSERT_EQ(y, wanted) << "scales " << m.first.scale << ", " << m.second.scale << ", " << m.y.scale;
  }

 private:
  Bytes first_, second_;
};

void expect_on_all_pairs(bool product, const Elements& simd) {
  const AllPairs pairs;
  std::mt19937 random(5);
  const auto ordinary = [&] {
    return std::ldexp(1.0F + static_cast<float>(random() % 8388608) / 8388608.0F, -static_cast<int>(random() % 9));
  };
  const auto any_scale = [&] { return kScales[random() % std::size(kScales)]; };
  for (int k = 0; k < 60; ++k) {
    const DType type = kTypes[k % 2];
    const auto zero = [&] { return number(static_cast<std::uint8_t>(random()), type); };
    const auto scale = [&] { return k < 30 ? ordinary() : any_scale(); };
    const Combination::Meanings meanings = {{scale(), zero()}, {scale(), zero()}, {scale(), zero()}};
    pairs.expect(product, meanings, type, simd);
  }
}
TEST_P(EveryTarget, AddsAllPairsAsQLinearAdd) { expect_on_all_pairs(false, simd()); }

TEST_P(EveryTarget, AddsWithOneRoundingWhatFloat64CannotHold) {
  // 3 * ratio is 2.5 and half of a float's last place: it takes 2^-60 to say whether that is above the tie.
  const float ratio = 6990507 * 0x1p-23F;
  for (const float tiny : {0x1p-60F, -0x1p-60F}) {
    AllPairs().expect(false, {{ratio, 0}, {tiny, 0}, {1, 0}}, DType::kUint8, simd());
    AllPairs().expect(false, {{-ratio, 0}, {tiny, 0}, {1, 0}}, DType::kInt8, simd());
  }
}

TEST_P(EveryTarget, MultipliesAllPairsAsQLinearMul) { expect_on_all_pairs(true, simd()); }

TEST_P(EveryTarget, CombinesVectorsOfEveryLengthInPlaceAndWithinBounds) {
  const Bytes a = random_bytes(130, 6), b = random_bytes(130, 7);
  const Combination::Meanings meanings = {{0.02F, 120}, {0.013F, 7}, {0.025F, 100}};
  for (const bool product : {false, true}) {
    const QuantizedBinary f =
        product ? qlinear_mul(meanings.first, meanings.second, meanings.y, {0, 255}, kDefaultArithmetic)
                : qlinear_add(meanings.first, meanings.second, meanings.y, {0, 255}, kDefaultArithmetic);
    for_each_count([&](std::size_t count) {
      Bytes y = a, wanted = a;
      for (std::size_t k = 0; k < count; ++k) wanted[k] = byte(std::clamp(f(a[k], b[k]), 100, 150));
      Combination(product, meanings, DType::kUint8, {100, 150}, simd())(y.data(), b.data(),
                                                                        static_cast<std::int64_t>(count), y.data());
      ASSERT_EQ(y, wanted) << count;
    });
  }
}

// ---- bytes

TEST_P(EveryTarget, ClampsAndTakesMaximaOfBothTypes) {
  const Bytes x = random_bytes(130, 8), z = random_bytes(130, 9);
  for (const DType type : kTypes)
    for_each_count([&](std::size_t count) {
      Bytes clamped(count + 1, 9), greatest = z, wanted = clamped, wanted_greatest = z;
      for (std::size_t k = 0; k < count; ++k) {
        wanted[k] = byte(std::clamp(number(x[k], type), 3, 90));
        wanted_greatest[k] = byte(std::max(number(x[k], type), number(z[k], type)));
      }
      simd().clamp(x.data(), static_cast<std::int64_t>(count), {3, 90}, type == DType::kInt8, clamped.data());
      simd().maximum(x.data(), static_cast<std::int64_t>(count), type == DType::kInt8, greatest.data());
      ASSERT_EQ(clamped, wanted) << count;
      ASSERT_EQ(greatest, wanted_greatest) << count;
    });
}

TEST_P(EveryTarget, SumsBytes) {
  const Bytes x = random_bytes(3 * 131, 10);
  const std::vector<std::int64_t> pixels = {2, 0, 1, 2};
  constexpr std::int32_t kZeroPoint = 2147483600;  // wraps
  for (const DType type : kTypes)
    for_each_count([&](std::size_t count) {
      std::int64_t wanted = 0;
      std::vector<std::int32_t> sums(131, 7), wanted_sums = sums;
      for (std::size_t k = 0; k < count; ++k) {
        wanted += number(x[k], type);
        std::uint32_t sum = 0;
        for (const std::int64_t pixel : pixels)
          sum += static_cast<std::uint32_t>(number(x[static_cast<std::size_t>(pixel) * 131 + k], type)) - kZeroPoint;
        wanted_sums[k] = static_cast<std::int32_t>(sum);
      }
      ASSERT_EQ(simd().sum(x.data(), static_cast<std::int64_t>(count), type == DType::kInt8), wanted) << count;
      simd().add_up({x.data(), 131, pixels}, static_cast<std::int64_t>(count), kZeroPoint, type == DType::kInt8,
                    sums.data());
      ASSERT_EQ(sums, wanted_sums) << count;
    });
}

TEST_P(EveryTarget, LooksUpEveryByte) {
  LookupTable table;
  const Bytes entries = random_bytes(256, 11);
  std::copy(entries.begin(), entries.end(), table.begin());
  Bytes x(1024);
  std::iota(x.begin(), x.end(), std::uint8_t{0});
  for (std::size_t count = 0; count <= x.size(); count += count < 300 ? 1 : 181) {
    Bytes y = x, wanted = x;
    for (std::size_t k = 0; k < count; ++k) wanted[k] = table[x[k]];
    simd().look_up(table, y.data(), static_cast<std::int64_t>(count), y.data());
    ASSERT_EQ(y, wanted) << count;
  }
}

TEST_P(EveryTarget, TransposesMatricesOfEverySize) {
  const Bytes x8 = random_bytes(8000, 12);
  std::vector<std::uint32_t> x32(8000);
  std::iota(x32.begin(), x32.end(), 1U);
  const auto expect = [](const auto& x, const auto& transpose, std::size_t rows, std::size_t columns,
                         std::size_t margin) {
    const std::size_t x_step = columns + margin, y_step = rows + margin;
    auto y = x, wanted = x;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) wanted[c * y_step + r] = x[r * x_step + c];
    const auto s = [](std::size_t size) { return static_cast<std::int64_t>(size); };
    transpose(x.data(), s(x_step), s(rows), s(columns), y.data(), s(y_step));
    ASSERT_EQ(y, wanted) << rows << " x " << columns;
  };
  for (std::size_t rows = 0; rows <= 37; ++rows)
    for (std::size_t columns = 0; columns <= 37; ++columns)
      for (const std::size_t margin : {0U, 3U}) {
        expect(x8, simd().transpose8, rows, columns, margin);
        expect(x32, simd().transpose32, rows, columns, margin);
      }
  for (const std::size_t count : {64U, 65U, 191U, 200U, 401U}) {
    expect(x8, simd().transpose8, 3, count, 0);
    expect(x8, simd().transpose8, count, 3, 0);
    expect(x32, simd().transpose32, 3, count, 0);
    expect(x32, simd().transpose32, count, 3, 0);
  }
}

}  // namespace
}  // namespace octet::fast
