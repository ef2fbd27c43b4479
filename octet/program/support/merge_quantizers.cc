// merge_quantizers.cc: quantizers write one QuantizeLinear for each reader of a value. Those with equal parameters make the
// same integers, and what makes the value can be fused only where one of them is left.
#include <algorithm>
#include <map>
#include <tuple>

#include "octet/program/support/patterns.h"

namespace octet {
namespace {

// Whether all that read it do so as an input: what a subgraph reads keeps its name.
bool can_redirect(const Draft& draft, const std::string& value) {
  const std::set<std::size_t>& readers = draft.readers(value);
  return std::all_of(readers.begin(), readers.end(),
                     [&](std::size_t reader) { return draft.node(reader).subgraphs.empty(); });
}

// Every reader of `from` reads `to` instead.
void redirect(Draft& draft, const std::string& from, const std::string& to) {
  const std::set<std::size_t> readers = draft.readers(from);
  for (const std::size_t reader : readers) {
    DraftStep step = draft.step(reader);
    for (Node& node : step.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
    draft.replace(reader, std::move(step));
  }
}

}  // namespace

void merge_quantizers(Draft& draft) {
  using Key = std::tuple<std::string, DType, float, std::int32_t>;
  std::map<Key, std::size_t> first;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> result = result_at(draft, i);
    if (!result || draft.is_output(result->integers)) continue;
    const Key key{draft.node(i).inputs[0], result->dtype, result->quantization.scale, result->quantization.zero_point};
    const auto [known, is_new] = first.emplace(key, i);
    if (is_new || !can_redirect(draft, result->integers)) continue;
    DraftStep kept = draft.step(known->second);
    kept.sources.insert(draft.sources(i).begin(), draft.sources(i).end());
    redirect(draft, result->integers, kept.nodes[0].outputs[0]);
    draft.replace(known->second, std::move(kept));
    draft.replace(i, {});
  }
}

}  // namespace octet
