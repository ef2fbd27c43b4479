// Nodes whose inputs and outputs are not those of their operators end at the border, before anybody counts on them.
#include <gtest/gtest.h>

#include "octet/program/lower.h"
#include "octet/spec/registry.h"
#include "octet/spec/signature.h"
#include "tests/support/failure.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

// One node with all the inputs and outputs its operator has; none of their types is known.
Model model_of(const Operator& op, int opset) {
  Model model;
  model.ir_version = 10;
  model.opset_imports = {{"", op.domain.empty() ? opset : kNewestOpset}, {"com.microsoft", 1}};
  Node node{.name = "node", .op_type = std::string(op.name), .domain = std::string(op.domain)};
  const Signature& signature = signature_of(op, opset);
  for (const Parameter& input : signature.inputs) {
    node.inputs.emplace_back(input.name);
    model.graph.inputs.push_back({.name = std::string(input.name), .type = {.dtype = DType::kUint8}});
  }
  for (const Parameter& output : signature.outputs) node.outputs.push_back("out_" + std::string(output.name));
  model.graph.outputs.push_back({.name = node.outputs[0]});
  model.graph.nodes.push_back(std::move(node));
  return model;
}

void expect_missing(const Model& model, const Operator& op, std::string_view input) {
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact, Policy::kOnnxRuntime}) {
    const Error error = failure_of([&] { lowered(model, policy); });
    EXPECT_EQ(error.code(), ErrorCode::kModel);
    EXPECT_EQ(error.what(), "node (" + std::string(op.name) + "): input " + std::string(input) + " is missing");
  }
}

TEST(Arguments, ThatAreRequiredAreNamedForEveryOperator) {
  for (const Operator* op : operators())
    for (const int opset : op->versions) {
      const Model whole = model_of(*op, opset);
      const Signature& signature = signature_of(*op, opset);
      for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
        if (signature.inputs[i].optional) continue;
        Model model = whole;
        model.graph.nodes[0].inputs[i].clear();
        expect_missing(model, *op, signature.inputs[i].name);
      }
    }
}

TEST(Arguments, ThatAreTooFewOrTooManyAreRefusedForEveryOperator) {
  for (const Operator* op : operators())
    for (const int opset : op->versions) {
      const Model whole = model_of(*op, opset);
      const Signature& signature = signature_of(*op, opset);
      if (!signature.inputs.empty()) {
        Model none = whole;
        none.graph.nodes[0].inputs.clear();
        if (!signature.inputs[0].optional) expect_missing(none, *op, signature.inputs[0].name);
      }
      if (signature.inputs.empty() || !signature.inputs.back().repeated) {
        Model more = whole;
        more.graph.inputs.push_back({.name = "more", .type = {.dtype = DType::kUint8}});
        more.graph.nodes[0].inputs.push_back("more");
        EXPECT_EQ(failure_of([&] { lowered(more, Policy::kAsWritten); }).code(), ErrorCode::kModel) << op->name;
      }
      if (!signature.outputs.back().repeated) {
        Model more = whole;
        more.graph.nodes[0].outputs.push_back("more");
        EXPECT_EQ(failure_of([&] { lowered(more, Policy::kAsWritten); }).code(), ErrorCode::kModel) << op->name;
      }
    }
}

TEST(Arguments, OfTypesThatAreNoneOfTheOperatorsGiveNoConstants) {
  Model model = model_of(*find_operator("", "QLinearConv"), 10);
  std::erase_if(model.graph.inputs, [](const Value& input) { return input.name == "w"; });
  model.graph.initializers.push_back({.name = "w", .tensor = Tensor::from<float>({1, 1, 1, 1}, {3e38F})});
  const Program program = lowered(model, Policy::kAsWritten);
  EXPECT_EQ(sum_of(program.steps[0].work), nullptr);
}

}  // namespace
}  // namespace octet
