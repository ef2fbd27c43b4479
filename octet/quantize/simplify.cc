#include "octet/graph/expand_functions.h"
#include "octet/graph/lookup.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/unique_names.h"
#include "octet/quantize/plan.h"

namespace octet {

Model simplify_for_quantization(Model model) {
  model = inline_branches(with_unique_names(expand_own_functions(std::move(model))));
  check_arguments(model);
  model = remove_unused(remove_identities(fold_batch_norm(fold_constants(std::move(model)))));
  for (Node& node : model.graph.nodes) node.name = name_of(node);
  return model;
}

}  // namespace octet
