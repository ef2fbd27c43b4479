#include "octet/export/mistakes.h"

#include <algorithm>
#include <array>

#include "octet/spec/quantized/parameters.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/requantize.h"

namespace octet {
namespace {

struct MistakeText {
  std::string_view name, meaning;
};
constexpr std::array kMeanings = {
    MistakeText{"exceptions-left-out", "the line alone: exceptions are not looked up"},
    MistakeText{"not-saturated", "the lowest 8 bits are kept instead of saturating"},
    MistakeText{"half-left-out", "the addend lacks the half: what is shifted out is dropped"},
    MistakeText{"toward-zero", "the shift rounds toward zero, as a division in C does, not down"},
    MistakeText{"logical-shift", "the shift brings in zeros where the sum is negative"},
    MistakeText{"m-of-16-bits", "multipliers, addend and shift are cut so that multipliers have 16 bits"},
    MistakeText{"other-channel", "the constants of the next channel"},
    MistakeText{"start-left-out", "the sum begins at 0: no bias, no correction for the zero point"},
    MistakeText{"acc-one-bit-short", "the accumulator has one bit less than the weights need, and wraps"},
    MistakeText{"clamp-left-out", "the clamp behind the requantization is missing"},
    MistakeText{"ties-away", "float32, ties go away from zero"},
    MistakeText{"truncation", "float32, the fraction is dropped"},
    MistakeText{"zero-point-before", "float32, the zero point is added before rounding"},
    MistakeText{"zero-point-after", "float32, the zero point is added after rounding"},
    MistakeText{"float64", "the product keeps 53 bits"},
    MistakeText{"q31-one-rounding", "a multiplier of 31 bits, rounded once"},
    MistakeText{"q31-two-roundings", "a multiplier of 31 bits, a doubling high product, then a rounding shift"},
    MistakeText{"exchanged", "the operands change places"},
    MistakeText{"operands-first", "each operand is rounded to the output's scale, then they are added"},
    MistakeText{"without-fma", "float32, products are rounded before they are added"},
    MistakeText{"dequantized", "float32, both are dequantized, added and divided by the output's scale"},
    MistakeText{"zero-points-left-out", "the bytes are multiplied as they are"},
    MistakeText{"address-offset", "the table is addressed by x + 128 instead of by x's bits"},
    MistakeText{"last-tap-left-out", "the window lacks its last tap"},
    MistakeText{"first-tap-left-out", "the window lacks its first tap"},
    MistakeText{"begins-at-zero", "the maximum begins at 0 instead of at the least number"},
};

// Wide enough for constants that meet an accumulator they were not made for.
using Wide = __int128;

Wide line_sum(const IntegerRequantizer& r, std::int64_t acc) { return Wide{acc} * r.m + r.addend; }

Wide shifted(Wide sum, int shift) { return sum >> shift; }
Wide divided(Wide sum, int shift) { return sum < 0 ? -(-sum >> shift) : sum >> shift; }
// In a register of 64 bits.
Wide shifted_logically(Wide sum, int shift) { return static_cast<std::uint64_t>(sum) >> shift; }

std::int32_t saturated(Wide value, const IntegerRange& range) {
  return static_cast<std::int32_t>(std::clamp<Wide>(value, range.min, range.max));
}
std::int32_t lowest_byte(Wide value, const IntegerRange& range) {
  const auto byte = static_cast<std::uint8_t>(value);
  return range.min < 0 ? static_cast<std::int8_t>(byte) : byte;
}

std::int64_t half_of(int shift) { return shift > 0 ? std::int64_t{1} << (shift - 1) : 0; }

// So many bits of the multipliers are cut off that 16 are left; no more than there are behind the point.
int bits_cut(std::int64_t widest, int shift) { return std::clamp(FixedMultiplier{widest, 0}.bits() - 16, 0, shift); }

std::int64_t wrapped_to(int bits, std::int64_t value) {
  const int lost = 64 - bits;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << lost) >> lost;
}

// The requantizer on any accumulator of 32 bits.
std::int32_t on_any(const IntegerRequantizer& r, std::int64_t acc) {
  for (const RequantizerException& exception : r.exceptions)
    if (exception.first <= acc && acc <= exception.last) return exception.value;
  return saturated(shifted(line_sum(r, acc), r.shift), r.range);
}

struct NamedRule {
  std::string_view name;
  Arithmetic arithmetic;
};
Arithmetic with(auto change) {
  Arithmetic arithmetic;
  change(arithmetic);
  return arithmetic;
}
std::vector<NamedRule> float_rules() {
  return {{"ties-away", with([](Arithmetic& a) { a.rounding = Rounding::kTiesAway; })},
          {"truncation", with([](Arithmetic& a) { a.rounding = Rounding::kTowardZero; })},
          {"float64", with([](Arithmetic& a) { a.product = Product::kFloat64; })},
          {"q31-one-rounding", arithmetic_named("fixed-single")},
          {"q31-two-roundings", arithmetic_named("fixed-double")}};
}

}  // namespace

std::string_view meaning_of_mistake(std::string_view name) {
  return std::ranges::find(kMeanings, name, &MistakeText::name)->meaning;
}

std::int32_t RequantizedChannels::operator()(std::int64_t channel, std::int64_t acc) const {
  return behind(one_or(channels, channel)(acc));
}

std::vector<Mistake> mistakes_of(const RequantizedChannels& layer) {
  std::vector<Mistake> found;
  const auto add = [&](std::string_view name, auto requantize) {
    found.push_back({name, [layer, requantize](std::int64_t channel, std::int64_t acc) {
                       return layer.behind(requantize(layer, one_or(layer.channels, channel), channel, acc));
                     }});
  };
  using Layer = RequantizedChannels;
  using R = IntegerRequantizer;
  add("exceptions-left-out", [](const Layer&, const R& r, std::int64_t, std::int64_t acc) { return r.line(acc); });
  add("not-saturated", [](const Layer&, const R& r, std::int64_t, std::int64_t acc) {
    return lowest_byte(shifted(line_sum(r, acc), r.shift), r.range);
  });
  add("half-left-out", [](const Layer&, const R& r, std::int64_t, std::int64_t acc) {
    return saturated(shifted(line_sum(r, acc) - half_of(r.shift), r.shift), r.range);
  });
  add("toward-zero", [](const Layer&, const R& r, std::int64_t, std::int64_t acc) {
    return saturated(divided(line_sum(r, acc), r.shift), r.range);
  });
  add("logical-shift", [](const Layer&, const R& r, std::int64_t, std::int64_t acc) {
    return saturated(shifted_logically(line_sum(r, acc), r.shift), r.range);
  });
  add("m-of-16-bits", [](const Layer&, const R& r, std::int64_t, std::int64_t acc) {
    const int cut = bits_cut(r.m, r.shift);
    return saturated(shifted(Wide{acc} * (r.m >> cut) + (r.addend >> cut), r.shift - cut), r.range);
  });
  if (layer.channels.size() > 1)
    add("other-channel", [](const Layer& l, const R&, std::int64_t channel, std::int64_t acc) {
      return on_any(l.channels[static_cast<std::size_t>(channel + 1) % l.channels.size()], acc);
    });
  add("start-left-out", [](const Layer& l, const R& r, std::int64_t channel, std::int64_t acc) {
    return on_any(r, wrapped_to(32, acc - one_or(l.starts, channel)));
  });
  add("acc-one-bit-short", [](const Layer& l, const R& r, std::int64_t channel, std::int64_t acc) {
    return on_any(r, wrapped_to(signed_width(one_or(l.reach, channel)) - 1, acc));
  });
  if (layer.clamped)
    found.push_back({"clamp-left-out",
                     [layer](std::int64_t channel, std::int64_t acc) { return one_or(layer.channels, channel)(acc); }});
  const auto add_float = [&](std::string_view name, const Arithmetic& arithmetic) {
    const QuantizedOutput output = quantized_output(layer.type, layer.zero_point, ZeroPoint::kAfterRounding);
    add(name, [arithmetic, output](const Layer& l, const R&, std::int64_t channel, std::int64_t acc) {
      return Requantizer(arithmetic, one_or(l.multipliers, channel), output)(static_cast<std::int32_t>(acc));
    });
  };
  for (const NamedRule& rule : float_rules()) add_float(rule.name, rule.arithmetic);
  add_float("zero-point-before", with([](Arithmetic& a) { a.zero_point = ZeroPoint::kBeforeRounding; }));
  return found;
}

std::int32_t PairedBytes::operator()(std::int64_t a_byte, std::int64_t b_byte) const {
  const auto a_number = static_cast<std::int32_t>(a_byte), b_number = static_cast<std::int32_t>(b_byte);
  if (const auto* addition = std::get_if<IntegerAddition>(&pair)) return behind((*addition)(a_number, b_number));
  const auto& product = std::get<integer::Multiplication>(pair);
  return behind(product.requantize((a_byte - product.a_zero_point) * (b_byte - product.b_zero_point)));
}

namespace {

std::vector<Mistake> sum_mistakes(const PairedBytes& layer, const IntegerAddition& addition) {
  std::vector<Mistake> found;
  const auto add = [&](std::string_view name, auto result) {
    found.push_back({name, [layer, addition, result](std::int64_t a, std::int64_t b) {
                       return layer.behind(
                           result(addition, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
                     }});
  };
  using P = IntegerAddition;
  const auto sum = [](const P& p, std::int64_t a, std::int64_t b) { return Wide{a * p.ma} + b * p.mb + p.addend; };
  add("exceptions-left-out", [](const P& p, std::int32_t a, std::int32_t b) { return p.plane(a, b); });
  add("not-saturated", [sum](const P& p, std::int32_t a, std::int32_t b) {
    return lowest_byte(shifted(sum(p, a, b), p.shift), p.range);
  });
  add("half-left-out", [sum](const P& p, std::int32_t a, std::int32_t b) {
    return saturated(shifted(sum(p, a, b) - half_of(p.shift), p.shift), p.range);
  });
  add("toward-zero",
      [sum](const P& p, std::int32_t a, std::int32_t b) { return saturated(divided(sum(p, a, b), p.shift), p.range); });
  add("logical-shift", [sum](const P& p, std::int32_t a, std::int32_t b) {
    return saturated(shifted_logically(sum(p, a, b), p.shift), p.range);
  });
  add("m-of-16-bits", [](const P& p, std::int32_t a, std::int32_t b) {
    const int cut = bits_cut(std::max(std::abs(p.ma), std::abs(p.mb)), p.shift);
    return saturated(shifted(a * (p.ma >> cut) + b * (p.mb >> cut) + (p.addend >> cut), p.shift - cut), p.range);
  });
  add("exchanged", [](const P& p, std::int32_t a, std::int32_t b) { return p(b, a); });
  const auto add_float = [&](std::string_view name, const Arithmetic& arithmetic) {
    const QuantizedBinary rule = qlinear_add(layer.swapped ? layer.b : layer.a, layer.swapped ? layer.a : layer.b,
                                             layer.y, layer.range, arithmetic);
    add(name, [rule, swapped = layer.swapped](const P&, std::int32_t a, std::int32_t b) {
      return swapped ? rule(b, a) : rule(a, b);
    });
  };
  for (const NamedRule& rule : float_rules()) add_float(rule.name, rule.arithmetic);
  add_float("zero-point-after", with([](Arithmetic& a) { a.zero_point = ZeroPoint::kAfterRounding; }));
  add_float("without-fma", with([](Arithmetic& a) { a.add_order = AddOrder::kSse2; }));
  add_float("dequantized", with([](Arithmetic& a) { a.add_order = AddOrder::kPortable; }));
  add("operands-first", [layer](const P& p, std::int32_t a, std::int32_t b) {
    const auto scaled = [&](const Quantization& of, std::int32_t byte) {
      return round_ties_even(of.scale / layer.y.scale * static_cast<float>(byte - of.zero_point));
    };
    return saturated(scaled(layer.a, a) + scaled(layer.b, b) + layer.y.zero_point, p.range);
  });
  return found;
}

}  // namespace

std::vector<Mistake> mistakes_of(const PairedBytes& layer) {
  if (const auto* addition = std::get_if<IntegerAddition>(&layer.pair)) return sum_mistakes(layer, *addition);
  const auto product = std::get<integer::Multiplication>(layer.pair);
  const IntegerRequantizer& r = product.requantize;
  const Interval reach = product_of({layer.range.min - product.a_zero_point, layer.range.max - product.a_zero_point},
                                    {layer.range.min - product.b_zero_point, layer.range.max - product.b_zero_point});
  const RequantizedChannels channel{
      .channels = {r},
      .reach = {reach},
      .starts = {0},
      .multipliers = {requantization_multiplier(layer.a.scale, layer.b.scale, layer.y.scale)},
      .zero_point = layer.y.zero_point,
      .type = r.range.min < 0 ? DType::kInt8 : DType::kUint8,
      .behind = layer.behind,
      .range = r.range};
  std::vector<Mistake> found;
  for (const Mistake& mistake : mistakes_of(channel))
    if (mistake.name != "start-left-out")
      found.push_back({mistake.name, [mistake, product](std::int64_t a, std::int64_t b) {
                         return mistake.result(0, (a - product.a_zero_point) * (b - product.b_zero_point));
                       }});
  found.push_back(
      {"zero-points-left-out", [layer, r](std::int64_t a, std::int64_t b) { return layer.behind(on_any(r, a * b)); }});
  return found;
}

}  // namespace octet
