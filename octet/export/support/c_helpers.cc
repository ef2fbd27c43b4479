#include "octet/export/support/c_helpers.h"

#include <algorithm>
#include <span>
#include <vector>

#include "octet/base/fail.h"
#include "octet/export/support/c_step.h"
#include "octet/spec/ort_exp.h"
#include "octet/spec/ort_sigmoid.h"

namespace octet {
namespace {

struct CHelper {
  std::string name;
  std::vector<std::string> needs;
  std::string text;
};

// fused_chain of a variable, in C.
std::string chain_text(const std::string& sum, const std::string& x, std::span<const float> c) {
  std::string text = fmt::format("  float {} = fused({}, {}, {});\n", sum, c_float(c[0]), x, c_float(c[1]));
  for (const float next : c.subspan(2)) text += fmt::format("  {0} = fused({0}, {1}, {2});\n", sum, x, c_float(next));
  return text;
}

// Four columns by two rows of weights, so that what is loaded is used several times; and one column, for a single one.
std::string multiply_text(const std::string& type, const std::string& name) {
  return R"(/* sums[p][j] = Sum_k x[p][k] * w[j][k], of four columns x and two rows w */
static void )" +
         name + R"(_4(const int16_t *restrict x, const )" + type + R"( *restrict w, ptrdiff_t k, int32_t *restrict sums,
                        ptrdiff_t stride) {
  const int16_t *const x0 = x, *const x1 = x0 + k, *const x2 = x1 + k, *const x3 = x2 + k;
  const )" +
         type + R"( *const w0 = w, *const w1 = w0 + k;
  int32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0, s20 = 0, s21 = 0, s30 = 0, s31 = 0;
  for (ptrdiff_t i = 0; i < k; ++i) {
    const int16_t a = w0[i], b = w1[i];
    s00 += x0[i] * a;
    s01 += x0[i] * b;
    s10 += x1[i] * a;
    s11 += x1[i] * b;
    s20 += x2[i] * a;
    s21 += x2[i] * b;
    s30 += x3[i] * a;
    s31 += x3[i] * b;
  }
  sums[0] = s00;
  sums[1] = s01;
  sums[stride] = s10;
  sums[stride + 1] = s11;
  sums[2 * stride] = s20;
  sums[2 * stride + 1] = s21;
  sums[3 * stride] = s30;
  sums[3 * stride + 1] = s31;
}

)";
}

std::string multiply_one_text(const std::string& type, const std::string& name) {
  return R"(/* sums[j] = Sum_k x[k] * w[j][k], of one column x and two rows w */
static void )" +
         name + R"(_1(const int16_t *restrict x, const )" + type +
         R"( *restrict w, ptrdiff_t k, int32_t *restrict sums) {
  const )" +
         type + R"( *const w0 = w, *const w1 = w0 + k;
  int32_t s0 = 0, s1 = 0;
  for (ptrdiff_t i = 0; i < k; ++i) {
    const int16_t a = w0[i], b = w1[i];
    s0 += x[i] * a;
    s1 += x[i] * b;
  }
  sums[0] = s0;
  sums[1] = s1;
}

)";
}

std::string widen_text(const std::string& type, const std::string& name) {
  return "static void " + name + "(int16_t *restrict to, const " + type + R"( *restrict from, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; ++i) to[i] = from[i];
}

)";
}

// In the order in which a file has them.
const std::vector<CHelper>& all_helpers() {
  static const std::vector<CHelper> helpers = {
      {"wrap", {}, R"(/* What 32 bits hold of a sum, two's complement. */
static inline int32_t wrap(uint32_t bits) {
  return bits <= INT32_MAX ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
}

)"},
      {"add_wrapping",
       {"wrap"},
       R"(static inline int32_t add_wrapping(int32_t a, int32_t b) { return wrap((uint32_t)a + (uint32_t)b); }

)"},
      {"shift_down", {}, R"(/* floor(value / 2^shift): C leaves a right shift of negative numbers to the compiler. */
static inline int64_t shift_down(int64_t value, int shift) { return value >= 0 ? value >> shift : ~(~value >> shift); }

)"},
      {"shift_down_32", {}, R"(static inline int32_t shift_down_32(int32_t value, int shift) {
  return value >= 0 ? value >> shift : ~(~value >> shift);
}

)"},
      {"saturate", {}, R"(static inline int32_t saturate(int64_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : (int32_t)value;
}

)"},
      {"saturate_32", {}, R"(static inline int32_t saturate_32(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

)"},
      {"fill", {}, R"(static void fill(int16_t *to, int16_t value, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; ++i) to[i] = value;
}

)"},
      {"widen_int8_t", {}, widen_text("int8_t", "widen_int8_t")},
      {"widen_uint8_t", {}, widen_text("uint8_t", "widen_uint8_t")},
      {"multiply_int8_t_4", {}, multiply_text("int8_t", "multiply_int8_t")},
      {"multiply_int8_t_1", {}, multiply_one_text("int8_t", "multiply_int8_t")},
      {"multiply_int16_t_4", {}, multiply_text("int16_t", "multiply_int16_t")},
      {"multiply_int16_t_1", {}, multiply_one_text("int16_t", "multiply_int16_t")},
      {"add_starts", {"add_wrapping"}, R"(/* acc = start + sum, in 32 bits that wrap */
static void add_starts(int32_t *restrict sums, const int32_t *restrict starts, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; ++i) sums[i] = add_wrapping(sums[i], starts[i]);
}

)"},
      {"add_start", {"add_wrapping"}, R"(static void add_start(int32_t *sums, int32_t start, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; ++i) sums[i] = add_wrapping(sums[i], start);
}

)"},
      {"requantize_channels",
       {},
       R"(/* q = saturate((acc * m + addend) >> shift), with constants of each channel; |acc * m + addend| < 2^62. The shift rounds
 * down: 2^62 is added first, so that nothing negative is shifted. */
static void requantize_channels(const int32_t *restrict acc, int32_t *restrict q, ptrdiff_t count,
                                const int32_t *restrict m, const int64_t *restrict addend,
                                const uint8_t *restrict shift, int32_t low, int32_t high) {
  const uint64_t above = (uint64_t)1 << 62;
  for (ptrdiff_t i = 0; i < count; ++i) {
    const int64_t sum = (int64_t)acc[i] * m[i] + addend[i];
    const int64_t t = (int64_t)(((uint64_t)sum + above) >> shift[i]) - (int64_t)(above >> shift[i]);
    q[i] = t < low ? low : t > high ? high : (int32_t)t;
  }
}

)"},
      {"requantize_wide_channels",
       {"shift_down", "saturate"},
       R"(/* q = saturate((acc * m + addend) >> shift), with constants of each channel; the sum fits 64 bits */
static void requantize_wide_channels(const int32_t *restrict acc, int32_t *restrict q, ptrdiff_t count,
                                     const int32_t *restrict m, const int64_t *restrict addend,
                                     const uint8_t *restrict shift, int32_t low, int32_t high) {
  for (ptrdiff_t i = 0; i < count; ++i)
    q[i] = saturate(shift_down((int64_t)acc[i] * m[i] + addend[i], shift[i]), low, high);
}

)"},
      {"requantize_all",
       {"shift_down", "saturate"},
       R"(/* q = saturate((acc * m + addend) >> shift), with the same constants for all */
static void requantize_all(const int32_t *restrict acc, int32_t *restrict q, ptrdiff_t count, int32_t m,
                           int64_t addend, int shift, int32_t low, int32_t high) {
  for (ptrdiff_t i = 0; i < count; ++i)
    q[i] = saturate(shift_down((int64_t)acc[i] * m + addend, shift), low, high);
}

)"},
      {"channel_exception",
       {},
       R"(/* Accumulators of a channel with a value of their own: float32 rounded these products in another direction. */
struct channel_exception {
  int32_t channel, first, last, value;
};
static void except_channels(const int32_t *acc, int32_t *q, const struct channel_exception *exceptions,
                            ptrdiff_t count) {
  for (ptrdiff_t e = 0; e < count; ++e) {
    const int32_t sum = acc[exceptions[e].channel];
    if (exceptions[e].first <= sum && sum <= exceptions[e].last) q[exceptions[e].channel] = exceptions[e].value;
  }
}

)"},
      {"exception", {}, R"(/* Accumulators with a value of their own. */
struct exception {
  int32_t first, last, value;
};
static void except_all(const int32_t *acc, int32_t *q, ptrdiff_t length, const struct exception *exceptions,
                       ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < length; ++i)
    for (ptrdiff_t e = 0; e < count; ++e)
      if (exceptions[e].first <= acc[i] && acc[i] <= exceptions[e].last) q[i] = exceptions[e].value;
}

)"},
      {"pair_exception", {}, R"(/* Pairs (a, b) with a value of their own: b from first to last. */
struct pair_exception {
  int32_t a, first, last, value;
};
static int32_t except_pair(int32_t q, int32_t a, int32_t b, const struct pair_exception *exceptions, ptrdiff_t count) {
  for (ptrdiff_t e = 0; e < count; ++e)
    if (exceptions[e].a == a && exceptions[e].first <= b && b <= exceptions[e].last) q = exceptions[e].value;
  return q;
}

)"},
      {"clamp", {}, R"(static void clamp(int32_t *q, ptrdiff_t count, int32_t low, int32_t high) {
  for (ptrdiff_t i = 0; i < count; ++i) q[i] = q[i] < low ? low : q[i] > high ? high : q[i];
}

)"},
      {"round_small",
       {},
       R"(/* To nearest, ties to even, of |t| <= 2^22: adding 1.5 * 2^23 leaves no bits for a fraction. */
static inline int32_t round_small(float t) { return (int32_t)((t + 12582912.0f) - 12582912.0f); }

)"},
      {"quantize", {"round_small"}, R"(/* saturate(round_ties_even(t) + zero_point), in [low, high]; NaN gives low */
static inline int32_t quantize(float t, int32_t zero_point, int32_t low, int32_t high) {
  const float least = (float)(low - zero_point), most = (float)(high - zero_point);
  t = t > least ? t : least;
  t = t < most ? t : most;
  return round_small(t) + zero_point;
}

)"},
      {"requantize_float_channels",
       {"quantize"},
       R"(/* q = saturate(round_ties_even(f32(acc) * multiplier) + zero_point), in float32 */
static void requantize_float_channels(const int32_t *restrict acc, int32_t *restrict q, ptrdiff_t count,
                                      const float *restrict multiplier, int32_t zero_point, int32_t low,
                                      int32_t high) {
  for (ptrdiff_t i = 0; i < count; ++i) q[i] = quantize((float)acc[i] * multiplier[i], zero_point, low, high);
}

)"},
      {"requantize_float_all",
       {"quantize"},
       R"(static void requantize_float_all(const int32_t *restrict acc, int32_t *restrict q, ptrdiff_t count, float multiplier,
                                 int32_t zero_point, int32_t low, int32_t high) {
  for (ptrdiff_t i = 0; i < count; ++i) q[i] = quantize((float)acc[i] * multiplier, zero_point, low, high);
}

)"},
      {"fused", {}, R"(/* a * b + c, rounded once. */
#if defined(__FP_FAST_FMAF) || defined(__FMA__) || defined(__aarch64__) || (defined(__ARM_FEATURE_FMA) && __ARM_FP & 4)
static inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
/* The product is exact in double. Its sum with c, rounded to odd there, rounds to float as the exact sum does. */
static inline float fused(float a, float b, float c) {
  const double product = (double)a * (double)b, addend = (double)c;
  const double sum = product + addend, rest = sum - product;
  const double lost = (product - (sum - rest)) + (addend - rest);
  union {
    double number;
    uint64_t bits;
  } odd;
  odd.number = sum;
  if ((lost > 0 || lost < 0) && odd.bits % 2 == 0) odd.bits += (lost > 0) == (sum > 0) ? 1u : UINT64_MAX;
  return (float)odd.number;
}
#endif

)"},
      {"round_saturating",
       {"round_small"},
       R"(/* saturate(round_ties_even(t)); what int32 can't hold, and NaN, gives low */
static inline int32_t round_saturating(float t, int32_t low, int32_t high) {
  if (!(t > -2147483648.0f && t < 2147483648.0f)) return low;
  t = t > (float)low ? t : (float)low;
  return round_small(t < (float)high ? t : (float)high);
}

)"},
      {"multiply_float_4",
       {"fused"},
       R"(/* sums[p][j] = Sum_k x[p][k] * w[k][j], each product fused with its addition; four columns x, eight channels w */
static void multiply_float_4(const float *restrict x, const float *restrict w, ptrdiff_t k, float *restrict sums,
                             ptrdiff_t stride) {
  float s0[8] = {0}, s1[8] = {0}, s2[8] = {0}, s3[8] = {0};
  for (ptrdiff_t i = 0; i < k; ++i) {
    const float x0 = x[i], x1 = x[k + i], x2 = x[2 * k + i], x3 = x[3 * k + i];
    for (ptrdiff_t j = 0; j < 8; ++j) {
      const float b = w[i * 8 + j];
      s0[j] = fused(x0, b, s0[j]);
      s1[j] = fused(x1, b, s1[j]);
      s2[j] = fused(x2, b, s2[j]);
      s3[j] = fused(x3, b, s3[j]);
    }
  }
  for (ptrdiff_t j = 0; j < 8; ++j) {
    sums[j] = s0[j];
    sums[stride + j] = s1[j];
    sums[2 * stride + j] = s2[j];
    sums[3 * stride + j] = s3[j];
  }
}

)"},
      {"multiply_float_1", {"fused"}, R"(/* The same for one column. */
static void multiply_float_1(const float *restrict x, const float *restrict w, ptrdiff_t k, float *restrict sums) {
  float s[8] = {0};
  for (ptrdiff_t i = 0; i < k; ++i)
    for (ptrdiff_t j = 0; j < 8; ++j) s[j] = fused(x[i], w[i * 8 + j], s[j]);
  for (ptrdiff_t j = 0; j < 8; ++j) sums[j] = s[j];
}

)"},
      {"exponential_of_negative",
       {"fused"},
       R"(/* e^x of x <= 0, as ONNX Runtime's softmax has it: 2^m times a polynomial of what is left; 0 below -88.38. */
static inline float exponential_of_negative(float x) {
  union {
    float number;
    int32_t bits;
  } whole, power;
  const int32_t bias_bits = 0x4B400000; /* of 1.5 * 2^23, which leaves no bits for a fraction */
  if (x != x) return x;
  if (x < -88.3762626647949f) x = -88.3762626647949f;
  whole.number = fused(x, 1.44269504088896341f, 12582912.0f);
  const float m = whole.number - 12582912.0f;
  const float r = fused(m, -1.42860677e-6f, fused(m, -6.93145752e-1f, x));
)" + chain_text("p", "r", kOrtExpChain) +
           R"(  power.bits = (whole.bits - bias_bits + 127) * 8388608;
  return fused(p, r, 1.0f) * power.number;
}

)"},
      {"whole_number", {}, R"(/* Toward zero; INT32_MIN for what int32 can't hold. */
static inline int32_t whole_number(float x) {
  return x > -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN;
}

)"},
      {"round_even", {}, R"(/* To nearest, ties to even; the sign of zero stays. */
static inline float round_even(float x) {
  const float size = x < 0 ? -x : x;
  if (!(size < 8388608.0f) || x == 0) return x;
  const float whole = (size + 8388608.0f) - 8388608.0f;
  return x < 0 ? -whole : whole;
}

)"},
      {"hard_swish", {}, R"(static inline float hard_swish(float x) {
  const float part = x * (1.0f / 6) + 0.5f;
  return x * (part < 0 ? 0 : part > 1 ? 1 : part);
}

)"},
      {"sigmoid",
       {"fused"},
       R"(/* A rational approximation, every step of both chains fused. */
static inline float sigmoid(float x) {
  if (x != x) return x;
  const float v = x < -18.0f ? -18.0f : x > 18.0f ? 18.0f : x, u = v * v;
)" + chain_text("p", "u", kOrtSigmoidOddChain) +
           "  p = p * v;\n" + chain_text("q", "u", kOrtSigmoidEvenChain) + R"(  const float y = p / q + 0.5f;
  return y < 0 ? 0 : y > 1 ? 1 : y;
}

)"},
  };
  return helpers;
}

const CHelper& helper_named(const std::string& name) {
  const std::vector<CHelper>& all = all_helpers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const CHelper& helper) { return helper.name == name; });
  if (found == all.end()) fail(ErrorCode::kUsage, "no function {} for exported C", name);
  return *found;
}

}  // namespace

const std::string& CHelpers::use(const std::string& name) {
  const CHelper& helper = helper_named(name);
  for (const std::string& needed : helper.needs) use(needed);
  used_.insert(name);
  return helper.name;
}

std::string CHelpers::text() const {
  std::string text;
  for (const CHelper& helper : all_helpers())
    if (used_.contains(helper.name)) text += helper.text;
  return text;
}

}  // namespace octet
