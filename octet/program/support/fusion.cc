#include "octet/program/support/fusion.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

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
         is_weighted(draft.node(anchor)) ? fuse_weighted(draft, policy, result)
                                         : fuse_elementwise(draft, policy, result));
  } catch (const NotFused& failed) {
    draft.decline(anchor, failed.why);
    if (result.clamp) draft.decline(*result.clamp, fmt::format("behind {}, which is not requantized at once", op_type));
  }
}

bool is_one_node(const Draft& draft, std::size_t i) { return draft.step(i).nodes.size() == 1; }

// Operators between DequantizeLinear and QuantizeLinear.
void fuse_results(Draft& draft, Policy policy) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> result = result_at(draft, i);
    if (!result || !result->anchor || !is_one_node(draft, *result->anchor)) continue;
    const Node& anchor = draft.node(*result->anchor);
    if (anchor.domain.empty() && (is_weighted(anchor) || is_elementwise(anchor))) fuse_at(draft, policy, *result);
  }
}

// Sums of products that are wanted in float, or could not be requantized.
void fuse_float_results(Draft& draft, Policy policy) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!is_one_node(draft, i) || !is_weighted(draft.node(i))) continue;
    const bool declined = !draft.step(i).reason.empty();  // as far as requantizing goes
    if (declined && policy != Policy::kExact) continue;
    if (draft.readers(draft.node(i).outputs[0]).empty() && !draft.is_output(draft.node(i).outputs[0])) continue;
    try {
      fuse_to_float(draft, policy, i);
    } catch (const NotFused& failed) {
      if (!declined || has_wide_operand(draft, draft.node(i))) draft.decline(i, failed.why);
    }
  }
}

// What may hold of a draft, a bit each.
using DraftForms = unsigned;
enum DraftForm : DraftForms {
  kUnfused = 1U << 0,       // every step is a node of the file, or one in its place
  kOneQuantizer = 1U << 1,  // a value has one QuantizeLinear of the same parameters
  kPlainMoves = 1U << 2,    // what only moves elements, or takes the largest, is a node that fuse_moves knows
  kMovedBytes = 1U << 3,    // no move stands between an operator and its DequantizeLinear or QuantizeLinear
  kResults = 1U << 4,       // what can be requantized at once is an integer step; others have their reason
  kTables = 1U << 5,        // what is computed element by element between bytes is a table
  kFloatResults = 1U << 6,  // what else is a sum of products of integers is an integer step
  kFused = 1U << 7,         // there is nothing left to fuse
};

enum class FusionPolicies { kOnnxRuntime, kExact, kBoth };

struct FusionPass {
  FusionPolicies policies;
  void (*run)(Draft& draft, Policy policy);
  DraftForms needs, gives, breaks;
};

constexpr bool is_of(const FusionPass& pass, Policy policy) {
  if (policy == Policy::kAsWritten) return false;
  return pass.policies == FusionPolicies::kBoth ||
         pass.policies == (policy == Policy::kExact ? FusionPolicies::kExact : FusionPolicies::kOnnxRuntime);
}

// A pass that is the same for every policy that has it.
template <void (*kRun)(Draft&)>
void run_pass(Draft& draft, Policy) {
  kRun(draft);
}

constexpr std::array kFusionPasses = {
    // ONNX Runtime's rewrites of the float graph.
    FusionPass{FusionPolicies::kOnnxRuntime, run_pass<merge_pairs>, kUnfused, 0, 0},
    FusionPass{FusionPolicies::kOnnxRuntime, run_pass<make_unsigned>, kUnfused, 0, 0},
    FusionPass{FusionPolicies::kOnnxRuntime, run_pass<drop_clamps>, kUnfused, 0, 0},
    FusionPass{FusionPolicies::kOnnxRuntime, fuse_moves, kUnfused, kMovedBytes, kUnfused},

    FusionPass{FusionPolicies::kExact, run_pass<merge_quantizers>, kUnfused, kOneQuantizer, 0},
    FusionPass{FusionPolicies::kExact, run_pass<keep_averaged_dimensions>, kUnfused | kOneQuantizer, 0, 0},
    FusionPass{FusionPolicies::kExact, run_pass<pool_maxima>, kUnfused | kOneQuantizer, 0, 0},
    FusionPass{FusionPolicies::kExact, run_pass<slice_splits>, kUnfused | kOneQuantizer, kPlainMoves, 0},
    FusionPass{FusionPolicies::kExact, fuse_moves, kOneQuantizer | kPlainMoves, kMovedBytes, kUnfused},
    // Looks for the QuantizeLinear of each ConvTranspose, which may stand behind moves of the file, and puts moves of its
    // own between the convolution and that QuantizeLinear. They need the pass again.
    FusionPass{FusionPolicies::kExact, run_pass<phase_transposed>, kMovedBytes, 0, kMovedBytes},
    FusionPass{FusionPolicies::kExact, fuse_moves, kOneQuantizer | kPlainMoves, kMovedBytes, 0},

    FusionPass{FusionPolicies::kBoth, fuse_results, kMovedBytes, kResults, 0},
    // Takes what fuse_results has left, which has better steps than tables.
    FusionPass{FusionPolicies::kExact, run_pass<fuse_tables>, kMovedBytes | kResults, kTables, 0},
    FusionPass{FusionPolicies::kExact, fuse_float_results, kResults | kTables, kFloatResults, 0},
    FusionPass{FusionPolicies::kOnnxRuntime, fuse_float_results, kResults, kFloatResults, 0},
    FusionPass{FusionPolicies::kBoth, fuse_chains, kFloatResults, kFused, 0},
    FusionPass{FusionPolicies::kBoth, explain_floats, kFused, 0, 0},
};

// Whether each pass of a policy finds what it needs.
constexpr bool is_in_order(Policy policy) {
  DraftForms forms = kUnfused;
  for (const FusionPass& pass : kFusionPasses) {
    if (!is_of(pass, policy)) continue;
    if ((forms & pass.needs) != pass.needs) return false;
    forms = (forms | pass.gives) & ~pass.breaks;
  }
  return (forms & kFused) != 0;
}
static_assert(is_in_order(Policy::kExact) && is_in_order(Policy::kOnnxRuntime));

}  // namespace

void fuse_all(Draft& draft, Policy policy) {
  for (const FusionPass& pass : kFusionPasses)
    if (is_of(pass, policy)) pass.run(draft, policy);
}

}  // namespace octet
