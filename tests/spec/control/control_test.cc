// If, Loop and Scan with bodies that are plain functions: their constraints, and what they do at the edges.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using BodyFunction = std::function<std::vector<Tensor>(std::vector<Tensor>)>;

const Fact kFloatVector = fact(DType::kFloat, SymbolicShape{2});

// A body with so many inputs, and outputs of these types.
Body body_of(std::size_t inputs, std::vector<Fact> outputs, BodyFunction run) {
  Body body{.inputs = std::vector<Fact>(inputs), .outputs = std::move(outputs), .infer = {}, .run = std::move(run)};
  body.infer = [known = body.outputs](const std::vector<Fact>&) { return known; };
  return body;
}

Tensor pair(float a, float b) { return Tensor::from<float>({2}, {a, b}); }

struct ControlResult {
  std::vector<Tensor> tensors;
  std::string constraint;  // that failed, while it ran
  std::string inferred;    // that failed, while it was inferred
};

ControlResult control_result(const char* name, int opset, const AttributeList& list, const std::vector<Tensor>& inputs,
                             std::size_t outputs, const Bodies& bodies) {
  static const Parallel parallel(1);
  static const Arithmetic arithmetic;
  const Operator& op = *find_operator("", name);
  const Attributes attributes = attributes_of(list);
  ControlResult result;
  try {
    std::vector<Fact> facts;
    for (const Tensor& input : inputs) facts.push_back(fact(input.dtype(), symbolic(input.shape())));
    Inference inference(opset, attributes, facts, outputs, bodies);
    op.infer(inference);
  } catch (const Error& error) {
    result.inferred = error.constraint();
  }
  try {
    result.tensors = execute(op, opset, attributes, inputs, outputs, {arithmetic, parallel}, bodies);
  } catch (const Error& error) {
    result.constraint = error.constraint();
  }
  return result;
}

Bodies branches(std::vector<Fact> if_true, std::vector<Fact> if_false) {
  return {{"then_branch", body_of(0, std::move(if_true), [](auto) { return std::vector{pair(1, 2)}; })},
          {"else_branch", body_of(0, std::move(if_false), [](auto) { return std::vector{pair(3, 4)}; })}};
}

TEST(IfOperator, HoldsToItsConstraints) {
  const Bodies both = branches({kFloatVector}, {kFloatVector});
  EXPECT_EQ(control_result("If", 13, {}, {Tensor::scalar(true)}, 1, both).tensors[0], pair(1, 2));
  EXPECT_EQ(control_result("If", 13, {}, {Tensor::from<bool>({1}, {false})}, 1, both).tensors[0], pair(3, 4));
  for (const Tensor& cond : {Tensor::scalar(1.0F), Tensor(DType::kBool, {2})}) {
    EXPECT_EQ(control_result("If", 13, {}, {cond}, 1, both).constraint, "if_c1");
    EXPECT_EQ(control_result("If", 13, {}, {cond}, 1, both).inferred, "if_c1");
  }
  EXPECT_EQ(control_result("If", 13, {}, {Tensor::scalar(true)}, 1, {}).constraint, "if_c2");
  EXPECT_EQ(control_result("If", 13, {}, {Tensor::scalar(true)}, 2, both).constraint, "if_c3");
  EXPECT_EQ(control_result("If", 13, {}, {Tensor::scalar(true)}, 2, both).inferred, "if_c3");
  const Bodies types = branches({kFloatVector}, {fact(DType::kInt8, SymbolicShape{2})});
  EXPECT_EQ(control_result("If", 13, {}, {Tensor::scalar(true)}, 1, types).inferred, "if_c4");
}

TEST(IfOperator, KnowsWhatBothBranchesHaveInCommon) {
  const auto inferred = [](const Fact& a, const Fact& b) {
    const Attributes none;
    const Bodies bodies = branches({a}, {b});
    Inference inference(13, none, {fact(DType::kBool, SymbolicShape{})}, 1, bodies);
    find_operator("", "If")->infer(inference);
    return inference.outputs()[0];
  };
  const Dim n = Dim::symbol("N");
  EXPECT_EQ(*inferred(fact(DType::kFloat, SymbolicShape{n, 2}), fact(DType::kFloat, SymbolicShape{n, 3})).shape,
            (SymbolicShape{n, Dim()}));
  EXPECT_FALSE(inferred(fact(DType::kFloat, SymbolicShape{n}), fact(DType::kFloat, SymbolicShape{n, 3})).shape);
  EXPECT_TRUE(inferred(Fact::of(pair(1, 2)), Fact::of(pair(1, 2))).constant.empty());
}

// Adds one to the state; gives it and `slice`.
Bodies loop_body(const std::function<Tensor(std::int64_t)>& slice, Tensor goes_on = Tensor::scalar(true)) {
  return {{"body", body_of(3, {fact(DType::kBool, SymbolicShape{}), kFloatVector, kFloatVector},
                           [slice, goes_on](std::vector<Tensor> inputs) {
                             Tensor next = inputs[2];
                             for (float& x : next.mutable_as<float>()) ++x;
                             return std::vector{goes_on, next, slice(inputs[0].int_at(0))};
                           })}};
}

TEST(LoopOperator, HoldsToItsConstraints) {
  const Bodies body = loop_body([](std::int64_t i) { return pair(static_cast<float>(i), 0); });
  const Tensor three = Tensor::scalar<std::int64_t>(3), go = Tensor::scalar(true), x = pair(0, 10);
  const ControlResult good = control_result("Loop", 13, {}, {three, go, x}, 2, body);
  EXPECT_EQ(good.tensors[0], pair(3, 13));
  EXPECT_EQ(good.tensors[1], Tensor::from<float>({3, 2}, {0, 0, 1, 0, 2, 0}));
  EXPECT_EQ(good.inferred, "");
  EXPECT_EQ(control_result("Loop", 13, {}, {Tensor::scalar(3.0F), go, x}, 2, body).constraint, "loop_c1");
  EXPECT_EQ(control_result("Loop", 13, {}, {three, three, x}, 2, body).constraint, "loop_c2");
  EXPECT_EQ(control_result("Loop", 13, {}, {three, go, x}, 2, loop_body([](auto) { return pair(0, 0); }, x)).constraint,
            "loop_c2");
  EXPECT_EQ(control_result("Loop", 13, {}, {three, go, x}, 2, {}).constraint, "loop_c3");
  EXPECT_EQ(control_result("Loop", 13, {}, {three, go, x}, 3, body).constraint, "loop_c4");
  EXPECT_EQ(control_result("Loop", 13, {}, {three, go, x, x}, 2, body).inferred, "loop_c4");
  EXPECT_EQ(control_result("Loop", 13, {}, {three, go, convert(x, DType::kDouble)}, 2, body).inferred, "loop_c5");
  const Bodies growing = loop_body([](std::int64_t i) { return Tensor(DType::kFloat, {i}); });
  EXPECT_EQ(control_result("Loop", 13, {}, {three, go, x}, 2, growing).constraint, "loop_c6");
}

TEST(LoopOperator, GivesWhatItStartsWithWhenItDoesNotRun) {
  const Bodies body = loop_body([](std::int64_t) { return pair(0, 0); });
  const Tensor x = pair(0, 10);
  for (const auto& [count, go] : {std::pair<std::int64_t, bool>{0, true}, {-4, true}, {5, false}}) {
    const ControlResult none = control_result("Loop", 13, {}, {Tensor::scalar(count), Tensor::scalar(go), x}, 2, body);
    EXPECT_EQ(none.tensors[0], x);
    EXPECT_EQ(none.tensors[1], Tensor(DType::kFloat, {0, 2}));
  }
}

// A running sum, given as a state and as slices.
Bodies scan_body(std::size_t inputs = 2) {
  return {{"body", body_of(inputs, {kFloatVector, kFloatVector}, [](std::vector<Tensor> given) {
             Tensor sum = given[0];
             for (std::size_t k = 0; k < 2; ++k) sum.mutable_as<float>()[k] += given[1].as<float>()[k];
             return std::vector{sum, sum};
           })}};
}

TEST(ScanOperator, HoldsToItsConstraints) {
  const Tensor start = pair(0, 0), x = Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const AttributeList one = {{"num_scan_inputs", std::int64_t{1}}};
  const auto with = [&](const char* name, std::vector<std::int64_t> values) {
    AttributeList list = one;
    list.emplace_back(name, std::move(values));
    return list;
  };
  const ControlResult good = control_result("Scan", 11, one, {start, x}, 2, scan_body());
  EXPECT_EQ(good.tensors[0], pair(9, 12));
  EXPECT_EQ(good.tensors[1], Tensor::from<float>({3, 2}, {1, 2, 4, 6, 9, 12}));
  EXPECT_EQ(good.inferred, "");
  for (const std::int64_t count : {0, 3})
    EXPECT_EQ(control_result("Scan", 11, {{"num_scan_inputs", count}}, {start, x}, 2, scan_body()).constraint,
              "scan_c1");
  EXPECT_EQ(control_result("Scan", 11, one, {start, x}, 2, {}).constraint, "scan_c2");
  EXPECT_EQ(control_result("Scan", 11, one, {start, x}, 2, scan_body(3)).constraint, "scan_c3");
  EXPECT_EQ(control_result("Scan", 11, one, {start, x}, 3, scan_body()).inferred, "scan_c3");
  EXPECT_EQ(control_result("Scan", 11, with("scan_input_axes", {2}), {start, x}, 2, scan_body()).constraint, "scan_c4");
  EXPECT_EQ(control_result("Scan", 11, with("scan_input_axes", {0, 1}), {start, x}, 2, scan_body()).constraint,
            "scan_c4");
  EXPECT_EQ(control_result("Scan", 11, with("scan_output_directions", {2}), {start, x}, 2, scan_body()).inferred,
            "scan_c4");
  EXPECT_EQ(control_result("Scan", 11, with("scan_output_axes", {3}), {start, x}, 2, scan_body()).constraint,
            "scan_c4");
  const AttributeList two = {{"num_scan_inputs", std::int64_t{2}}};
  const Tensor shorter = Tensor(DType::kFloat, {2, 2});
  EXPECT_EQ(control_result("Scan", 11, two, {x, shorter}, 2, scan_body()).constraint, "scan_c5");
  EXPECT_EQ(control_result("Scan", 11, two, {x, shorter}, 2, scan_body()).inferred, "scan_c5");
  EXPECT_EQ(control_result("Scan", 11, one, {convert(start, DType::kDouble), x}, 2, scan_body()).inferred, "scan_c6");
}

TEST(ScanOperator, ScansEachMemberOfABatchForAsLongAsItIsInOpset8) {
  const AttributeList one = {{"num_scan_inputs", std::int64_t{1}}};
  const Tensor start(DType::kFloat, {2, 2}), lengths = int64s({2, 1});
  const Tensor x = Tensor::from<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
  const ControlResult good = control_result("Scan", 8, one, {lengths, start, x}, 2, scan_body());
  EXPECT_EQ(good.tensors[0], Tensor::from<float>({2, 2}, {4, 6, 10, 20}));
  EXPECT_EQ(good.tensors[1], Tensor::from<float>({2, 3, 2}, {1, 2, 4, 6, 0, 0, 10, 20, 0, 0, 0, 0}));
  EXPECT_EQ(good.inferred, "");
  EXPECT_EQ(control_result("Scan", 8, one, {int64s({2, 4}), start, x}, 2, scan_body()).constraint, "scan_c5");
  EXPECT_EQ(control_result("Scan", 8, one, {lengths, Tensor(DType::kFloat, {1, 2}), x}, 2, scan_body()).constraint,
            "scan_c5");
}

}  // namespace
}  // namespace octet
