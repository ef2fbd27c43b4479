#include "octet/integer/integer_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "octet/base/fail.h"
#include "octet/integer/integer_steps.h"
#include "octet/integer/support/integer_task.h"
#include "octet/integer/support/refusal.h"

namespace octet {
namespace {

void require_known_inputs(const Program& program) {
  std::set<std::string> unknown;
  for (const ProgramInput& input : program.inputs) {
    const ProgramValue& value = program.values[input.value];
    if (!value.shape) unknown.insert("the rank of " + value.name);
    for (const Dim& dim : value.shape.value_or(SymbolicShape{}))
      if (!dim.known()) unknown.insert(dim.is_symbol() ? dim.symbol() : "a dimension of " + value.name);
  }
  if (!unknown.empty())
    fail(ErrorCode::kUsage, "shapes are not known before the run: {}; give them numbers: --dim, or specialized()",
         fmt::join(unknown, ", "));
}

enum class Side { kInside, kBefore, kAfter };

// Whose steps are whose.
class Border {
 public:
  Border(const Program& program, const IntegerOptions& options)
      : program_(program), reads_(program.steps.size()), makes_(program.steps.size()), side_(program.steps.size()) {
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      const Step& step = program.steps[s];
      refusals_.push_back(refusal(program, step));
      reads_[s] = inputs_of(program, step);
      makes_[s] = outputs_of(program, step);
    }
    for (const ProgramInput& input : program.inputs) given_.insert(input.value);
    find_before(options.host_border);
    find_after(options.host_border);
  }

  Side side(std::size_t step) const { return side_[step]; }
  const std::string& refusal_of(std::size_t step) const { return refusals_[step]; }
  const std::vector<ValueId>& reads(std::size_t step) const { return reads_[step]; }

 private:
  // The host has all that they read before a single integer step has run.
  void find_before(bool any_float) {
    std::set<ValueId> known = given_;
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      const bool quantizes = std::holds_alternative<work::Quantize>(program_.steps[s].work);
      if (refusals_[s].empty() || !(quantizes || any_float)) continue;
      if (!std::all_of(reads_[s].begin(), reads_[s].end(), [&](ValueId value) { return known.contains(value); }))
        continue;
      side_[s] = Side::kBefore;
      if (any_float) known.insert(makes_[s].begin(), makes_[s].end());
    }
  }

  // No integer step needs what they make.
  void find_after(bool any_float) {
    std::set<ValueId> needed;
    for (std::size_t s = program_.steps.size(); s-- > 0;) {
      const bool dequantizes = std::holds_alternative<work::Dequantize>(program_.steps[s].work);
      const bool free =
          std::none_of(makes_[s].begin(), makes_[s].end(), [&](ValueId value) { return needed.contains(value); });
      const bool is_float = !refusals_[s].empty() && side_[s] == Side::kInside;
      if (is_float && free && (dequantizes || any_float))
        side_[s] = Side::kAfter;
      else if (side_[s] == Side::kInside)
        needed.insert(reads_[s].begin(), reads_[s].end());
    }
  }

  const Program& program_;
  std::vector<std::string> refusals_;
  std::vector<std::vector<ValueId>> reads_, makes_;
  std::vector<Side> side_;
  std::set<ValueId> given_;
};

// True for a work that does, and for operators without one because their weights are computed or of another type.
bool multiplies_weights(const Step& step) {
  return multiply_adds(step.work, 1) > 0 ||
         std::any_of(step.operations.begin(), step.operations.end(), [](const Operation& operation) {
           return has(operation.op, Trait::kWeighted) || operation.op->macs == MacRule::kRecurrent;
         });
}

// The steps of a side that are not of integers alone, and why, a line each.
std::vector<std::string> refused_steps(const Program& program, const Border& border, bool (*asked)(Side)) {
  std::vector<std::string> lines;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    if (asked(border.side(s)) && !border.refusal_of(s).empty())
      lines.push_back(fmt::format("\n  {} ({}): {}", step.name, operators_of(step, ", "), border.refusal_of(s)));
  }
  return lines;
}

// At most kMost lines.
std::string listed(const std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 1000;
  if (lines.size() <= kMost) return fmt::format("{}", fmt::join(lines, ""));
  return fmt::format("{}\n  and {} more", fmt::join(lines.begin(), lines.begin() + kMost, ""), lines.size() - kMost);
}

void require_integers(const Program& program, const Border& border) {
  const auto inside = refused_steps(program, border, [](Side side) { return side == Side::kInside; });
  if (!inside.empty())
    fail(ErrorCode::kUnsupported, "{} of {} steps {} not of integers alone:{}", inside.size(), program.steps.size(),
         inside.size() == 1 ? "is" : "are", listed(inside));
  const auto all = refused_steps(program, border, [](Side) { return true; });
  if (all.size() == program.steps.size())
    fail(ErrorCode::kUnsupported, "no step is of integers alone, all {} are the host's:{}", all.size(), listed(all));
}

// Tensors that integer steps read and none of them makes, and those that they make for the host.
class Ports {
 public:
  Ports(const Program& program, const Border& border, TensorTable& tensors, IntegerProgram& to)
      : program_(program), border_(border), tensors_(tensors), to_(to) {}

  void find() {
    std::set<ValueId> made;
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (border_.side(s) != Side::kInside) continue;
      for (const ValueId value : border_.reads(s))
        if (!made.contains(value)) add(to_.inputs, value);
      for (const ValueId value : outputs_of(program_, program_.steps[s])) made.insert(value);
    }
    const auto wanted = [&](ValueId value) {
      if (made.contains(value)) add(to_.outputs, value);
    };
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      if (border_.side(s) == Side::kAfter) std::for_each(border_.reads(s).begin(), border_.reads(s).end(), wanted);
    std::for_each(program_.outputs.begin(), program_.outputs.end(), wanted);
  }

 private:
  void add(std::vector<TensorId>& ports, ValueId value) {
    const TensorId tensor = tensors_(value);
    if (taken_.insert({&ports, tensor}).second) ports.push_back(tensor);
  }

  const Program& program_;
  const Border& border_;
  TensorTable& tensors_;
  IntegerProgram& to_;
  std::set<std::pair<const std::vector<TensorId>*, TensorId>> taken_;
};

}  // namespace

std::vector<std::string> host_products(const IntegerProgram& program) {
  std::vector<std::string> names;
  for (const std::vector<HostStep>* side : {&program.before, &program.after})
    for (const HostStep& step : *side)
      if (step.multiplies) names.push_back(step.name);
  return names;
}

IntegerProgram integer_program(const Program& program, const IntegerOptions& options) {
  require_known_inputs(program);
  const Border border(program, options);
  require_integers(program, border);
  IntegerProgram result;
  result.name = program.name;
  TensorTable tensors(program, result.tensors);
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    const HostStep host{s, step.name, multiplies_weights(step)};
    switch (border.side(s)) {
      case Side::kInside: result.steps.push_back({step.name, integer_task(step.work, tensors)}); break;
      case Side::kBefore: result.before.push_back(host); break;
      case Side::kAfter: result.after.push_back(host); break;
    }
  }
  Ports(program, border, tensors, result).find();
  return result;
}

IntegerSteps integer_steps(const Program& program) {
  require_known_inputs(program);
  IntegerSteps result;
  TensorTable tensors(program, result.tensors);
  for (const Step& step : program.steps) {
    result.refusals.push_back(refusal(program, step));
    result.tasks.emplace_back();
    if (result.refusals.back().empty()) result.tasks.back() = integer_task(step.work, tensors);
  }
  result.values = tensors.values();
  return result;
}

}  // namespace octet
