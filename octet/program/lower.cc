#include "octet/program/lower.h"

#include <fmt/core.h>

#include "octet/base/error.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/unique_names.h"
#include "octet/graph/validate.h"
#include "octet/program/computable.h"
#include "octet/program/support/build.h"
#include "octet/program/support/draft.h"
#include "octet/program/support/patterns.h"
#include "octet/program/support/weighted.h"

namespace octet {
namespace {

// Fuses what leads to a QuantizeLinear.
void fuse_at(Draft& draft, Policy policy, const Result& result) {
  const std::size_t anchor = *result.anchor;
  const std::string op_type = draft.node(anchor).op_type;
  try {
    for (const std::optional<std::size_t> step : {result.anchor, result.clamp})
      if (step && !draft.only_reader(draft.node(*step).outputs[0]))
        throw NotFused{fmt::format("{} is read by others in float", draft.node(*step).outputs[0])};
    fuse(draft, policy, result,
         is_weighted(op_type) ? fuse_weighted(draft, policy, result) : fuse_elementwise(draft, policy, result));
  } catch (const NotFused& failed) {
    draft.decline(anchor, failed.why);
    if (result.clamp) draft.decline(*result.clamp, fmt::format("behind {}, which is not requantized at once", op_type));
  }
}

bool is_one_node(const Draft& draft, std::size_t i) { return draft.step(i).nodes.size() == 1; }

void fuse_all(Draft& draft, Policy policy) {
  if (policy == Policy::kOnnxRuntime) {
    merge_pairs(draft);
    make_unsigned(draft);
    drop_clamps(draft);
  }
  if (policy == Policy::kExact) {
    merge_quantizers(draft);
    keep_averaged_dimensions(draft);
    pool_maxima(draft);
    slice_splits(draft);
    fuse_moves(draft, policy);  // so that a QuantizeLinear behind a move meets its ConvTranspose
    phase_transposed(draft);    // whose own moves come next
  }
  fuse_moves(draft, policy);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> result = result_at(draft, i);
    if (!result || !result->anchor || !is_one_node(draft, *result->anchor)) continue;
    const Node& anchor = draft.node(*result->anchor);
    if (anchor.domain.empty() && (is_weighted(anchor.op_type) || is_elementwise(anchor.op_type)))
      fuse_at(draft, policy, *result);
  }
  if (policy == Policy::kExact) fuse_tables(draft);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!is_one_node(draft, i) || !is_weighted(draft.node(i).op_type)) continue;
    const bool declined = !draft.step(i).reason.empty();  // as far as requantizing goes
    if (declined && policy != Policy::kExact) continue;
    if (draft.readers(draft.node(i).outputs[0]).empty() && !draft.is_output(draft.node(i).outputs[0])) continue;
    try {
      fuse_to_float(draft, policy, i);
    } catch (const NotFused& failed) {
      if (!declined || has_wide_operand(draft, draft.node(i))) draft.decline(i, failed.why);
    }
  }
  fuse_chains(draft, policy);
  explain_floats(draft, policy);
}

Program build(Model model, Policy policy, const Arithmetic& arithmetic);

// Of a graph that a node runs. It may never run with the shapes that are known here: where those contradict it, nothing is
// fused, and whoever runs it says what is wrong.
Program build_inside(Model graph, Policy policy, const Arithmetic& arithmetic) {
  graph = inline_branches(std::move(graph));
  try {
    return build(graph, policy, arithmetic);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kConstraint && error.code() != ErrorCode::kModel) throw;
    return build(std::move(graph), Policy::kAsWritten, arithmetic);
  }
}

Program build(Model model, Policy policy, const Arithmetic& arithmetic) {
  const BuildGraph inside = [&](Model graph) { return build_inside(std::move(graph), policy, arithmetic); };
  Program program;
  if (policy == Policy::kAsWritten) {
    program = build_program(std::move(model), inside);
  } else {
    model = remove_identities(fold_constants(std::move(model), arithmetic));
    model = channels_first(widen_float16(std::move(model), arithmetic));
    model = policy == Policy::kExact ? fold_quantized_constants(std::move(model), arithmetic)
                                     : fold_transposed_constants(std::move(model), arithmetic);
    Draft draft(std::move(model));
    fuse_all(draft, policy);
    program = build_program(std::move(draft), inside);
  }
  program.policy = policy;
  return program;
}

}  // namespace

Program lower(Model model, Policy policy, const Arithmetic& arithmetic) {
  model = expand_functions(std::move(model));
  validate(model);
  model = inline_branches(with_unique_names(std::move(model)));
  require_computable(model);
  return build(std::move(model), policy, arithmetic);
}

}  // namespace octet
