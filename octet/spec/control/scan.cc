// scan.cc: the meaning of Scan.
//
//   for each index t along the scanned axes:  states, slices = body(states, x0 at t, x1 at t, ...)
//   outputs = states, then the slices one after the other along an axis of each output
//
// A direction of 1 reads an input, or writes an output, from its last index to its first. In opset 8 everything has a batch
// as its first axis and is scanned along the second, each member of the batch alone and for as long as sequence_lens says;
// what lies behind that is 0.
//
//   scan_c1  num_scan_inputs is given, at least 1 and at most the number of inputs.
//   scan_c2  body is a graph.
//   scan_c3  The body has as many inputs and outputs as the node.
//   scan_c4  There is one axis and one direction for each, where they are given; axes exist, directions are 0 or 1.
//   scan_c5  Scanned axes have one length; in opset 8 batches have one size, and sequence_lens has a length for each member.
//   scan_c6  A state keeps its type.
//   scan_c7  What the body adds to an output has the same type and shape each time.
#include <algorithm>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/control.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

// How one application scans: the same for its rule and its run.
struct ScanForm {
  std::size_t states, scanned, slices;  // how many
  std::vector<std::int64_t> input_axes, output_axes;
  std::vector<std::int64_t> input_directions, output_directions;
};

std::vector<std::int64_t> scan_list(const Attributes& attributes, std::string_view name, std::size_t count) {
  std::vector<std::int64_t> list = attributes.get_ints(name);
  if (list.empty()) list.assign(count, 0);
  if (list.size() != count) fail_constraint("scan_c4", "{} has {} entries, wanted {}", name, list.size(), count);
  return list;
}

std::vector<std::int64_t> scan_directions(const Attributes& attributes, std::string_view name, std::size_t count) {
  std::vector<std::int64_t> list = scan_list(attributes, name, count);
  for (const std::int64_t direction : list)
    if (direction != 0 && direction != 1) fail_constraint("scan_c4", "{} has {}, wanted 0 or 1", name, direction);
  return list;
}

ScanForm scan_form(int opset, const Attributes& attributes, std::size_t inputs, std::size_t outputs) {
  const std::int64_t scanned = attributes.get_int("num_scan_inputs", 0);
  if (scanned < 1 || scanned > static_cast<std::int64_t>(inputs))
    fail_constraint("scan_c1", "num_scan_inputs is {}, wanted 1 to the number of inputs, {}", scanned, inputs);
  ScanForm form{.states = inputs - static_cast<std::size_t>(scanned), .scanned = static_cast<std::size_t>(scanned)};
  if (outputs < form.states)
    fail_constraint("scan_c3", "there are {} outputs, wanted one for each of {} states at least", outputs, form.states);
  form.slices = outputs - form.states;
  if (opset >= 9) {
    form.input_axes = scan_list(attributes, "scan_input_axes", form.scanned);
    form.output_axes = scan_list(attributes, "scan_output_axes", form.slices);
    form.input_directions = scan_directions(attributes, "scan_input_directions", form.scanned);
    form.output_directions = scan_directions(attributes, "scan_output_directions", form.slices);
  } else {
    form.input_axes.assign(form.scanned, 0);
    form.output_axes.assign(form.slices, 0);
    form.input_directions = scan_directions(attributes, "directions", form.scanned);
    form.output_directions.assign(form.slices, 0);
  }
  return form;
}

const Body& scan_body(const Bodies& bodies, std::size_t inputs, std::size_t outputs) {
  const Body& body = body_named(bodies, "body", "scan_c2");
  require_arity(body, inputs, outputs, "scan_c3");
  return body;
}

// The fact about one member of the batch of an input of opset 8.
Fact without_batch(const Fact& fact) {
  Fact one = without_elements(fact);
  if (one.shape && one.shape->empty())
    fail_constraint("scan_c5", "an input is a scalar, wanted a batch as its first axis");
  if (one.shape) one.shape->erase(one.shape->begin());
  return one;
}

void infer_scan(Inference& i) {
  const bool batched = i.opset() < 9;
  const std::size_t first = batched ? 1 : 0;
  if (batched && i.has(0) && i.dtype(0) != DType::kInt64)
    fail_constraint("scan_c5", "sequence_lens is {}, not int64", name(i.dtype(0)));
  const std::size_t inputs = i.input_count() - std::min(first, i.input_count());
  const ScanForm form = scan_form(i.opset(), i.attributes(), inputs, i.output_count());
  const Body& body = scan_body(i.bodies(), inputs, i.output_count());
  Dim batch, length;
  std::vector<Fact> given, start;
  for (std::size_t k = 0; k < inputs; ++k) {
    const Fact& whole = i.input(first + k);
    Fact fact = batched ? without_batch(whole) : without_elements(whole);
    if (batched && whole.shape) {
      if (surely_different(batch, whole.shape->front()))
        fail_constraint("scan_c5", "the inputs have batches of different sizes, wanted one");
      if (!batch.known()) batch = whole.shape->front();
    }
    if (k < form.states) {
      start.push_back(fact);
    } else if (fact.shape) {
      const std::size_t axis = normalize_axis(form.input_axes[k - form.states], fact.shape->size(), "scan_c4");
      const Dim& along = (*fact.shape)[axis];
      if (surely_different(length, along))
        fail_constraint("scan_c5", "one scanned axis has the length {}, another {}, wanted one", to_string(length),
                        to_string(along));
      if (!length.known()) length = along;
      fact.shape->erase(fact.shape->begin() + static_cast<std::ptrdiff_t>(axis));
    }
    given.push_back(std::move(fact));
  }
  const std::vector<Fact> run = body.infer(std::move(given));
  const std::vector<Fact> once(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(form.states));
  const std::vector<Fact> settled = settled_states(start, once, "scan_c6");
  const bool kept = keeps_shapes(start, once);
  for (std::size_t k = 0; k < i.output_count(); ++k) {
    Fact result = k < form.states ? settled[k] : Fact{run[k].dtype, kept ? run[k].shape : std::nullopt, {}, {}};
    if (k >= form.states && result.shape) {
      const std::size_t axis = normalize_axis(form.output_axes[k - form.states], result.shape->size() + 1, "scan_c4");
      result.shape->insert(result.shape->begin() + static_cast<std::ptrdiff_t>(axis), length);
    }
    if (batched && result.shape) result.shape->insert(result.shape->begin(), batch);
    i.outputs()[k] = std::move(result);
  }
}

// One scan, of `length` slices. Gives the states that are left; `stacks` get the slices.
std::vector<Tensor> scan(const ControlCall& call, const Body& body, const ScanForm& form, std::vector<Tensor> states,
                         const std::vector<Tensor>& scanned, std::int64_t length, std::vector<Stack>& stacks) {
  for (std::int64_t t = 0; t < length; ++t) {
    if (call.environment.stop.stop_requested()) fail(ErrorCode::kCancelled, "the run was cancelled");
    std::vector<DType> types;
    for (const Tensor& state : states) types.push_back(state.dtype());
    for (std::size_t k = 0; k < scanned.size(); ++k) {
      const std::size_t axis = normalize_axis(form.input_axes[k], scanned[k].shape().size(), "scan_c4");
      // A member of the batch that is shorter than the others has fewer slices.
      const std::int64_t index = form.input_directions[k] == 0 ? t : length - 1 - t;
      states.push_back(slice_at(scanned[k], axis, index, call.environment.parallel));
    }
    std::vector<Tensor> given = body.run(std::move(states));
    for (std::size_t k = 0; k < form.states; ++k)
      if (given[k].dtype() != types[k])
        fail_constraint("scan_c6", "state {} starts as {}, and its graph gives {}, wanted one type", k, name(types[k]),
                        name(given[k].dtype()));
    for (std::size_t k = 0; k < form.slices; ++k) stacks[k].push(given[form.states + k], "scan_c7");
    states.assign(std::make_move_iterator(given.begin()),
                  std::make_move_iterator(given.begin() + static_cast<std::ptrdiff_t>(form.states)));
  }
  return states;
}

std::int64_t scan_length(const std::vector<Tensor>& scanned, const ScanForm& form) {
  std::optional<std::int64_t> length;
  for (std::size_t k = 0; k < scanned.size(); ++k) {
    const Shape& shape = scanned[k].shape();
    const std::int64_t along = shape[normalize_axis(form.input_axes[k], shape.size(), "scan_c4")];
    if (length.value_or(along) != along)
      fail_constraint("scan_c5", "one scanned axis has the length {}, another {}, wanted one", *length, along);
    length = along;
  }
  return length.value_or(0);
}

// Tensors as they are, but `length` long along the first axis, with zeros behind.
Tensor padded(const Tensor& tensor, std::int64_t length, const Parallel& parallel) {
  Shape shape = tensor.shape();
  shape[0] = length;
  Tensor whole(tensor.dtype(), shape);
  copy_elements(parallel, tensor.shape(), tensor, {.strides = strides_of(tensor.shape())}, whole,
                {.strides = strides_of(shape)});
  return whole;
}

std::vector<Tensor> scan_batch(const ControlCall& call) {
  const std::vector<Tensor> inputs(call.inputs.begin() + 1, call.inputs.end());
  const ScanForm form = scan_form(call.opset, call.attributes, inputs.size(), call.output_count);
  const Body& body = scan_body(call.bodies, inputs.size(), call.output_count);
  for (const Tensor& input : inputs)
    if (input.shape().empty() || input.shape()[0] != inputs[0].shape()[0])
      fail_constraint("scan_c5", "the inputs have batches of different sizes, wanted one");
  const std::int64_t batch = inputs[0].shape()[0];
  if (call.has(0) && (call.inputs[0].dtype() != DType::kInt64 || call.inputs[0].shape() != Shape{batch}))
    fail_constraint("scan_c5", "sequence_lens is {}{}, wanted int64[{}]", name(call.inputs[0].dtype()),
                    to_string(call.inputs[0].shape()), batch);
  std::vector<Stack> members(call.output_count);
  for (std::int64_t b = 0; b < batch; ++b) {
    std::vector<Tensor> states, scanned;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      (k < form.states ? states : scanned).push_back(slice_at(inputs[k], 0, b, call.environment.parallel));
    const std::int64_t whole = scan_length(scanned, form);
    const std::int64_t length = call.has(0) ? call.inputs[0].int_at(b) : whole;
    if (length < 0 || length > whole)
      fail_constraint("scan_c5", "sequence_lens has {}, wanted 0 to the length of the axis, {}", length, whole);
    std::vector<Stack> stacks(form.slices);
    states = scan(call, body, form, std::move(states), scanned, length, stacks);
    for (std::size_t k = 0; k < form.states; ++k) members[k].push(states[k], "scan_c7");
    for (std::size_t k = 0; k < form.slices; ++k) {
      const Tensor slices = stacks[k].take(0, false, body.outputs[form.states + k], call.environment.parallel);
      members[form.states + k].push(padded(slices, whole, call.environment.parallel), "scan_c7");
    }
  }
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < members.size(); ++k)
    results.push_back(members[k].take(0, false, body.outputs[k], call.environment.parallel));
  return results;
}

std::vector<Tensor> control_scan(const ControlCall& call) {
  if (call.opset < 9) return scan_batch(call);
  const ScanForm form = scan_form(call.opset, call.attributes, call.inputs.size(), call.output_count);
  const Body& body = scan_body(call.bodies, call.inputs.size(), call.output_count);
  const auto first_scanned = call.inputs.begin() + static_cast<std::ptrdiff_t>(form.states);
  const std::vector<Tensor> scanned(first_scanned, call.inputs.end());
  std::vector<Stack> stacks(form.slices);
  std::vector<Tensor> results =
      scan(call, body, form, {call.inputs.begin(), first_scanned}, scanned, scan_length(scanned, form), stacks);
  for (std::size_t k = 0; k < form.slices; ++k) {
    const Fact& like = body.outputs[form.states + k];
    const std::size_t rank = stacks[k].count() > 0 ? stacks[k].rank() : like.shape.value_or(SymbolicShape()).size();
    const std::size_t axis = normalize_axis(form.output_axes[k], rank + 1, "scan_c4");
    results.push_back(stacks[k].take(axis, form.output_directions[k] == 1, like, call.environment.parallel));
    stacks[k] = Stack();
  }
  return results;
}

}  // namespace

const Operator ops::kScan = {
    .name = "Scan",
    .versions = {8, 9, 11, 16, 19, 21, 23, 24, 25},
    .formula =
        "for each t along the scanned axes: states, slices = body(states, x0 at t, x1 at t, ...); "
        "outputs = states, then the slices one after the other",
    .constraints =
        {{"scan_c1", "num_scan_inputs is given, at least 1 and at most the number of inputs"},
         {"scan_c2", "body is a graph"},
         {"scan_c3", "the body has as many inputs and outputs as the node"},
         {"scan_c4",
          "there is one axis and one direction for each, where they are given; axes exist, directions are 0 or 1"},
         {"scan_c5",
          "scanned axes have one length; in opset 8 batches have one size, and sequence_lens has a length for each "
          "member"},
         {"scan_c6", "a state keeps its type"},
         {"scan_c7", "what the body adds to an output has the same type and shape each time"}},
    .infer = infer_scan,
    .control = control_scan,
    .halves = Halves::kAsIs,
    .kind = StepKind::kFloat,
};

}  // namespace octet
