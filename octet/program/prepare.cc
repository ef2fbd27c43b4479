#include "octet/program/prepare.h"

#include <algorithm>
#include <initializer_list>

#include "octet/program/float_moves.h"
#include "octet/program/group_epilogues.h"
#include "octet/program/known_values.h"
#include "octet/program/resolve.h"
#include "octet/program/support/resolving.h"

namespace octet {
namespace {

// A step for each operation, in execution order, so that kernels make the values inside of steps too. Their work is not
// resolved yet.
Program with_operations_apart(Program program) {
  std::vector<Step> apart;
  for (Step& step : program.steps) {
    if (step.operations.size() == 1) {
      apart.push_back(std::move(step));
      continue;
    }
    for (Operation& operation : step.operations) {
      Step& one = apart.emplace_back();
      one.kind = kind_alone(program, operation);
      one.name = step.name;
      one.sources = step.sources;
      one.operations.push_back(std::move(operation));
    }
  }
  program.steps = std::move(apart);
  return program;
}

// Work in float as operations: a plan that shows every value keeps them all, in the layout of the kernels and in the
// declared one. Operations make them in the declared layout at once, which takes less memory.
Program without_float_work(Program program) {
  for (Step& step : program.steps)
    if (computes_in_float(step.work)) step.work = std::monostate();
  return program;
}

struct PreparePass {
  Program (*run)(Program program);
  std::initializer_list<Target> targets;
  bool needs_shapes = true;
};

// In this order, after the specialization, which infers the shapes that all of them read. None renumbers a value.
const PreparePass kPreparePasses[] = {
    // Steps that compute shapes are gone, and what they made are constants, which the passes below can read. Where every
    // value is shown, theirs are too.
    {with_known_values, {Target::kFastEngine, Target::kC, Target::kAccelerator}},
    // Layers in float know their weights, and so have kernels. Vectors and Verilog have none in float.
    // Again for constants that shapes tell.
    {with_float_constants, {Target::kFastEngine, Target::kC}, false},
    // Fewer passes over memory. C and Verilog have a function or a unit for each step of the file, under its name.
    {group_epilogues, {Target::kFastEngine}},
    // Last: a pass that ends with resolve_again() drops the moves of floats.
    {with_float_moves, {Target::kFastEngine, Target::kC}},
    {without_float_work, {Target::kEveryValue}},
};

bool is_for(const PreparePass& pass, Target target) { return std::ranges::count(pass.targets, target) > 0; }

}  // namespace

Program prepare_for_all_shapes(Program program, Target target) {
  for (const PreparePass& pass : kPreparePasses)
    if (is_for(pass, target) && !pass.needs_shapes) program = pass.run(std::move(program));
  return program;
}

Program prepare(Program program, Target target, const std::optional<std::map<std::string, std::int64_t>>& symbols) {
  if (target == Target::kEveryValue) {
    program = with_operations_apart(std::move(program));
    if (!symbols) resolve_again(program);
  }
  if (symbols) program = specialized(std::move(program), *symbols);
  for (const PreparePass& pass : kPreparePasses)
    if (is_for(pass, target)) program = pass.run(std::move(program));
  return program;
}

}  // namespace octet
