#include "octet/program/lower.h"

#include "octet/base/error.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/unique_names.h"
#include "octet/graph/validate.h"
#include "octet/program/computable.h"
#include "octet/program/support/build.h"
#include "octet/program/support/draft.h"
#include "octet/program/support/fusion.h"

namespace octet {
namespace {

Program build(Model model, Policy policy, const Arithmetic& arithmetic);

// Lowers a graph that a node runs. It may never run with the shapes known here: where those contradict it, nothing is
// fused, and the engine reports the error.
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
