#include "octet/spec/quantized/qlinear_add.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "octet/spec/operators.h"
#include "octet/spec/random.h"

namespace octet {
namespace {

using Add = QuantizedBinary;

struct AddOperands {
  Quantization a, b, c;
  IntegerRange range;
  const Arithmetic& arithmetic;

  QuantizedOutput output(ZeroPoint place, bool converts_first = false) const {
    return resolve({c.zero_point, range, place, converts_first}, arithmetic);
  }
  // MA and MB.
  float ratio(const Quantization& operand) const {
    return stored_multiplier(operand.scale / c.scale, arithmetic.multiplier_form);
  }
};

// kAvx2 and kSse2.
Add folded(const AddOperands& o) {
  const bool fused = o.arithmetic.add_order == AddOrder::kAvx2;
  QuantizedOutput output = o.output(ZeroPoint::kBeforeRounding, true);
  const auto [ratio_a, ratio_b, zeros] = fold_addition(o.a, o.b, o.c, o.arithmetic);
  float fixed = -zeros;
  if (output.place == ZeroPoint::kBeforeRounding) {
    fixed = static_cast<float>(o.c.zero_point) - zeros;
    output.zero_point = 0;  // already in the sum
  }
  const Rounding rounding = o.arithmetic.rounding;
  if (fused)
    return [=, ratio_a = ratio_a, ratio_b = ratio_b](std::int32_t a, std::int32_t b, std::int64_t) {
      const float t = std::fma(static_cast<float>(b), ratio_b, fixed);
      return quantize_real(std::fma(static_cast<float>(a), ratio_a, t), output, rounding);
    };
  return [=, ratio_a = ratio_a, ratio_b = ratio_b](std::int32_t a, std::int32_t b, std::int64_t) {
    const float t = fixed + static_cast<float>(a) * ratio_a;
    return quantize_real(t + static_cast<float>(b) * ratio_b, output, rounding);
  };
}

template <typename Real>
Add portable(const AddOperands& o) {
  const QuantizedOutput output = o.output(ZeroPoint::kBeforeRounding);
  return [=, x = o.a, y = o.b, scale = Real(o.c.scale), rounding = o.arithmetic.rounding](
             std::int32_t a, std::int32_t b, std::int64_t) {
    const Real sum =
        Real(x.scale) * static_cast<Real>(a - x.zero_point) + Real(y.scale) * static_cast<Real>(b - y.zero_point);
    return quantize_real(sum / scale, output, rounding);
  };
}

std::optional<Add> arm(const AddOperands& o) {
  const QuantizedOutput output = o.output(ZeroPoint::kAfterRounding);
  const float ratio_a = o.ratio(o.a), ratio_b = o.ratio(o.b);
  const auto fits = [](float ratio) { return ratio >= 0x1p-14F && ratio < 0x1p8F; };
  if (!fits(ratio_a) || !fits(ratio_b)) return std::nullopt;
  const int shift = 21 - std::ilogb(std::max(ratio_a, ratio_b));
  const std::int64_t a_multiplier = round_ties_even(std::ldexp(ratio_a, shift));
  const std::int64_t b_multiplier = round_ties_even(std::ldexp(ratio_b, shift));
  if (shift > 31 || std::max(a_multiplier, b_multiplier) >= 0x400000) return std::nullopt;
  return [=, a_zero = o.a.zero_point, b_zero = o.b.zero_point](std::int32_t a, std::int32_t b, std::int64_t) {
    const std::int64_t sum = (a - a_zero) * a_multiplier + (b - b_zero) * b_multiplier;
    const std::int64_t zero = output.zero_point;
    const std::int64_t q = output.place == ZeroPoint::kAfterRounding
                               ? shift_right(Rounding::kTiesAway, sum, shift) + zero
                               : shift_right(Rounding::kTiesAway, sum + (zero << shift), shift);
    return static_cast<std::int32_t>(std::clamp(q, output.range.min, output.range.max));
  };
}

Add fixed_point(const AddOperands& o) {
  constexpr int kLeftShift = 20;  // of numbers that have 9 bits and a sign
  const QuantizedOutput output = o.output(ZeroPoint::kAfterRounding);
  const double a_scale = o.a.scale, b_scale = o.b.scale, twice = 2 * std::max(a_scale, b_scale);
  const int bits = o.arithmetic.multiplier_bits;
  const FixedMultiplier a_multiplier = fixed_multiplier(a_scale / twice, bits);
  const FixedMultiplier b_multiplier = fixed_multiplier(b_scale / twice, bits);
  const FixedMultiplier multiplier = fixed_multiplier(twice / std::ldexp(double{o.c.scale}, kLeftShift), bits);
  return [=, a_zero = o.a.zero_point, b_zero = o.b.zero_point, arithmetic = o.arithmetic](
             std::int32_t a, std::int32_t b, std::int64_t) {
    const std::int64_t sum = fixed_product((a - a_zero) * (1 << kLeftShift), a_multiplier, 0, arithmetic) +
                             fixed_product((b - b_zero) * (1 << kLeftShift), b_multiplier, 0, arithmetic);
    const bool before = output.place == ZeroPoint::kBeforeRounding;
    const std::int64_t q =
        fixed_product(static_cast<std::int32_t>(sum), multiplier, before ? output.zero_point : 0, arithmetic) +
        (before ? 0 : output.zero_point);
    return static_cast<std::int32_t>(std::clamp(q, output.range.min, output.range.max));
  };
}

Add stochastic(const AddOperands& o) {
  const QuantizedOutput output = o.output(ZeroPoint::kAfterRounding);
  const bool fixed = o.arithmetic.product == Product::kFixedSingle || o.arithmetic.product == Product::kFixedDouble;
  const auto ratio = [&](const Quantization& operand) {
    if (!fixed) return double{o.ratio(operand)};
    const FixedMultiplier by = fixed_multiplier(o.ratio(operand), o.arithmetic.multiplier_bits);
    return std::ldexp(static_cast<double>(by.m), -by.shift);
  };
  return [=, ratio_a = ratio(o.a), ratio_b = ratio(o.b), a_zero = o.a.zero_point, b_zero = o.b.zero_point,
          seed = o.arithmetic.seed](std::int32_t a, std::int32_t b, std::int64_t element) {
    const double u = uniform(mix({seed, std::bit_cast<std::uint64_t>(ratio_a), static_cast<std::uint64_t>(element),
                                  static_cast<std::uint64_t>(a * 512 + b)}));
    return quantize_real(ratio_a * (a - a_zero) + ratio_b * (b - b_zero) + u, output, Rounding::kFloor);
  };
}

}  // namespace

FoldedAddition fold_addition(const Quantization& a, const Quantization& b, const Quantization& c,
                             const Arithmetic& arithmetic) {
  const AddOperands o = {a, b, c, {}, arithmetic};
  const float ratio_a = o.ratio(a), ratio_b = o.ratio(b);
  const float zero_a = static_cast<float>(a.zero_point), zero_b = static_cast<float>(b.zero_point);
  const bool fused = arithmetic.add_order == AddOrder::kAvx2;
  return {ratio_a, ratio_b, fused ? std::fma(ratio_a, zero_a, ratio_b * zero_b) : ratio_a * zero_a + ratio_b * zero_b};
}

Add qlinear_add(const Quantization& a, const Quantization& b, const Quantization& c, IntegerRange range,
                const Arithmetic& arithmetic) {
  const AddOperands operands = {a, b, c, range, arithmetic};
  if (arithmetic.stochastic) return stochastic(operands);
  if (arithmetic.product == Product::kFloat64) return portable<double>(operands);
  if (arithmetic.product != Product::kFloat32) return fixed_point(operands);
  switch (arithmetic.add_order) {
    case AddOrder::kAvx2:
    case AddOrder::kSse2: return folded(operands);
    case AddOrder::kArm: return arm(operands).value_or(portable<float>(operands));
    case AddOrder::kPortable: break;
  }
  return portable<float>(operands);
}

bool qlinear_add_swaps(Shape a, Shape b) {
  if (a.empty()) a = {1};
  if (b.empty()) b = {1};
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t k = 1; k < common; ++k) {
    const std::int64_t a_dim = a[a.size() - k], b_dim = b[b.size() - k];
    if (a_dim > 1 || b_dim > 1) return a_dim == 1;
  }
  return a[a.size() - common] == 1;
}

namespace {

constexpr BinaryLabels kQLinearAddLabels = {{"qlinear_add_c1", "qlinear_add_c2"}, "qlinear_add_c3"};

void infer_qlinear_add(Inference& i) { infer_quantized_binary(i, kQLinearAddLabels); }

void compute_qlinear_add(Call& call) {
  const auto [a, b, c] = quantized_operands(call);
  const IntegerRange range = integer_range(call.output_dtype(0));
  if (!qlinear_add_swaps(call.input(0).shape(), call.input(3).shape()))
    return compute_quantized_binary(call, qlinear_add(a, b, c, range, call.arithmetic()));
  compute_quantized_binary(call,
                           [add = qlinear_add(b, a, c, range, call.arithmetic())](
                               std::int32_t x, std::int32_t y, std::int64_t element) { return add(y, x, element); });
}

}  // namespace

const Operator ops::kQLinearAdd = {
    .name = "QLinearAdd",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "C = saturate(round((A_scale * (A - A_zero_point) + B_scale * (B - B_zero_point)) / C_scale + "
        "C_zero_point))",
    .constraints = {{"qlinear_add_c1",
                     "A, B and C are all int8 or all uint8, so are the zero points; the scales are "
                     "float32"},
                    {"qlinear_add_c2", "each scale and zero point has one element"},
                    {"qlinear_add_c3", "A and B broadcast"}},
    .infer = infer_qlinear_add,
    .compute = compute_qlinear_add,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kW, Role::kWScale, Role::kWZeroPoint, Role::kYScale,
               Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kAddition,
    .on_elements = true,
    .float_form = &ops::kAdd,
};

}  // namespace octet
