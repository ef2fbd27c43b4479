// loop.cc: the meaning of Loop.
//
//   for (i = 0; i < M and cond; ++i)  cond, states, slices = body(i, cond, states)
//   outputs = states, then the slices of each iteration one after the other along a new first axis
//
// Without M there is no end but cond's, and without cond none but M's. The caller may end it between iterations, and
// trip_limit.h limits their number.
//
//   loop_c1  M is one element of type int64, where it is given.
//   loop_c2  cond is one element of type bool, where it is given, and whenever the body gives it.
//   loop_c3  body is a graph.
//   loop_c4  The body has two inputs more than there are states, and one output more than the node.
//   loop_c5  A state keeps its type.
//   loop_c6  What the body adds to an output has the same type and shape in each iteration.
#include <limits>

#include "octet/base/trip_limit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/control.h"

namespace octet {
namespace {

std::size_t loop_states(std::size_t inputs) { return inputs < 2 ? 0 : inputs - 2; }

const Body& loop_body(const Bodies& bodies, std::size_t states, std::size_t outputs) {
  const Body& body = body_named(bodies, "body", "loop_c3");
  require_arity(body, states + 2, outputs + 1, "loop_c4");
  if (outputs < states)
    fail_constraint("loop_c4", "there are {} outputs, wanted one for each of {} states at least", outputs, states);
  return body;
}

// Number and condition go to the body in the rank that it declares.
Shape shape_for(const Fact& declared) { return declared.shape && declared.shape->size() == 1 ? Shape{1} : Shape{}; }

void infer_loop(Inference& i) {
  if (i.has(0)) require_one(i.input(0), DType::kInt64, "M", "loop_c1");
  if (i.has(1)) require_one(i.input(1), DType::kBool, "cond", "loop_c2");
  const std::size_t states = loop_states(i.input_count());
  const Body& body = loop_body(i.bodies(), states, i.output_count());
  std::vector<Fact> start;
  for (std::size_t k = 0; k < states; ++k) start.push_back(without_elements(i.input(k + 2)));
  std::vector<Fact> inputs = {{DType::kInt64, symbolic(shape_for(body.inputs[0])), {}, {}},
                              {DType::kBool, symbolic(shape_for(body.inputs[1])), {}, {}}};
  inputs.insert(inputs.end(), start.begin(), start.end());
  std::vector<Fact> run = body.infer(std::move(inputs));
  require_one(run[0], DType::kBool, "what the body gives for cond", "loop_c2");
  run.erase(run.begin());
  const std::vector<Fact> once(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(states));
  const std::vector<Fact> settled = settled_states(start, once, "loop_c5");
  const bool kept = keeps_shapes(start, once);
  for (std::size_t k = 0; k < i.output_count(); ++k) {
    if (k < states) {
      i.outputs()[k] = settled[k];
      continue;
    }
    std::optional<SymbolicShape> shape = kept ? run[k].shape : std::nullopt;
    if (shape) shape->insert(shape->begin(), Dim());
    i.set_output(k, run[k].dtype, std::move(shape));
  }
}

std::vector<Tensor> control_loop(const ControlCall& call) {
  if (call.has(0)) require_one(call.inputs[0], DType::kInt64, "M", "loop_c1");
  if (call.has(1)) require_one(call.inputs[1], DType::kBool, "cond", "loop_c2");
  const std::size_t states = loop_states(call.inputs.size());
  const Body& body = loop_body(call.bodies, states, call.output_count);
  const std::int64_t most = call.has(0) ? call.inputs[0].int_at(0) : std::numeric_limits<std::int64_t>::max();
  bool goes_on = !call.has(1) || call.inputs[1].int_at(0) != 0;
  std::vector<Tensor> results(
      call.inputs.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, call.inputs.size())),
      call.inputs.end());
  std::vector<Stack> stacks(call.output_count - states);
  for (std::int64_t n = 0; n < most && goes_on; ++n) {
    if (call.environment.stop.stop_requested()) fail(ErrorCode::kCancelled, "the run was cancelled");
    TripLimit::begin_trip(n, most);
    std::vector<Tensor> inputs = {Tensor::scalar<std::int64_t>(n).reshaped(shape_for(body.inputs[0])),
                                  Tensor::scalar<bool>(true).reshaped(shape_for(body.inputs[1]))};
    inputs.insert(inputs.end(), std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
    std::vector<Tensor> given = body.run(std::move(inputs));
    require_one(given[0], DType::kBool, "what the body gives for cond", "loop_c2");
    goes_on = given[0].int_at(0) != 0;
    for (std::size_t k = 0; k < states; ++k)
      if (given[k + 1].dtype() != call.inputs[k + 2].dtype())
        fail_constraint("loop_c5", "state {} starts as {}, and its graph gives {}, wanted one type", k,
                        name(call.inputs[k + 2].dtype()), name(given[k + 1].dtype()));
    for (std::size_t k = 0; k < stacks.size(); ++k) stacks[k].push(given[states + 1 + k], "loop_c6");
    results.assign(std::make_move_iterator(given.begin() + 1),
                   std::make_move_iterator(given.begin() + 1 + static_cast<std::ptrdiff_t>(states)));
  }
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    results.push_back(stacks[k].take(0, false, body.outputs[states + 1 + k], call.environment.parallel));
    stacks[k] = Stack();
  }
  return results;
}

}  // namespace

const Operator ops::kLoop = {
    .name = "Loop",
    .versions = {1, 11, 13, 16, 19, 21, 23, 24, 25},
    .formula =
        "for (i = 0; i < M and cond; ++i) cond, states, slices = body(i, cond, states); "
        "outputs = states, then the slices along a new first axis",
    .constraints = {{"loop_c1", "M is one element of type int64, where it is given"},
                    {"loop_c2", "cond is one element of type bool, where it is given, and whenever the body gives it"},
                    {"loop_c3", "body is a graph"},
                    {"loop_c4",
                     "the body has two inputs more than there are states, and one output more than the node"},
                    {"loop_c5", "a state keeps its type"},
                    {"loop_c6", "what the body adds to an output has the same type and shape in each iteration"}},
    .infer = infer_loop,
    .control = control_loop,
    .halves = Halves::kAsIs,
    .kind = StepKind::kFloat,
};

}  // namespace octet
