#include "octet/verify/step_groups.h"

#include <algorithm>

#include "octet/base/fail.h"

namespace octet {
namespace {

class GroupBuilder {
 public:
  GroupBuilder(const Program& program, const std::set<std::string>& exposable,
               const std::map<std::string, std::int64_t>& sizes)
      : program_(program), exposable_(exposable), sizes_(sizes) {
    for (std::size_t s = 0; s < program.steps.size(); ++s)
      for (const ValueId output : outputs_of(program, program.steps[s])) maker_[program.values[output].name] = s;
    for (const ValueId output : program.outputs) outputs_.insert(program.values[output].name);
  }

  StepGroup group(std::size_t first, std::size_t end) const {
    StepGroup result{.first = first, .end = first};
    for (const std::string& name : outputs_) result.bytes += size_of_value(name);
    while (result.end < end) extend(result);
    return result;
  }

  // By the next step.
  void extend(StepGroup& group) const {
    const Step& step = program_.steps[group.end++];
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue && exposable_.contains(program_.values[output].name))
          ask_for(group, program_.values[output].name);
    add_reads(group, step);
  }

 private:
  std::int64_t size_of_value(const std::string& name) const {
    const auto size = sizes_.find(name);
    return size == sizes_.end() ? 0 : size->second;
  }

  void ask_for(StepGroup& group, const std::string& name) const {
    if (group.tensors.insert(name).second && !outputs_.contains(name)) group.bytes += size_of_value(name);
  }

  void add_reads(StepGroup& group, const Step& step) const {
    for (const ValueId input : inputs_of(program_, step)) {
      const std::string& name = program_.values[input].name;
      const auto maker = maker_.find(name);
      if (maker == maker_.end() || maker->second >= group.first) continue;
      if (exposable_.contains(name)) {
        ask_for(group, name);
      } else if (const auto place = std::ranges::lower_bound(group.before, maker->second);
                 place == group.before.end() || *place != maker->second) {
        group.before.insert(place, maker->second);
        add_reads(group, program_.steps[maker->second]);
      }
    }
  }

  const Program& program_;
  const std::set<std::string>& exposable_;
  const std::map<std::string, std::int64_t>& sizes_;
  std::map<std::string, std::size_t> maker_;
  std::set<std::string> outputs_;
};

}  // namespace

std::set<std::string> exposable_values(const Model& model, const Program& program) {
  std::set<std::string> made, outputs, exposable;
  for (const Node& node : model.graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  for (const Value& output : model.graph.outputs) outputs.insert(output.name);
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs) {
        if (output == kNoValue) continue;
        const std::string& name = program.values[output].name;
        if (is_minifloat(program.values[output].dtype) && !outputs.contains(name)) continue;  // NumPy lacks them
        if (outputs.contains(name) ||
            ((step.kind != StepKind::kDequantize || joins_partial_sums(step.work)) && made.contains(name)))
          exposable.insert(name);
      }
  return exposable;
}

Model with_values_exposed(Model model, const Program& program) {
  const std::set<std::string> exposable = exposable_values(model, program);
  return with_values_exposed(std::move(model), program, exposable);
}

Model with_values_exposed(Model model, const Program& program, const std::set<std::string>& wanted) {
  std::set<std::string> exposed;
  for (const Value& output : model.graph.outputs) exposed.insert(output.name);
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs) {
        if (output == kNoValue) continue;
        const ProgramValue& value = program.values[output];
        if (!wanted.contains(value.name) || !exposed.insert(value.name).second) continue;
        Value added{.name = value.name};
        added.type.dtype = value.dtype;
        added.type.shape = value.shape;
        model.graph.outputs.push_back(std::move(added));
      }
  return model;
}

std::map<std::string, std::int64_t> value_sizes(const Engine& engine, const NamedTensors& inputs) {
  std::map<std::string, std::int64_t> sizes;
  engine.run(inputs, {.observe = [&](const std::string& name, const Tensor& value) {
               sizes[name] = static_cast<std::int64_t>(value.byte_size());
             }});
  return sizes;
}

namespace {

// From the last group to the first.
void find_kept(const Program& program, std::vector<StepGroup>& groups) {
  std::set<std::string> outputs, later;
  for (const ValueId output : program.outputs) outputs.insert(program.values[output].name);
  for (std::size_t g = groups.size(); g-- > 0;) {
    StepGroup& group = groups[g];
    group.kept = later;
    group.kept.insert(outputs.begin(), outputs.end());
    later.insert(group.tensors.begin(), group.tensors.end());
    for (std::size_t s = group.first; s < group.end; ++s)
      for (const Operation& operation : program.steps[s].operations)
        for (const ValueId output : operation.outputs)
          if (output != kNoValue) later.erase(program.values[output].name);
  }
}

}  // namespace

std::vector<StepGroup> group_steps(const Program& program, const std::set<std::string>& exposable,
                                   const std::map<std::string, std::int64_t>& sizes, std::int64_t budget) {
  const GroupBuilder builder(program, exposable, sizes);
  std::vector<StepGroup> groups = {builder.group(0, 0)};
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    StepGroup& last = groups.back();
    builder.extend(last);
    if (last.bytes <= budget) continue;
    const StepGroup alone = builder.group(s, s + 1);
    if (alone.bytes > budget)
      fail(
          ErrorCode::kLimit,
          "step {} and what it reads take {} bytes, at most {} are judged at once; give more memory or smaller batches",
          program.steps[s].name, alone.bytes, budget);
    last = builder.group(last.first, s);
    groups.push_back(alone);
  }
  find_kept(program, groups);
  return groups;
}

}  // namespace octet
