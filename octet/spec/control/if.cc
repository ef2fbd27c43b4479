// if.cc: the meaning of If.
//
//   outputs = then_branch()  if cond,  else_branch()  otherwise
//
// The branches take no inputs; they read the values around them. Only the one that is taken runs.
//
//   if_c1  cond is one element of type bool.
//   if_c2  then_branch and else_branch are graphs.
//   if_c3  The branches have no inputs, and as many outputs as the node.
//   if_c4  Both branches give the same types.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/control.h"

namespace octet {
namespace {

const Body& branch_of(const Bodies& bodies, std::string_view attribute, std::size_t outputs) {
  const Body& body = body_named(bodies, attribute, "if_c2");
  require_arity(body, 0, outputs, "if_c3");
  if (body.outputs.size() != outputs)
    fail_constraint("if_c3", "{} has {} outputs, wanted as many as the node, {}", attribute, body.outputs.size(),
                    outputs);
  return body;
}

void infer_if(Inference& i) {
  require_one(i.input(0), DType::kBool, "cond", "if_c1");
  const Body& if_true = branch_of(i.bodies(), "then_branch", i.output_count());
  const Body& if_false = branch_of(i.bodies(), "else_branch", i.output_count());
  if (const Tensor* cond = i.constant(0)) {
    i.outputs() = (cond->int_at(0) != 0 ? if_true : if_false).infer({});
    return;
  }
  const std::vector<Fact> a = if_true.infer({}), b = if_false.infer({});
  for (std::size_t k = 0; k < i.output_count(); ++k) {
    if (a[k].dtype != DType::kUndefined && b[k].dtype != DType::kUndefined && a[k].dtype != b[k].dtype)
      fail_constraint("if_c4", "output {} is {} in then_branch and {} in else_branch, wanted one type", k,
                      name(a[k].dtype), name(b[k].dtype));
    i.outputs()[k] = either(a[k], b[k]);
  }
}

std::vector<Tensor> control_if(const ControlCall& call) {
  require_one(call.inputs.at(0), DType::kBool, "cond", "if_c1");
  const Body& if_true = branch_of(call.bodies, "then_branch", call.output_count);
  const Body& if_false = branch_of(call.bodies, "else_branch", call.output_count);
  return (call.inputs[0].int_at(0) != 0 ? if_true : if_false).run({});
}

}  // namespace

const Operator ops::kIf = {
    .name = "If",
    .versions = {1, 11, 13, 16, 19, 21, 23, 24, 25},
    .formula = "outputs = then_branch() if cond, else_branch() otherwise",
    .constraints = {{"if_c1", "cond is one element of type bool"},
                    {"if_c2", "then_branch and else_branch are graphs"},
                    {"if_c3", "the branches have no inputs, and as many outputs as the node"},
                    {"if_c4", "both branches give the same types"}},
    .infer = infer_if,
    .control = control_if,
    .halves = Halves::kAsIs,
    .kind = StepKind::kFloat,
};

}  // namespace octet
