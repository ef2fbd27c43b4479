#include "octet/analyze/support/explain_sum.h"

#include <fmt/core.h>

#include <limits>

#include "octet/analyze/support/pair_saturation.h"
#include "octet/spec/accumulator.h"
#include "octet/spec/interval.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

std::string register_text(std::int32_t value) {
  return fmt::format("0x{:08X}, {} bits", static_cast<std::uint32_t>(value), signed_width({value, value}));
}

std::string padding_text(const IntegerSum& sum) {
  std::int64_t padding = 0;
  for (const Factors& f : sum.factors) padding += f.x_element ? 0 : 1;
  const auto count = static_cast<std::int64_t>(sum.factors.size());
  return padding == 0 ? counted(count, "product")
                      : fmt::format("{}, {} of them padding, which reads as x's zero point", counted(count, "product"),
                                    grouped(padding));
}

std::size_t number_or_beyond(const Operator& op, Role role) {
  return input_number(op, role).value_or(std::numeric_limits<std::size_t>::max());
}

}  // namespace

SumInputs::SumInputs(const Operator& op)
    : x(number_or_beyond(op, Role::kX)),
      x_scale(number_or_beyond(op, Role::kXScale)),
      x_zero_point(number_or_beyond(op, Role::kXZeroPoint)),
      w(number_or_beyond(op, Role::kW)),
      w_scale(number_or_beyond(op, Role::kWScale)),
      w_zero_point(number_or_beyond(op, Role::kWZeroPoint)),
      bias(number_or_beyond(op, Role::kBias)),
      real_bias(number_or_beyond(op, Role::kFloatBias)),
      y_scale(number_or_beyond(op, Role::kYScale)),
      y_zero_point(number_or_beyond(op, Role::kYZeroPoint)) {}

std::int32_t explain_sum(const Applied& applied, const IntegerSum& sum, Findings& findings) {
  ExplainedSection& products = findings.section("products");
  products.terms.columns = {"k", "x at", "x", "x - zx", "w at", "w", "w - zw", "product", "sum"};
  const Shape &x_shape = applied.input(sum.x_input).shape(), &w_shape = applied.input(sum.w_input).shape();
  const std::int32_t start = sum.bias.value_or(0);
  std::int64_t exact = start;
  const std::int32_t accumulator = with_accumulator(applied.arithmetic(), [&](auto adder) {
    std::int32_t total = adder.add(0, start);
    for (std::size_t k = 0; k < sum.factors.size(); ++k) {
      const Factors& f = sum.factors[k];
      const std::int32_t x = f.x - sum.x_zero_point, w = f.w - sum.w_zero_point;
      total = adder.add(total, x * w);
      exact += x * w;
      products.terms.rows.push_back({static_cast<std::int64_t>(k),
                                     f.x_element ? to_string(index_of(*f.x_element, x_shape)) : "padding",
                                     std::int64_t{f.x}, std::int64_t{x}, to_string(index_of(f.w_element, w_shape)),
                                     std::int64_t{f.w}, std::int64_t{w}, std::int64_t{x * w}, std::int64_t{total}});
    }
    return total;
  });
  findings.line("zx", "", std::int64_t{sum.x_zero_point}, "zero point of x");
  findings.line("zw", "", std::int64_t{sum.w_zero_point}, "zero point of w");
  if (sum.bias) findings.line("bias", "", std::int64_t{*sum.bias}, "where the sum starts");
  std::string note = fmt::format("{}; {}", register_text(accumulator), padding_text(sum));
  if (exact != accumulator) note += fmt::format("; the exact sum {} does not fit the accumulator", exact);
  findings.line("acc", sum.bias ? "bias + Sum (x - zx) * (w - zw)" : "Sum (x - zx) * (w - zw)",
                std::int64_t{accumulator}, note);
  return accumulator;
}

std::optional<SaturatedSum> saturated_sum(const Applied& applied, const IntegerSum& sum, std::int32_t accumulator) {
  const DType x = applied.input(sum.x_input).dtype(), w = applied.input(sum.w_input).dtype();
  if (sum.pairs.empty() || x == w) return std::nullopt;
  std::vector<std::int32_t> bytes, signed_bytes;
  for (const std::size_t k : sum.pairs) {
    const Factors& f = sum.factors[k];
    bytes.push_back(x == DType::kUint8 ? f.x : f.w);
    signed_bytes.push_back(x == DType::kUint8 ? f.w : f.x);
  }
  const std::vector<LostPair> pairs = lost_pairs(bytes, signed_bytes);
  if (pairs.empty()) return SaturatedSum{accumulator, "no pair saturates"};
  std::int64_t lost = 0;
  for (const LostPair& pair : pairs) lost += pair.lost;
  const LostPair& first = pairs.front();
  const bool partner = first.first + 1 < sum.pairs.size();
  std::string which = fmt::format("k = {}", sum.pairs[first.first]);
  if (partner) which += fmt::format(" and {}", sum.pairs[first.first + 1]);
  const std::int32_t wrong =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulator) - static_cast<std::uint32_t>(lost));
  return SaturatedSum{
      wrong, fmt::format("acc is {}: {} of {} saturated; {} sum to {}", wrong, pairs.size(),
                         counted(static_cast<std::int64_t>((sum.pairs.size() + 1) / 2), "pair"), which, first.exact)};
}

}  // namespace octet
