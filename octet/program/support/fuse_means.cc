// fuse_means.cc: ReduceMean and ReduceMax over all pixels of each channel, which is how newer exporters write global pools.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "octet/program/support/float_limits.h"
#include "octet/program/support/patterns.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

std::optional<std::size_t> rank_of(const Draft& draft, const std::string& value) {
  const auto fact = draft.facts().find(value);
  if (fact == draft.facts().end() || !fact->second.shape) return std::nullopt;
  return fact->second.shape->size();
}

// From 0 on, in ascending order; nothing when they are computed. All of them where none is said.
std::optional<std::set<std::int64_t>> reduced_axes(const Draft& draft, const Node& node, std::size_t rank) {
  std::vector<std::int64_t> axes = node.attributes.get_ints("axes", {});
  if (node.inputs.size() > 1 && !node.inputs[1].empty()) {
    const Tensor* constant = draft.constant(node.inputs[1]);
    if (!constant) return std::nullopt;
    axes = constant->to_ints();
  }
  if (axes.empty() && node.attributes.get_int("noop_with_empty_axes", 0) != 0) return std::set<std::int64_t>();
  if (axes.empty())
    for (std::size_t d = 0; d < rank; ++d) axes.push_back(static_cast<std::int64_t>(d));
  std::set<std::int64_t> result;
  for (const std::int64_t axis : axes) result.insert(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  return result;
}

// The axes from `first` on, as many as there are pixels' axes.
bool are_pixels(const std::set<std::int64_t>& axes, std::int64_t first, std::size_t rank) {
  return axes.size() + 2 == rank && *axes.begin() == first && *axes.rbegin() == first + std::ssize(axes) - 1;
}

// A reduction with keepdims, and a Squeeze that makes what it made, behind a clamp that alone reads it.
void squeeze_behind(Draft& draft, std::size_t index, DraftStep kept, const std::set<std::int64_t>& axes) {
  draft.replace(index, std::move(kept));
  const Reshaped before = reshape_result(draft, index, "_kept");
  const std::vector<std::int64_t> taken(axes.begin(), axes.end());
  Node squeeze{.name = draft.new_name(before.was + "_squeeze"), .op_type = "Squeeze", .inputs = {before.now}};
  squeeze.outputs = {before.was};
  if (draft.opset_of_new_nodes() < 13)
    squeeze.attributes.set("axes", taken);
  else
    squeeze.inputs.push_back(draft.add_constant(
        before.was + "_axes", Tensor::from<std::int64_t>({static_cast<std::int64_t>(taken.size())}, taken)));
  DraftStep behind{.kind = StepKind::kOther,
                   .name = squeeze.name,
                   .nodes = {squeeze},
                   .sources = draft.sources(index),
                   .reason = {},
                   .warnings = {}};
  draft.insert_after(before.last, std::move(behind));
}

// The sizes of the pixels' axes that a ReduceMax of [N, C, D1, ...] takes the largest of; empty where it does something else.
std::vector<std::int64_t> largest_of_pixels(const Draft& draft, const Node& node) {
  const auto fact = draft.proven().find(node.inputs[0]);
  if (fact == draft.proven().end() || !fact->second.shape) return {};
  const SymbolicShape& shape = *fact->second.shape;
  const std::optional<std::set<std::int64_t>> axes = reduced_axes(draft, node, shape.size());
  if (!axes || axes->empty() || !are_pixels(*axes, 2, shape.size())) return {};
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 2; d < shape.size(); ++d) {
    if (!shape[d].known() || shape[d].value() < 1) return {};
    sizes.push_back(shape[d].value());
  }
  return sizes;
}

}  // namespace

bool averages_channels_last(const Draft& draft, const Node& mean) {
  const std::optional<std::size_t> rank = rank_of(draft, mean.inputs[0]);
  if (!rank) throw NotFused{fmt::format("the rank of {} is not known", mean.inputs[0])};
  const std::optional<std::set<std::int64_t>> axes = reduced_axes(draft, mean, *rank);
  if (!axes) throw NotFused{"its axes are computed"};
  if (axes->empty() || (!are_pixels(*axes, 2, *rank) && !are_pixels(*axes, 1, *rank)))
    throw NotFused{
        fmt::format("it averages axes {} of {}, and the integer pool all but the first and that of the channels",
                    fmt::join(*axes, ", "), *rank)};
  if (mean.attributes.get_int("keepdims", 1) == 0) throw NotFused{"what takes its dimensions away is not quantized"};
  return *axes->begin() == 1;
}

void keep_averaged_dimensions(Draft& draft) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.is(i, ops::kReduceMean) || draft.node(i).attributes.get_int("keepdims", 1) != 0) continue;
    const Node node = draft.node(i);
    const std::optional<Operand> operand = find_operand(draft, node.inputs[0]);
    if (!operand || operand->scales.size() != 1 || bits(operand->dtype) != 8) continue;
    // Towards a QuantizeLinear, perhaps behind a clamp and moves.
    std::optional<std::size_t> reader = draft.only_reader(node.outputs[0]);
    if (reader && is_clamp(draft, *reader)) reader = draft.only_reader(draft.node(*reader).outputs[0]);
    while (reader && draft.step(*reader).nodes.size() == 1 && is_move(draft.node(*reader)))
      reader = draft.only_reader(draft.node(*reader).outputs[0]);
    const std::optional<Result> result = reader ? result_at(draft, *reader) : std::nullopt;
    if (!result || result->dtype != operand->dtype) continue;
    DraftStep kept = draft.step(i);
    kept.nodes[0].attributes.set("keepdims", std::int64_t{1});
    try {
      averages_channels_last(draft, kept.nodes[0]);
      require_finite(*operand);
      require_average(*operand, result->quantization);
    } catch (const NotFused&) {
      continue;  // the fusion pass reports why
    }
    squeeze_behind(draft, i, std::move(kept), *reduced_axes(draft, node, *rank_of(draft, node.inputs[0])));
  }
}

void pool_maxima(Draft& draft) {
  if (draft.opset_of_new_nodes() < 12) return;  // MaxPool takes 8-bit integers since then
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.is(i, ops::kReduceMax)) continue;
    const Node node = draft.node(i);
    const std::optional<Operand> operand = find_operand(draft, node.inputs[0]);
    if (!operand || operand->scales.size() != 1 || bits(operand->dtype) != 8 || !(operand->scales[0] > 0)) continue;
    const std::vector<std::int64_t> window = largest_of_pixels(draft, node);
    if (window.empty()) continue;
    DraftStep pool = draft.step(i);
    pool.nodes[0].op_type = "MaxPool";
    pool.nodes[0].inputs.resize(1);
    pool.nodes[0].attributes = {};
    pool.nodes[0].attributes.set("kernel_shape", window);
    if (node.attributes.get_int("keepdims", 1) != 0)
      draft.replace(i, std::move(pool));
    else
      squeeze_behind(draft, i, std::move(pool), *reduced_axes(draft, node, window.size() + 2));
  }
}

}  // namespace octet
