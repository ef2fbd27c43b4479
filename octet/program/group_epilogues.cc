#include "octet/program/group_epilogues.h"

#include <algorithm>

#include "octet/program/resolve.h"
#include "octet/program/support/resolving.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// Whether a step of this kind may become stages of another one; its work decides.
bool works_on_elements(const Step& step) {
  return step.kind == StepKind::kAddition || step.kind == StepKind::kMultiplication || step.kind == StepKind::kTable ||
         std::holds_alternative<work::FloatElements>(step.work) ||
         input_number(*step.operations.front().op, Role::kLow) || is(step.operations.front().op, ops::kRelu);
}

Step joined(Step first, const Step& second) {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(first.operations, second.operations);
  append(first.sources, second.sources);
  append(first.warnings, second.warnings);
  if (!first.reason.empty() && !second.reason.empty()) first.reason += "; ";
  first.reason += second.reason;
  return first;
}

class Grouping {
 public:
  explicit Grouping(Program program)
      : program_(std::move(program)),
        known_(infer_values(program_).known),
        readers_(program_.values.size(), 0),
        made_by_(program_.values.size()) {
    for (const Step& step : program_.steps)
      for (const ValueId input : inputs_of(program_, step)) ++readers_[input];
    for (const ValueId output : program_.outputs) ++readers_[output];
  }

  Program run() && {
    std::vector<Step> steps = std::move(program_.steps);
    for (Step& step : steps) {
      if (works_on_elements(step))
        for (const std::size_t before : makers(step))
          if (take_up(before, step)) break;
      for (const ValueId output : outputs_of(program_, step)) made_by_[output] = done_.size();
      done_.push_back(std::move(step));
    }
    std::erase_if(done_, [](const Step& step) { return step.operations.empty(); });
    program_.steps = std::move(done_);
    resolve_again(program_);
    return std::move(program_);
  }

 private:
  // The steps that make what only this one reads, the latest first: their operands wait the shortest.
  std::vector<std::size_t> makers(const Step& step) const {
    std::vector<std::size_t> found;
    for (const ValueId input : inputs_of(program_, step))
      if (readers_[input] == 1 && made_by_[input]) found.push_back(*made_by_[input]);
    std::sort(found.rbegin(), found.rend());
    return found;
  }

  // Makes one step of the two, if its work says all of it.
  bool take_up(std::size_t before, Step& step) {
    // Each operation that joins a step has all of it resolved again.
    constexpr std::size_t kMostOperations = 32;
    if (done_[before].operations.size() + step.operations.size() > kMostOperations) return false;
    if (!epilogue_of(done_[before].work) || !done_[before].opaque.empty()) return false;
    Step both = joined(done_[before], step);
    resolve_step(program_, known_, budget_, both, Constants::kKept);
    if (!both.opaque.empty()) return false;
    done_[before].operations.clear();
    step = std::move(both);
    return true;
  }

  Program program_;
  std::vector<Tensor> known_;
  MoveBudget budget_;
  std::vector<int> readers_;                         // steps, and the caller where it is an output
  std::vector<std::optional<std::size_t>> made_by_;  // an index into done_
  std::vector<Step> done_;                           // without operations: taken up by a later one
};

}  // namespace

Program group_epilogues(Program program) { return Grouping(std::move(program)).run(); }

}  // namespace octet
