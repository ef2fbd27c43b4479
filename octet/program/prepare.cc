#include "octet/program/prepare.h"

#include <algorithm>
#include <initializer_list>

#include "octet/program/float_moves.h"
#include "octet/program/group_epilogues.h"
#include "octet/program/known_values.h"
#include "octet/program/resolve.h"

namespace octet {
namespace {

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
};

// In this order, behind the specialization, which infers the shapes that all of them read.
const PreparePass kPreparePasses[] = {
    // Steps that compute shapes are gone, and what they made are constants, which the passes below can read. Where every
    // value is shown, theirs are too.
    {with_known_values, {Target::kFastEngine, Target::kC, Target::kAccelerator}},
    // Layers in float know their weights, and so have kernels. Vectors and Verilog have none in float.
    {with_float_constants, {Target::kFastEngine, Target::kC}},
    // Fewer passes over memory. C and Verilog have a function or a unit for each step of the file, under its name.
    {group_epilogues, {Target::kFastEngine}},
    // The last one: resolve(), with which the passes above end, knows no moves of floats.
    {with_float_moves, {Target::kFastEngine, Target::kC}},
    {without_float_work, {Target::kEveryValue}},
};

}  // namespace

Program prepare(Program program, Target target, const std::optional<std::map<std::string, std::int64_t>>& symbols) {
  if (symbols) program = specialized(std::move(program), *symbols);
  for (const PreparePass& pass : kPreparePasses)
    if (std::ranges::count(pass.targets, target) > 0) program = pass.run(std::move(program));
  return program;
}

}  // namespace octet
