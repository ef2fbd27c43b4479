#include "octet/quantize/rules.h"

#include <array>

namespace octet {
namespace {

constexpr std::array kRules = {
    Rule{"Conv", RuleKind::kWeighted, 1, "QLinearConv", ""},
    Rule{"ConvTranspose", RuleKind::kWeighted, 1, "", ""},
    Rule{"Gemm", RuleKind::kWeighted, 1, "QGemm", kMicrosoft},
    Rule{"MatMul", RuleKind::kWeighted, 1, "QLinearMatMul", ""},
    Rule{"Add", RuleKind::kElementwise, 2, "QLinearAdd", kMicrosoft},
    Rule{"Mul", RuleKind::kElementwise, 2, "QLinearMul", kMicrosoft},
    Rule{"AveragePool", RuleKind::kElementwise, 1, "QLinearAveragePool", kMicrosoft},
    Rule{"GlobalAveragePool", RuleKind::kElementwise, 1, "QLinearGlobalAveragePool", kMicrosoft},
    Rule{"Concat", RuleKind::kElementwise, -1, "QLinearConcat", kMicrosoft},
    Rule{"LeakyRelu", RuleKind::kElementwise, 1, "QLinearLeakyRelu", kMicrosoft},
    Rule{"Sigmoid", RuleKind::kElementwise, 1, "QLinearSigmoid", kMicrosoft},
    Rule{"HardSwish", RuleKind::kElementwise, 1, "", ""},
    Rule{"Tanh", RuleKind::kElementwise, 1, "", ""},
    Rule{"Softmax", RuleKind::kSoftmax, 1, "QLinearSoftmax", kMicrosoft},
    Rule{"Relu", RuleKind::kClamp, 1, "", ""},
    Rule{"Clip", RuleKind::kClamp, 1, "", ""},
    Rule{"MaxPool", RuleKind::kMove, 1, "MaxPool", ""},
    Rule{"Reshape", RuleKind::kMove, 1, "Reshape", ""},
    Rule{"Flatten", RuleKind::kMove, 1, "Flatten", ""},
    Rule{"Transpose", RuleKind::kMove, 1, "Transpose", ""},
    Rule{"Squeeze", RuleKind::kMove, 1, "Squeeze", ""},
    Rule{"Unsqueeze", RuleKind::kMove, 1, "Unsqueeze", ""},
    Rule{"Slice", RuleKind::kMove, 1, "Slice", ""},
    Rule{"Gather", RuleKind::kMove, 1, "Gather", ""},
    Rule{"DepthToSpace", RuleKind::kMove, 1, "DepthToSpace", ""},
    Rule{"SpaceToDepth", RuleKind::kMove, 1, "SpaceToDepth", ""},
    Rule{"Expand", RuleKind::kMove, 1, "Expand", ""},
    Rule{"Tile", RuleKind::kMove, 1, "Tile", ""},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view domain, std::string_view op_type) {
  if (!domain.empty()) return nullptr;
  for (const Rule& rule : kRules)
    if (rule.op_type == op_type) return &rule;
  return nullptr;
}

}  // namespace octet
