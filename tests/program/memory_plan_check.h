// memory_plan_check.h: whether a memory plan is right, by looking at every pair of values. It shares no code with the
// planner, and takes nothing from it but the plan: when values are needed, how large they are and which operators rename
// is worked out anew. That results written in place depend on nothing but their own element is for those to say who
// compute (tests/engine/poisoned_arena.h).
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "octet/program/memory_plan.h"

namespace octet {

class MemoryPlanCheck {
 public:
  MemoryPlanCheck(const Program& program, const MemoryPlan& plan, const MemoryOptions& options)
      : program_(program), plan_(plan), options_(options), values_(program.values.size()) {
    observe();
  }

  // Everything that is wrong; nothing, when the plan is right.
  std::vector<std::string> complaints() && {
    if (!plan_.bytes || plan_.values.size() != values_.size())
      return {fmt::format("no plan of all {} values: {}", values_.size(), plan_.obstacle)};
    check_places();
    for (ValueId v = 0; v < values_.size(); ++v) {
      if (!values_[v].mentioned) continue;
      check_alias(v);
      check_overwriting(v);
      for (ValueId u = 0; u < v; ++u)
        if (values_[u].mentioned && overlap(u, v)) check_pair(u, v);
    }
    return complaints_;
  }

 private:
  // Numbers of operations, counted through the program from 0.
  struct Seen {
    bool mentioned = false, input = false, output = false;
    int made = -1;               // -1: before the first
    int last_read = -1;          // the number of all operations for outputs
    int step = -1;               // that makes it
    std::set<int> read_in;       // steps
    ValueId renamed = kNoValue;  // the value whose bytes it is, through all renaming operators
  };

  template <typename... Arguments>
  void complain(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    complaints_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  const std::string& name(ValueId v) const { return program_.values[v].name; }
  bool counts(ValueId v) const { return v != kNoValue && program_.values[v].constant.empty(); }

  void observe() {
    static const std::set<std::string_view> renaming = {"Dropout", "Flatten", "Identity",
                                                        "Reshape", "Squeeze", "Unsqueeze"};
    for (const ProgramInput& input : program_.inputs)
      if (counts(input.value)) values_[input.value].mentioned = values_[input.value].input = true;
    int now = 0;
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      for (const Operation& operation : program_.steps[s].operations) {
        for (const ValueId v : operation.inputs)
          if (counts(v)) {
            values_[v].last_read = now;
            values_[v].read_in.insert(static_cast<int>(s));
          }
        for (const ValueId v : operation.outputs)
          if (counts(v)) {
            values_[v].mentioned = true;
            values_[v].made = values_[v].last_read = now;
            values_[v].step = static_cast<int>(s);
          }
        if (renaming.contains(operation.op->name) && counts(operation.inputs[0]) && counts(operation.outputs[0])) {
          const ValueId root = values_[operation.inputs[0]].renamed;
          values_[operation.outputs[0]].renamed = root == kNoValue ? operation.inputs[0] : root;
        }
        ++now;
      }
    for (const ValueId v : program_.outputs)
      if (counts(v)) {
        values_[v].output = true;
        values_[v].last_read = now;
      }
  }

  std::int64_t size(ValueId v) const {
    auto bytes = static_cast<std::int64_t>(size_of(program_.values[v].dtype));
    for (const Dim& dim : *program_.values[v].shape) {
      const auto symbol = options_.symbols.find(dim.symbol());
      bytes *= dim.known() ? dim.value() : symbol == options_.symbols.end() ? 1 : symbol->second;
    }
    return bytes;
  }

  void check_places() {
    std::int64_t end = 0;
    for (ValueId v = 0; v < values_.size(); ++v) {
      const std::optional<MemoryPlace>& place = plan_.values[v].place;
      if (place.has_value() != values_[v].mentioned) complain("{} has a place, or none, wrongly", name(v));
      if (!place) continue;
      if (place->bytes != size(v)) complain("{} has {} bytes in the plan, and {}", name(v), place->bytes, size(v));
      if (place->offset < 0 || place->offset % options_.alignment != 0)
        complain("{} begins at {}, aligned to {}", name(v), place->offset, options_.alignment);
      end = std::max(end, place->offset + place->bytes);
    }
    if ((end + options_.alignment - 1) / options_.alignment * options_.alignment != *plan_.bytes)
      complain("the values end at {}, the plan at {}", end, *plan_.bytes);
  }

  bool overlap(ValueId u, ValueId v) const {
    const MemoryPlace &a = *plan_.values[u].place, &b = *plan_.values[v].place;
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes && a.bytes > 0 && b.bytes > 0;
  }
  bool same_place(ValueId u, ValueId v) const {
    const MemoryPlace &a = *plan_.values[u].place, &b = *plan_.values[v].place;
    return a.offset == b.offset && a.bytes == b.bytes;
  }

  // The value whose bytes it shares, where the plan says so.
  ValueId content(ValueId v) const { return plan_.values[v].alias_of == kNoValue ? v : plan_.values[v].alias_of; }

  void check_alias(ValueId v) {
    const ValueId root = plan_.values[v].alias_of;
    if (root == kNoValue) return;
    if (!options_.aliases) complain("{} is an alias, and none are wanted", name(v));
    // Of a chain of renaming operators some may copy, and the root be one of those.
    const ValueId origin = values_[v].renamed;
    if (origin == kNoValue || (origin != root && values_[root].renamed != origin))
      complain("{} is no alias of {}", name(v), name(root));
    if (!same_place(v, root)) complain("{} is an alias of {}, elsewhere", name(v), name(root));
    if (plan_.values[root].alias_of != kNoValue) complain("{} is an alias of an alias", name(v));
    if (plan_.values[v].overwrites != kNoValue) complain("{} is an alias and overwrites", name(v));
    for (ValueId u = 0; u < values_.size(); ++u)
      if (u != v && values_[u].mentioned && content(u) == root && of_caller(u) && of_caller(v))
        complain("{} and {} are the caller's, and share bytes", name(u), name(v));
  }

  bool of_caller(ValueId v) const { return values_[v].input || values_[v].output; }

  // What is overwritten, under all its names, is read by the step that does it, and by nobody afterwards.
  void check_overwriting(ValueId v) {
    const ValueId overwritten = plan_.values[v].overwrites;
    if (overwritten == kNoValue) return;
    if (!options_.in_place) complain("{} is written in place, and that is not wanted", name(v));
    if (!same_place(v, overwritten)) complain("{} overwrites {}, elsewhere", name(v), name(overwritten));
    if (!values_[overwritten].read_in.contains(values_[v].step))
      complain("{} overwrites {}, which its step does not read", name(v), name(overwritten));
    for (ValueId u = 0; u < values_.size(); ++u)
      if (values_[u].mentioned && content(u) == content(overwritten)) {
        if (of_caller(u)) complain("{} overwrites the caller's {}", name(v), name(u));
        if (values_[u].last_read > values_[v].made) complain("{} overwrites {}, which is needed", name(v), name(u));
      }
  }

  bool inside_step(ValueId v) const {
    const Seen& seen = values_[v];
    return !of_caller(v) && seen.step >= 0 && seen.read_in == std::set<int>{seen.step};
  }

  // The steps in which the bytes must be there, whoever computes them at once.
  int first_step(ValueId v) const { return values_[v].step; }
  int last_step(ValueId v) const {
    const Seen& seen = values_[v];
    if (seen.output) return static_cast<int>(program_.steps.size());
    return seen.read_in.empty() ? seen.step : *seen.read_in.rbegin();
  }

  // Whether v takes the bytes of u over, itself or through other values of its step.
  bool takes_over(ValueId v, ValueId u) const {
    for (ValueId w = v; plan_.values[content(w)].overwrites != kNoValue;) {
      const ValueId next = plan_.values[content(w)].overwrites;
      if (content(next) == content(u)) return true;
      if (values_[next].step != values_[v].step) return false;
      w = next;
    }
    return false;
  }

  // Two values that overlap: one is the other, or takes its place, or they are never needed together.
  void check_pair(ValueId a, ValueId b) {
    if (content(a) == content(b)) return;
    const bool ordered = values_[a].made < values_[b].made;
    const ValueId u = ordered ? a : b, v = ordered ? b : a;
    if (values_[u].made == values_[v].made)
      return complain("{} and {} are made together and overlap", name(u), name(v));
    if (values_[u].last_read > values_[v].made)
      return complain("{} is written over {}, which is needed", name(v), name(u));
    const bool in_step = inside_step(u) || inside_step(v);
    const bool together = in_step ? values_[u].last_read == values_[v].made : last_step(u) >= first_step(v);
    if (together && !takes_over(v, u)) complain("{} overlaps {}, alive in the same step", name(v), name(u));
  }

  const Program& program_;
  const MemoryPlan& plan_;
  const MemoryOptions& options_;
  std::vector<Seen> values_;
  std::vector<std::string> complaints_;
};

// One line for each thing that is wrong; empty for a right plan.
inline std::string wrong_with_plan(const Program& program, const MemoryPlan& plan, const MemoryOptions& options) {
  std::string text;
  for (const std::string& complaint : MemoryPlanCheck(program, plan, options).complaints()) text += complaint + "\n";
  return text;
}

}  // namespace octet
