#include "octet/quantize/rules.h"

#include <array>

#include "octet/spec/operators.h"

namespace octet {
namespace {

constexpr std::array kRules = {
    Rule{&ops::kConv, RuleKind::kWeighted, 1, &ops::kQLinearConv},
    Rule{&ops::kConvTranspose, RuleKind::kWeighted, 1},
    Rule{&ops::kGemm, RuleKind::kWeighted, 1, &ops::kQGemm},
    Rule{&ops::kMatMul, RuleKind::kWeighted, 1, &ops::kQLinearMatMul},
    Rule{&ops::kAdd, RuleKind::kElementwise, 2, &ops::kQLinearAdd},
    Rule{&ops::kMul, RuleKind::kElementwise, 2, &ops::kQLinearMul},
    Rule{&ops::kAveragePool, RuleKind::kElementwise, 1, &ops::kQLinearAveragePool},
    Rule{&ops::kGlobalAveragePool, RuleKind::kElementwise, 1, &ops::kQLinearGlobalAveragePool},
    Rule{&ops::kConcat, RuleKind::kElementwise, -1, &ops::kQLinearConcat},
    Rule{&ops::kLeakyRelu, RuleKind::kElementwise, 1, &ops::kQLinearLeakyRelu},
    Rule{&ops::kSigmoid, RuleKind::kElementwise, 1, &ops::kQLinearSigmoid},
    Rule{&ops::kHardSwish, RuleKind::kElementwise, 1},
    Rule{&ops::kTanh, RuleKind::kElementwise, 1},
    Rule{&ops::kSoftmax, RuleKind::kSoftmax, 1, &ops::kQLinearSoftmax},
    Rule{&ops::kRelu, RuleKind::kClamp, 1},
    Rule{&ops::kClip, RuleKind::kClamp, 1},
    Rule{&ops::kMaxPool, RuleKind::kMove, 1, &ops::kMaxPool},
    Rule{&ops::kReshape, RuleKind::kMove, 1, &ops::kReshape},
    Rule{&ops::kFlatten, RuleKind::kMove, 1, &ops::kFlatten},
    Rule{&ops::kTranspose, RuleKind::kMove, 1, &ops::kTranspose},
    Rule{&ops::kSqueeze, RuleKind::kMove, 1, &ops::kSqueeze},
    Rule{&ops::kUnsqueeze, RuleKind::kMove, 1, &ops::kUnsqueeze},
    Rule{&ops::kSlice, RuleKind::kMove, 1, &ops::kSlice},
    Rule{&ops::kGather, RuleKind::kMove, 1, &ops::kGather},
    Rule{&ops::kDepthToSpace, RuleKind::kMove, 1, &ops::kDepthToSpace},
    Rule{&ops::kSpaceToDepth, RuleKind::kMove, 1, &ops::kSpaceToDepth},
    Rule{&ops::kExpand, RuleKind::kMove, 1, &ops::kExpand},
    Rule{&ops::kTile, RuleKind::kMove, 1, &ops::kTile},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view domain, std::string_view op_type) {
  if (!domain.empty()) return nullptr;
  for (const Rule& rule : kRules)
    if (rule.op->name == op_type) return &rule;
  return nullptr;
}

}  // namespace octet
