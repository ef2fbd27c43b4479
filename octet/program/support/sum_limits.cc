#include "octet/program/support/sum_limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/graph/lookup.h"
#include "octet/program/support/weighted.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {
namespace {

constexpr std::int64_t kAssumed = 33025;  // products, where their number is not known

std::optional<SymbolicShape> known_shape(const Draft& draft, const std::string& value) {
  const auto fact = draft.facts().find(value);
  return fact == draft.facts().end() ? std::nullopt : fact->second.shape;
}

// How many products one sum has.
std::optional<std::int64_t> products_of(const Draft& draft, const Node& node, const Operand& x, const Operand& w) {
  const std::optional<SymbolicShape> a = known_shape(draft, x.integers), b = known_shape(draft, w.integers);
  Dim count;
  if (is(node, ops::kConv)) {
    if (!b || b->size() < 2) return std::nullopt;
    count = 1;
    for (std::size_t d = 1; d < b->size(); ++d) count = count * (*b)[d];
  } else if (is(node, ops::kConvTranspose)) {  // at most: those of all groups, and of all phases
    if (!b || b->size() < 2) return std::nullopt;
    count = (*b)[0];
    for (std::size_t d = 2; d < b->size(); ++d) count = count * (*b)[d];
  } else {
    if (b && !b->empty())
      count = b->size() == 1 || node.attributes.get_int("transB", 0) != 0 ? b->back() : (*b)[b->size() - 2];
    if (!count.known() && a && !a->empty()) count = node.attributes.get_int("transA", 0) != 0 ? a->front() : a->back();
  }
  return count.known() ? std::optional(count.value()) : std::nullopt;
}

// The weights as [channels, products], if they are a constant and have a row for each channel.
std::optional<Tensor> rows_of(const Draft& draft, const Node& node, const Operand& w) {
  const Tensor* weights = draft.constant(w.integers);
  if (!weights || weights->size() == 0 || weights->rank() < 2) return std::nullopt;
  const std::int64_t first = weights->shape()[0];
  if (is(node, ops::kConv)) return weights->reshaped({first, weights->size() / first});
  if (weights->rank() != 2 || is(node, ops::kConvTranspose)) return std::nullopt;
  return node.attributes.get_int("transB", 0) != 0 ? *weights : weights->transposed();
}

// The largest |q - z| of any channel.
std::int64_t farthest(const Operand& operand) {
  const auto [qmin, qmax] = integer_range(operand.dtype);
  std::int64_t result = 0;
  for (const std::int32_t zero_point : operand.zero_points)
    result = std::max<std::int64_t>({result, qmax - zero_point, zero_point - qmin});
  return result;
}

std::int64_t largest_of(const Tensor* bias) {
  std::int64_t result = 0;
  for (std::int64_t k = 0; bias && k < bias->size(); ++k) result = std::max(result, std::abs(bias->int_at(k)));
  return result;
}

// The range of the sums of all channels, bias included.
Interval reach_of(const Tensor& rows, const Operand& x, const Operand& w, const Tensor* bias) {
  const auto [qmin, qmax] = integer_range(x.dtype);
  const std::int64_t channels = rows.shape()[0], largest = largest_of(bias);
  Interval all;
  for (std::int64_t m = 0; m < channels; ++m) {
    const auto channel = static_cast<std::size_t>(m);
    const WeightSums sums = weight_sums(rows, m, w.zero_points[w.zero_points.size() == 1 ? 0 : channel]);
    const bool own = bias && bias->size() == channels;
    for (const std::int64_t start : {own ? bias->int_at(m) : -largest, own ? bias->int_at(m) : largest})
      all.include(sum_reach(sums, {qmin, qmax}, {x.zero_points[0], x.zero_points[0]}, start).final);
  }
  return all;
}

void require_int32(const Interval& sums, std::int64_t products) {
  if (wrapped_to_int32(sums) != sums)
    throw NotFused{
        fmt::format("sums of {} products go from {} to {}: int32 is not enough", products, sums.least, sums.greatest)};
}

}  // namespace

void require_exact_sums(const Draft& draft, const Node& node, const Operand& x, const Operand& w,
                        const std::string& bias, const Result* result) {
  const Tensor* starts = bias.empty() ? nullptr : draft.constant(bias);
  if (!bias.empty() && !starts) throw NotFused{fmt::format("the bias {} is not constant", bias)};
  const std::int64_t count = products_of(draft, node, x, w).value_or(kAssumed);
  const std::int64_t products = std::min(count, kMostSummed) * farthest(x) * farthest(w);  // Sum |x - zx| |w - zw|
  const std::int64_t all = products + largest_of(starts);
  if (const Interval whatever{-all, all}; wrapped_to_int32(whatever) != whatever) {
    const std::optional<Tensor> rows = rows_of(draft, node, w);
    require_int32(rows ? reach_of(*rows, x, w, starts) : whatever, count);
  }
  if (!result) return;
  const double error = static_cast<double>(count + 8) * 0x1p-24 * static_cast<double>(products);
  for (const float scale : w.scales) {
    const float x_scale = scale_with_alpha(node.attributes.get_float("alpha", 1), x.scales[0]);
    const float multiplier = requantization_multiplier(x_scale, scale, result->quantization.scale);
    if (!(std::abs(multiplier) < 1 || std::abs(multiplier) * error < 1))
      throw NotFused{fmt::format(
          "a unit of its sum is {} steps of the result: the roundings of the float form decide it", text(multiplier))};
  }
}

Interval require_wide_sums(Draft& draft, const Node& node, const Operand& x, const Operand& w, const Tensor& bias) {
  const std::optional<Tensor> rows = rows_of(draft, node, w);
  if (!rows) throw NotFused{fmt::format("{} is not one constant matrix", w.integers)};
  const std::int64_t count = rows->shape()[1];
  if (count > kAssumed) throw NotFused{fmt::format("sums of {} products, more than int32 holds of bytes", count)};
  for (const Result& result : results_of(draft, node.outputs[0]))
    for (std::int64_t m = 0; m < rows->shape()[0]; ++m) {
      const auto channel = static_cast<std::size_t>(m);
      const WeightSums sums = weight_sums(*rows, m, w.zero_points[0]);
      const double unit = x.scales[0] * w.scales[w.scales.size() == 1 ? 0 : channel];
      const double magnitude = static_cast<double>((sums.positive - sums.negative) * farthest(x)) * unit +
                               (bias.empty() ? 0 : std::abs(bias.as<float>()[channel]));
      const double steps = static_cast<double>(count + 8) * 0x1p-24 * magnitude / result.quantization.scale;
      if (!(steps < 1))
        throw NotFused{
            fmt::format("the float form of its sums of {} products of 16 bits may be {:.2g} steps of the result off "
                        "the integer sum",
                        count, steps)};
    }
  return reach_of(*rows, x, w, nullptr);
}

}  // namespace octet
