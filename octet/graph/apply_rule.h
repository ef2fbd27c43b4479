// apply_rule.h: what an operator's rule says of its outputs, and the outputs themselves where they follow from small
// constants: shapes, axes, indices.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/spec/operator.h"

namespace octet {

// Remembers what folding has cost: there is a budget for all nodes of a network together.
class RuleApplier {
 public:
  // The types of all inputs are known. Throws what the rule throws.
  std::vector<Fact> apply(const Operator& op, int opset, const Attributes& attributes, const std::vector<Fact>& inputs,
                          std::size_t output_count, const Bodies& bodies = kNoBodies);

 private:
  bool is_worth_folding(const Operator& op, const std::vector<Fact>& inputs, const std::vector<Fact>& outputs);

  const Arithmetic arithmetic_{};
  const Parallel parallel_{1};
  std::int64_t folded_ = 0;
};

}  // namespace octet
