#include "octet/verify/verify.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/engine/reference_engine.h"
#include "octet/spec/operators.h"
#include "octet/spec/registry.h"
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
bool computes_on_integers(const std::string& op_type) {
  const Operator* op = find_operator_named(op_type);
  return op && (op->float_form || is(op, ops::kDynamicQuantizeLinear));
}

bool all_equal(const std::vector<TensorVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const TensorVerdict& verdict) { return verdict.equal(); });
}

bool saturation_explains(const std::vector<TensorVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const TensorVerdict& verdict) { return verdict.differing == verdict.saturated; });
}

bool all_comparable(const std::vector<TensorVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const TensorVerdict& verdict) { return verdict.wrong.empty(); });
}

// The values that `step` reads, or nothing where one is missing.
std::optional<NamedTensors> read_by(const Program& program, const Step& step, const NamedTensors& from) {
  NamedTensors read;
  for (const ValueId input : inputs_of(program, step)) {
    const auto value = from.find(program.values[input].name);
    if (value == from.end()) return std::nullopt;
    read.insert(*value);
  }
  return read;
}

bool same(const NamedTensors& a, const NamedTensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.identical(other.second);
  });
}

bool fits(const Tensor& a, const Tensor& b) { return a.dtype() == b.dtype() && a.shape() == b.shape(); }

}  // namespace

// One batch on its way through the steps.
struct Verifier::Walk {
  NamedTensors inputs;                            // of the network, those with defaults too
  NamedTensors ours;                              // from end to end: what later steps read
  bool computed = true;                           // else `ours` was given as a whole
  NamedTensors made, read;                        // by the step at hand, from end to end
  NamedTensors known;                             // of the group: the judge's tensors, and what follows from them
  std::set<std::string> incomparable;             // tensors of the judge that no step can read
  std::size_t common = 0;                         // tensors on both sides
  std::map<std::string, std::int64_t> operators;  // that the judge executed
};

bool Verification::identical() const {
  return missing.empty() && all_equal(end_to_end) && all_equal(steps) &&
         std::none_of(steps.begin(), steps.end(), [](const TensorVerdict& verdict) { return verdict.near_ties > 0; });
}

bool Verification::agrees() const { return all_equal(steps) && differs_by_saturation(); }

bool Verification::differs_by_saturation() const {
  return missing.empty() && saturation_explains(steps) && all_comparable(steps) && all_comparable(end_to_end) &&
         std::all_of(end_to_end.begin(), end_to_end.end(), [&](const TensorVerdict& verdict) {
           return verdict.equal() || rounded_before.contains(verdict.tensor);
         });
}

Verifier::Verifier(const Engine& engine, Floats floats, DescribeWitness describe)
    : engine_(engine), floats_(floats), describe_(std::move(describe)) {
  const Program& program = engine.program();
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const ValueId input : inputs_of(program, program.steps[s])) last_reader_[program.values[input].name] = s;
}

Difference Verifier::difference_of(const Tensor& ours, const Tensor& theirs, std::span<const double> tolerances) const {
  return floats_ == Floats::kToTheBit ? bit_difference(ours, theirs) : difference(ours, theirs, tolerances);
}

std::optional<Tensor> Verifier::saturated_result(std::size_t index, const std::string& tensor,
                                                 const NamedTensors& values) {
  const Step& step = engine_.program().steps[index];
  if (!sum_of(step.work)) return std::nullopt;
  if (!saturating_)
    saturating_ = std::make_shared<const ReferenceEngine>(
        engine_.program(),
        EngineOptions{.arithmetic = {.saturating_pairs = true}, .threads = engine_.parallel().threads()});
  return saturating_->run_step(index, values).at(tensor);
}

Verifier::HiddenPointer Verifier::hidden_source(const NamedTensors& values) const {
  const auto source = values.size() == 1 ? hidden_.find(values.begin()->first) : hidden_.end();
  return source == hidden_.end() ? nullptr : source->second;
}

std::optional<FloatResult> Verifier::real_numbers(std::size_t index, const NamedTensors& values,
                                                  const HiddenPointer& source) const {
  const Program& program = engine_.program();
  const Step& step = program.steps[index];
  if (std::optional<FloatResult> own = real_result(program, step, values, engine_.parallel())) return own;
  if (!source) return std::nullopt;
  const std::optional<FloatResult> real = real_numbers(source->step, source->read, source->source);
  if (!real) return std::nullopt;
  return moved_result(program, step, values.begin()->second.shape(), *real, engine_.parallel());
}

void Verifier::compare(Verdicts verdicts, std::size_t index, const std::string& tensor, const Tensor& ours,
                       const JudgeAnswer& theirs, const NamedTensors& values, bool alone) {
  const Program& program = engine_.program();
  const Step& step = program.steps[index];
  const Tensor& other = theirs.tensors.at(tensor);
  const auto [place, is_new] = verdicts.places.try_emplace(tensor, verdicts.list.size());
  if (is_new) verdicts.list.push_back({.tensor = tensor, .step = index});
  TensorVerdict& verdict = verdicts.list[place->second];
  if (const auto op = theirs.made_by.find(tensor); op != theirs.made_by.end()) verdict.computed_by = op->second;
  const auto tolerances = [&](const Tensor& result) {
    if (floats_ == Floats::kToTheBit) return std::vector<double>();
    return float_tolerances(program, step, values, result, !computes_on_integers(verdict.computed_by),
                            engine_.parallel());
  };
  // What is the same to the last bit needs no tolerances, which may take longer than the step itself.
  const Difference found =
      ours.identical(other) ? Difference{.elements = ours.size()} : difference_of(ours, other, tolerances(ours));
  verdict.is_float = is_float(ours.dtype());
  verdict.elements += found.elements;
  if (const bool differed = verdict.differing > 0, differs = !found.differing.empty();
      differs > differed || (differs == differed && found.largest >= verdict.largest)) {
    verdict.largest = found.largest;
    verdict.tolerance = found.largest > 0 ? found.tolerance : std::max(verdict.tolerance, found.tolerance);
  }
  if (verdict.wrong.empty()) verdict.wrong = found.wrong;
  if (found.differing.empty()) return;
  if (!alone) {
    verdict.differing += static_cast<std::int64_t>(found.differing.size());
    return;
  }

  std::optional<FloatResult> real;
  if (!verdict.is_float && !verdict.computed_by.empty() && !computes_on_integers(verdict.computed_by))
    real = real_numbers(index, values, hidden_source(values));
  // All of the tensor must be what saturation gives: an element off by one is easily so by chance.
  const std::optional<Tensor> saturated = saturated_result(index, tensor, values);
  const bool explained = saturated && difference_of(*saturated, other, tolerances(*saturated)).equal();
  bool first = true;
  for (const std::int64_t k : found.differing) {
    if (real && is_near_tie(*real, k, ours.int_at(k), other.int_at(k))) {
      ++verdict.near_ties;
      continue;
    }
    ++verdict.differing;
    verdict.saturated += explained ? 1 : 0;
    if (first)
      add_witness({.step = index,
                   .tensor = tensor,
                   .index = index_at(ours.shape(), k),
                   .ours = element(ours, k),
                   .theirs = element(other, k),
                   .saturated = explained},
                  values);
    first = false;
  }
}

// One for each tensor: the first that saturation does not explain, if there is such an element.
void Verifier::add_witness(Witness witness, const NamedTensors& inputs) {
  std::vector<Witness>& witnesses = result_.witnesses;
  auto place = std::find_if(witnesses.begin(), witnesses.end(),
                            [&](const Witness& other) { return other.tensor == witness.tensor; });
  if (place != witnesses.end() && !(place->saturated && !witness.saturated)) return;
  if (describe_) describe_(witness, inputs, place == witnesses.begin());
  if (place == witnesses.end())
    witnesses.push_back(std::move(witness));
  else
    *place = std::move(witness);
}

void Verifier::compare_end_to_end(Walk& walk, std::size_t index, const JudgeAnswer& theirs) {
  const Step& step = engine_.program().steps[index];
  if (walk.computed) {
    walk.read = read_by(engine_.program(), step, walk.ours).value();
    walk.made = engine_.run_step(index, walk.read);
  }
  NamedTensors around = walk.read;
  around.insert(walk.made.begin(), walk.made.end());
  const NamedTensors& values = walk.computed ? around : walk.ours;
  for (const Operation& operation : step.operations)
    for (const ValueId output : operation.outputs) {
      if (output == kNoValue) continue;
      const std::string& tensor = engine_.program().values[output].name;
      if (!theirs.tensors.contains(tensor) || !values.contains(tensor)) continue;
      compare({result_.end_to_end, end_to_end_}, index, tensor, values.at(tensor), theirs, values, false);
      ++walk.common;
    }
}

// What a step reads that neither the caller nor the judge has is computed from what they have.
void Verifier::check_step(Walk& walk, std::size_t index, const JudgeAnswer& theirs) {
  const Program& program = engine_.program();
  const Step& step = program.steps[index];
  const std::optional<NamedTensors> read = read_by(program, step, walk.known);
  if (!read) {  // nothing to check; the steps behind may read what the judge has
    for (const ValueId output : outputs_of(program, step))
      if (const auto given = theirs.tensors.find(program.values[output].name); given != theirs.tensors.end())
        walk.known.insert(*given);
    return;
  }
  const bool rounded = std::any_of(read->begin(), read->end(),
                                   [&](const auto& value) { return result_.rounded_before.contains(value.first); });
  const NamedTensors made = walk.computed && same(*read, walk.read) ? walk.made : engine_.run_step(index, *read);
  for (const auto& [tensor, ours] : made) {
    const auto given = theirs.tensors.find(tensor);
    const bool compared = given != theirs.tensors.end();
    if (!compared && is_integer(ours.dtype()))
      hidden_[tensor] = std::make_shared<const Hidden>(Hidden{index, *read, hidden_source(*read)});
    if (compared) compare({result_.steps, steps_}, index, tensor, ours, theirs, *read, true);
    const bool usable = compared && fits(given->second, ours);
    if (compared && !usable) walk.incomparable.insert(tensor);
    // The two sides' tensors may differ from here on, though neither is wrong.
    const bool rounds = step.kind == StepKind::kFloat || joins_partial_sums(step.work);
    const bool may_round = rounded || (usable && !given->second.identical(ours)) || (!compared && rounds);
    if (floats_ == Floats::kWithinTolerance && may_round) result_.rounded_before.insert(tensor);
    if (last_reader_.contains(tensor)) walk.known[tensor] = usable ? given->second : ours;
  }
}

void Verifier::compare_group(Walk& walk, const StepGroup& group, const JudgeAnswer& theirs, const Progress& progress) {
  const Program& program = engine_.program();
  walk.known = walk.inputs;
  for (const std::string& tensor : group.tensors)
    if (const auto given = theirs.tensors.find(tensor); given != theirs.tensors.end())
      if (!walk.incomparable.contains(tensor)) walk.known.insert(*given);
  for (const std::size_t s : group.before)
    if (const auto read = read_by(program, program.steps[s], walk.known)) walk.known.merge(engine_.run_step(s, *read));
  for (std::size_t s = group.first; s < group.end; ++s) {
    if (progress) progress(s, program.steps.size());
    compare_end_to_end(walk, s, theirs);
    check_step(walk, s, theirs);
    if (walk.computed)
      for (const auto& value : walk.made)
        if (last_reader_.contains(value.first)) walk.ours.insert(value);
    for (const ValueId input : inputs_of(program, program.steps[s])) {
      const std::string& name = program.values[input].name;
      if (last_reader_.at(name) != s) continue;
      walk.known.erase(name);
      hidden_.erase(name);
      if (walk.computed) walk.ours.erase(name);
    }
  }
  walk.known.clear();  // the next answer takes its place
  result_.runtime = theirs.runtime;
  for (const auto& [op, count] : theirs.operators) walk.operators[op] += count;
  ++result_.runs;
}

void Verifier::finish(const Walk& walk, const JudgeAnswer& theirs) {
  const Program& program = engine_.program();
  std::size_t common = walk.common;
  for (const ValueId output : program.outputs) {
    const std::string& name = program.values[output].name;
    if (!theirs.tensors.contains(name)) {
      if (std::find(result_.missing.begin(), result_.missing.end(), name) == result_.missing.end())
        result_.missing.push_back(name);
      continue;
    }
    // An output that no step makes: a constant, or an input passed through.
    if (end_to_end_.contains(name)) continue;
    const auto passed = walk.inputs.find(name);
    const Tensor& fixed = passed == walk.inputs.end() ? program.values[output].constant : passed->second;
    if (fixed.empty()) continue;
    ++common;
    if (!difference(fixed, theirs.tensors.at(name)).equal()) result_.missing.push_back(name);
  }
  ++result_.batches;
  for (const auto& [op, count] : walk.operators) result_.operators[op] = std::max(result_.operators[op], count);
  if (common > 0) return;
  std::string names;
  for (const auto& [tensor, values] : theirs.tensors)
    if (names.size() < 200) names += (names.empty() ? "" : ", ") + tensor;
  fail(ErrorCode::kUsage, "no tensor that the program computes is on both sides; the other has {}{}",
       names.empty() ? "none" : names,
       program.policy == Policy::kAsWritten ? "" : ". The policy as-written computes every tensor of the file");
}

void Verifier::add(const NamedTensors& inputs, const JudgeAnswer& theirs) {
  const StepGroup all{.first = 0, .end = engine_.program().steps.size()};
  add(inputs, {&all, 1}, [&](const StepGroup&) { return theirs; });
}

void Verifier::add(const NamedTensors& inputs, std::span<const StepGroup> groups,
                   const std::function<JudgeAnswer(const StepGroup&)>& ask, const Progress& progress) {
  Walk walk{.inputs = engine_.checked_inputs(inputs)};
  walk.ours = walk.inputs;
  for (const StepGroup& group : groups) {
    const JudgeAnswer theirs = ask(group);
    compare_group(walk, group, theirs, progress);
    if (&group == &groups.back()) finish(walk, theirs);
  }
}

void Verifier::add_dumps(const NamedTensors& golden, const NamedTensors& mine) {
  const JudgeAnswer theirs{mine, "", {}, {}};
  result_.other = "mine";
  const Program& program = engine_.program();
  Walk walk{.ours = golden, .computed = false};
  for (const ProgramInput& input : program.inputs) {
    const std::string& name = program.values[input.value].name;
    const auto here = golden.find(name), there = mine.find(name);
    if (here != golden.end() && there != mine.end() && !here->second.identical(there->second))
      fail(ErrorCode::kUsage, "the two dumps are of different inputs: {} is not the same in both", name);
    if (there != mine.end())
      walk.inputs.insert(*there);
    else if (here != golden.end())
      walk.inputs.insert(*here);
    else if (!input.default_value.empty())
      walk.inputs.emplace(name, input.default_value);
  }
  compare_group(walk, {.first = 0, .end = program.steps.size()}, theirs, {});
  finish(walk, theirs);
}

}  // namespace octet
