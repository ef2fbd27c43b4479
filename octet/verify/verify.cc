#include "octet/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "octet/base/fail.h"
#include "octet/verify/difference.h"
#include "octet/verify/float_tolerance.h"
#include "octet/verify/near_tie.h"

namespace octet {
namespace {

Tensor element(const Tensor& tensor, std::int64_t k) {
  Tensor one(tensor.dtype(), {});
  const std::size_t size = size_of(tensor.dtype());
  std::copy_n(tensor.bytes().begin() + k * static_cast<std::int64_t>(size), size, one.mutable_bytes().begin());
  return one;
}

// Operators that compute on integers; what else makes an integer tensor came through float.
bool computes_on_integers(const std::string& op) {
  return op.starts_with("QLinear") || op == "QGemm" || op.ends_with("Integer") || op == "DynamicQuantizeLinear";
}

TensorVerdict& verdict_for(std::vector<TensorVerdict>& verdicts, std::size_t step, const std::string& tensor) {
  const auto known = std::find_if(verdicts.begin(), verdicts.end(),
                                  [&](const TensorVerdict& verdict) { return verdict.tensor == tensor; });
  if (known != verdicts.end()) return *known;
  verdicts.push_back({.tensor = tensor, .step = step});
  return verdicts.back();
}

bool all_equal(const std::vector<TensorVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const TensorVerdict& verdict) { return verdict.equal(); });
}

bool all_comparable(const std::vector<TensorVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const TensorVerdict& verdict) { return verdict.wrong.empty(); });
}

}  // namespace

bool Verification::identical() const {
  return missing.empty() && all_equal(end_to_end) && all_equal(steps) &&
         std::none_of(steps.begin(), steps.end(), [](const TensorVerdict& verdict) { return verdict.near_ties > 0; });
}

bool Verification::agrees() const {
  return missing.empty() && all_equal(steps) && all_comparable(end_to_end) &&
         std::all_of(end_to_end.begin(), end_to_end.end(), [&](const TensorVerdict& verdict) {
           return verdict.equal() || rounded_before.contains(verdict.tensor);
         });
}

void Verifier::compare(std::vector<TensorVerdict>& verdicts, std::size_t index, const std::string& tensor,
                       const Tensor& ours, const JudgeAnswer& theirs, const NamedTensors& values, bool alone) {
  const Program& program = engine_.program();
  const Step& step = program.steps[index];
  const Tensor& other = theirs.tensors.at(tensor);
  TensorVerdict& verdict = verdict_for(verdicts, index, tensor);
  const std::vector<double> tolerances = float_tolerances(program, step, values, ours);
  const double tolerance = tolerances.empty() ? 0 : *std::max_element(tolerances.begin(), tolerances.end());
  const Difference found = difference(ours, other, tolerances);
  if (const auto op = theirs.made_by.find(tensor); op != theirs.made_by.end()) verdict.computed_by = op->second;
  verdict.is_float = is_float(ours.dtype());
  verdict.elements += found.elements;
  verdict.tolerance = std::max(verdict.tolerance, tolerance);
  verdict.largest = std::max(verdict.largest, found.largest);
  if (verdict.wrong.empty()) verdict.wrong = found.wrong;
  if (found.equal()) return;

  std::optional<RealResult> real;
  const bool in_float = !verdict.is_float && !verdict.computed_by.empty() && !computes_on_integers(verdict.computed_by);
  if (alone && in_float && found.wrong.empty()) real = real_result(program, step, values);
  for (const std::int64_t k : found.differing) {
    if (real && is_near_tie(*real, k, ours.int_at(k), other.int_at(k))) {
      ++verdict.near_ties;
      continue;
    }
    const bool first = ++verdict.differing == 1;
    if (first && alone)
      result_.witnesses.push_back(
          {index, tensor, index_at(ours.shape(), k), element(ours, k), element(other, k), values});
  }
}

// What a step reads that neither the caller nor the judge has is computed from what they have.
void Verifier::check_steps(NamedTensors known, const JudgeAnswer& theirs) {
  const Program& program = engine_.program();
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    NamedTensors read;
    bool complete = true, rounded = false;
    for (const ValueId input : inputs_of(program, program.steps[s])) {
      const auto value = known.find(program.values[input].name);
      complete = complete && value != known.end();
      if (complete) read.insert(*value);
      rounded = rounded || result_.rounded_before.contains(program.values[input].name);
    }
    if (!complete) continue;
    for (const auto& [tensor, ours] : engine_.run_step(s, read)) {
      const auto given = theirs.tensors.find(tensor);
      const bool compared = given != theirs.tensors.end();
      if (compared) compare(result_.steps, s, tensor, ours, theirs, read, true);
      const bool usable = compared && given->second.dtype() == ours.dtype() && given->second.shape() == ours.shape();
      // The two sides' tensors may differ from here on, though neither is wrong.
      if (rounded || (usable && !given->second.identical(ours)) ||
          (!compared && program.steps[s].kind == StepKind::kFloat))
        result_.rounded_before.insert(tensor);
      known[tensor] = usable ? given->second : ours;
    }
  }
}

void Verifier::compare_values(const NamedTensors& ours, const JudgeAnswer& theirs) {
  const Program& program = engine_.program();
  std::size_t common = 0;
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const Operation& operation : program.steps[s].operations)
      for (const ValueId output : operation.outputs) {
        if (output == kNoValue) continue;
        const std::string& tensor = program.values[output].name;
        if (!theirs.tensors.contains(tensor) || !ours.contains(tensor)) continue;
        compare(result_.end_to_end, s, tensor, ours.at(tensor), theirs, ours, false);
        ++common;
      }
  for (const ValueId output : program.outputs) {
    const std::string& name = program.values[output].name;
    if (!theirs.tensors.contains(name)) {
      if (std::find(result_.missing.begin(), result_.missing.end(), name) == result_.missing.end())
        result_.missing.push_back(name);
      continue;
    }
    // An output that no step makes: a constant, or an input passed through.
    const auto fixed = ours.find(name);
    const bool made = std::any_of(result_.end_to_end.begin(), result_.end_to_end.end(),
                                  [&](const TensorVerdict& verdict) { return verdict.tensor == name; });
    if (made || fixed == ours.end()) continue;
    ++common;
    if (!difference(fixed->second, theirs.tensors.at(name)).equal()) result_.missing.push_back(name);
  }
  if (common > 0) return;
  std::string names;
  for (const auto& [tensor, values] : theirs.tensors)
    if (names.size() < 200) names += (names.empty() ? "" : ", ") + tensor;
  fail(ErrorCode::kUsage, "no tensor that the program computes is on both sides; the other has {}",
       names.empty() ? "none" : names);
}

void Verifier::add(const NamedTensors& inputs, const JudgeAnswer& theirs) {
  NamedTensors ours = engine_.run(inputs, {.keep_all = true});
  ours.insert(inputs.begin(), inputs.end());
  compare_values(ours, theirs);
  NamedTensors known = inputs;
  for (const ProgramInput& input : engine_.program().inputs)
    if (!input.default_value.empty()) known.emplace(engine_.program().values[input.value].name, input.default_value);
  check_steps(std::move(known), theirs);
  result_.runtime = theirs.runtime;
  result_.operators = theirs.operators;
  ++result_.batches;
}

void Verifier::add_dumps(const NamedTensors& golden, const NamedTensors& mine) {
  const JudgeAnswer theirs{mine, "", {}, {}};
  result_.other = "mine";
  const Program& program = engine_.program();
  NamedTensors inputs;
  for (const ProgramInput& input : program.inputs) {
    const std::string& name = program.values[input.value].name;
    const auto here = golden.find(name), there = mine.find(name);
    if (here != golden.end() && there != mine.end() && !here->second.identical(there->second))
      fail(ErrorCode::kUsage, "the two dumps are of different inputs: {} is not the same in both", name);
    if (there != mine.end())
      inputs.insert(*there);
    else if (here != golden.end())
      inputs.insert(*here);
    else if (!input.default_value.empty())
      inputs.emplace(name, input.default_value);
  }
  compare_values(golden, theirs);
  check_steps(std::move(inputs), theirs);
  ++result_.batches;
}

Model with_values_exposed(Model model, const Program& program) {
  std::set<std::string, std::less<>> made, exposed;
  for (const Node& node : model.graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  for (const Value& output : model.graph.outputs) exposed.insert(output.name);
  for (const Step& step : program.steps) {
    if (step.kind == StepKind::kDequantize) continue;
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs) {
        if (output == kNoValue) continue;
        const ProgramValue& value = program.values[output];
        if (!made.contains(value.name) || !exposed.insert(value.name).second) continue;
        Value added{.name = value.name};
        added.type.dtype = value.dtype;
        added.type.shape = value.shape;
        model.graph.outputs.push_back(std::move(added));
      }
  }
  return model;
}

}  // namespace octet
