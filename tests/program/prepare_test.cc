// Which passes a program goes through for each target.
#include "octet/program/prepare.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/program/networks.h"

namespace octet {
namespace {

// A shape that is computed, weights in float that are dequantized, a clamp behind the sum, and floats that change places.
Program mixed_program(const SymbolicShape& x) {
  return lowered(network(R"(main (x) => (y) {
  s = Shape (x)
  n = Gather (s, zero)
  u = Unsqueeze (n, axes)
  r = Concat <axis: int = 0> (u, rest)
  t = Transpose <perm: ints = [0, 2, 1]> (x)
  f = Reshape (t, r)
  w = DequantizeLinear (q, scale)
  p = MatMul (f, w)
  y = Relu (p)
})",
                         {value("x", DType::kFloat, x)},
                         {{"zero", Tensor::from<std::int64_t>({}, {0})},
                          {"axes", Tensor::from<std::int64_t>({1}, {0})},
                          {"rest", Tensor::from<std::int64_t>({1}, {6})},
                          {"q", Tensor::from<std::int8_t>({6, 1}, {1, -2, 3, -128, 5, 6})},
                          {"scale", Tensor::scalar(0.5F)}}),
                 Policy::kExact);
}

Names steps_of(const Program& program) {
  Names names;
  for (const Step& step : program.steps) {
    std::string& name = names.emplace_back();
    for (const Operation& operation : step.operations)
      name += (name.empty() ? "" : "+") + std::string(operation.op->name);
  }
  return names;
}

// The steps that run by their operations.
Names opaque_steps(const Program& program) {
  Names names;
  for (const Step& step : program.steps)
    if (std::holds_alternative<std::monostate>(step.work)) names.emplace_back(step.operations.front().op->name);
  return names;
}

TEST(Prepare, GivesEachTargetItsPasses) {
  const Program program = mixed_program({7, 2, 3});
  const Program fast = prepare(program, Target::kFastEngine, std::map<std::string, std::int64_t>{});
  EXPECT_EQ(steps_of(fast), (Names{"Transpose", "Reshape", "MatMul+Relu"}));
  EXPECT_EQ(opaque_steps(fast), Names{});
  const Program c = prepare(program, Target::kC);
  EXPECT_EQ(steps_of(c), (Names{"Transpose", "Reshape", "MatMul", "Relu"}));
  EXPECT_EQ(opaque_steps(c), Names{});
  const Program accelerator = prepare(program, Target::kAccelerator);
  EXPECT_EQ(steps_of(accelerator), (Names{"Transpose", "Reshape", "DequantizeLinear", "MatMul", "Relu"}));
  EXPECT_EQ(opaque_steps(accelerator), (Names{"Transpose", "MatMul"}));
  const Program every = prepare(program, Target::kEveryValue);
  EXPECT_EQ(steps_of(every), steps_of(program));
  EXPECT_EQ(opaque_steps(every), (Names{"Shape", "Gather", "Unsqueeze", "Concat", "Transpose", "MatMul", "Relu"}));
}

TEST(Prepare, AgainChangesNothing) {
  const Program program = mixed_program({7, 2, 3});
  for (const Target target : {Target::kFastEngine, Target::kC, Target::kAccelerator, Target::kEveryValue}) {
    const Program once = prepare(program, target), twice = prepare(once, target);
    EXPECT_EQ(steps_of(twice), steps_of(once));
    EXPECT_EQ(opaque_steps(twice), opaque_steps(once));
  }
  EXPECT_EQ(opaque_steps(prepare(prepare(program, Target::kAccelerator), Target::kC)), Names{});
}

TEST(Prepare, ForAllShapesFoldsWhatNeedsNone) {
  const Program program = mixed_program({N(), 2, 3});
  const Program fast = prepare_for_all_shapes(program, Target::kFastEngine);
  EXPECT_EQ(steps_of(fast),
            (Names{"Shape", "Gather", "Unsqueeze", "Concat", "Transpose", "Reshape", "MatMul", "Relu"}));
  EXPECT_EQ(find_value(fast, "w")->constant, (Tensor::from<float>({6, 1}, {0.5F, -1, 1.5F, -64, 2.5F, 3})));
  const std::map<std::string, std::int64_t> four = {{"N", 4}};
  EXPECT_EQ(steps_of(prepare(fast, Target::kFastEngine, four)), steps_of(prepare(program, Target::kFastEngine, four)));
  EXPECT_EQ(steps_of(prepare_for_all_shapes(program, Target::kAccelerator)), steps_of(program));
}

TEST(Prepare, GivesSymbolsTheirNumbers) {
  const Program program = mixed_program({N(), 2, 3});
  EXPECT_EQ(prepare(program, Target::kFastEngine).steps.size(), 7U);
  const Program special = prepare(program, Target::kFastEngine, std::map<std::string, std::int64_t>{{"N", 4}});
  EXPECT_EQ(steps_of(special), (Names{"Transpose", "Reshape", "MatMul+Relu"}));
  EXPECT_EQ(find_value(special, "y")->shape, (SymbolicShape{4, 1}));
}

}  // namespace
}  // namespace octet
