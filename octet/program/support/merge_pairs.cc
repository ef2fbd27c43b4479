// merge_pairs.cc: what ONNX Runtime makes of QuantizeLinear, DequantizeLinear, QuantizeLinear, DequantizeLinear of one
// type, the first two read once, each pair inverse to each other: one pair over the intersection of the two ranges. In float32,
//
//   s = (min(max1, max2) - max(min1, min2)) / (qmax - qmin),   z = round_ties_away(qmin - max(min1, min2) / s)
//
// with min = s * (qmin - z) and max = s * (qmax - z). Equal pairs keep their parameters. This changes numbers.
#include <algorithm>
#include <cmath>

#include "octet/program/support/patterns.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

struct Range {
  float min, max;
};

Range range_of(const Quantization& q, const IntegerRange& type) {
  const auto at = [&](std::int64_t end) { return static_cast<float>(end - q.zero_point) * q.scale; };
  return {at(type.min), at(type.max)};
}

Quantization intersection(const Quantization& a, const Quantization& b, const IntegerRange& type) {
  if (a == b) return a;
  const Range first = range_of(a, type), second = range_of(b, type);
  const float min = std::max(first.min, second.min), max = std::min(first.max, second.max);
  const float scale = (max - min) / static_cast<float>(type.max - type.min);
  if (!(scale > 0)) return {0, 0};  // they don't overlap
  return {scale, static_cast<std::int32_t>(std::round(static_cast<float>(type.min) - min / scale))};
}

bool undoes(Draft& draft, std::size_t step, const Result& quantized) {
  if (!draft.is(step, ops::kDequantizeLinear)) return false;
  const std::optional<Operand> operand = find_operand(draft, draft.node(step).outputs[0]);
  return operand && same_parameters(*operand, quantized);
}

}  // namespace

void merge_pairs(Draft& draft) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> second = result_at(draft, i);
    if (!second || !second->anchor || !draft.is(*second->anchor, ops::kDequantizeLinear)) continue;
    const std::size_t middle = *second->anchor;
    const std::string integers = draft.node(middle).inputs[0];
    const std::optional<std::size_t> before = draft.producer(integers);
    if (!before || draft.only_reader(integers) != middle || draft.only_reader(draft.node(middle).outputs[0]) != i ||
        draft.is_output(second->integers))
      continue;
    const std::optional<Result> first = result_at(draft, *before);
    const std::optional<Operand> between = find_operand(draft, draft.node(middle).outputs[0]);
    const std::set<std::size_t> behind = draft.readers(second->integers);
    if (!first || !between || !same_parameters(*between, *first) || first->dtype != second->dtype || behind.empty() ||
        !std::ranges::all_of(behind, [&](std::size_t reader) { return undoes(draft, reader, *second); }))
      continue;
    const Quantization merged = intersection(first->quantization, second->quantization, integer_range(first->dtype));
    if (merged.scale == 0) continue;
    const std::string scale = draft.add_constant(first->scale_name + "_merged", Tensor::scalar(merged.scale));
    const std::string zero_point =
        draft.add_constant(first->scale_name + "_merged_zero_point",
                           convert(Tensor::scalar(std::int64_t{merged.zero_point}), first->dtype));
    const auto reset = [&](std::size_t step, const std::string& reads) {
      DraftStep changed = draft.step(step);
      changed.nodes[0].inputs = {reads, scale, zero_point};
      draft.replace(step, std::move(changed));
    };
    reset(*before, draft.node(*before).inputs[0]);
    for (const std::size_t reader : behind) reset(reader, first->integers);
    draft.replace(middle, {});
    draft.replace(i, {});
  }
}

}  // namespace octet
