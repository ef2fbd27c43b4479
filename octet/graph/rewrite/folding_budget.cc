#include "octet/graph/rewrite/folding_budget.h"

#include <algorithm>

namespace octet {

std::int64_t folding_budget(const Graph& graph) {
  constexpr std::int64_t kLeast = std::int64_t{64} << 20, kFactor = 4;
  std::int64_t weights = 0;
  for (const Initializer& initializer : graph.initializers)
    weights += static_cast<std::int64_t>(initializer.tensor.byte_size());
  return std::max(kLeast, kFactor * weights);
}

}  // namespace octet
