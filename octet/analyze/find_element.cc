#include "octet/analyze/find_element.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "octet/base/fail.h"
#include "octet/graph/expand_functions.h"
#include "octet/text/closest_names.h"

namespace octet {
namespace {

std::vector<std::string> computed_names(const Program& program) {
  std::vector<std::string> names;
  for (const Step& step : program.steps)
    for (const ValueId output : outputs_of(program, step)) names.push_back(program.values[output].name);
  return names;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::set<std::string> output_names(const Program& program, const Step& step) {
  std::set<std::string> names;
  for (const ValueId output : outputs_of(program, step)) names.insert(program.values[output].name);
  return names;
}

const Node* maker_of(const Model& model, const std::string& tensor) {
  for (const Node& node : model.graph.nodes)
    if (std::find(node.outputs.begin(), node.outputs.end(), tensor) != node.outputs.end()) return &node;
  return nullptr;
}

// A tensor that the file has and the program has not.
[[noreturn]] void fail_swallowed(const Program& program, const Node& node, const std::string& tensor) {
  const std::string& name = node.name.empty() ? node.outputs[0] : node.name;
  std::set<std::string> steps, instead;
  for (const Step& step : program.steps)
    for (const SourceNode& source : step.sources) {
      if (source.name != name || source.op_type != node.op_type) continue;
      steps.insert(fmt::format("{} ({})", step.name, octet::name(step.kind)));
      instead.merge(output_names(program, step));
    }
  if (steps.empty())
    fail(ErrorCode::kUsage,
         "the program does not compute {}: {} ({}) was folded into a constant, or nobody reads it; "
         "the policy as-written keeps every node",
         tensor, name, node.op_type);
  fail(ErrorCode::kUsage,
       "the program does not compute {}: {} ({}) is part of step {}; ask for {}, or keep every node with the policy "
       "as-written",
       tensor, name, node.op_type, joined(steps), joined(instead));
}

}  // namespace

ElementName parse_element(std::string_view text) {
  const std::size_t open = text.rfind('[');
  const auto refuse = [&] {
    fail(ErrorCode::kUsage, "wanted a tensor and an index, such as conv1_output[0,5,7,9], and not {}", text);
  };
  if (open == std::string_view::npos || open == 0 || !text.ends_with(']')) refuse();
  ElementName element{std::string(text.substr(0, open)), {}};
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::string_view number = rest.substr(0, rest.find(','));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || number.size() + 1 == rest.size()) refuse();
    element.index.push_back(value);
    rest.remove_prefix(std::min(rest.size(), number.size() + 1));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  return element;
}

std::size_t step_that_makes(const Program& program, const Model& model, const std::string& tensor) {
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const Operation& operation : program.steps[s].operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue && program.values[output].name == tensor) return s;
  const Model expanded = expand_functions(model);
  if (const Node* node = maker_of(expanded, tensor)) fail_swallowed(program, *node, tensor);
  if (const ProgramValue* value = find_value(program, tensor))
    fail(ErrorCode::kUsage, "{} is {} of the model: nothing computes it", tensor,
         value->constant.empty() ? "an input" : "a constant");
  for (const Step& step : program.steps)
    if (step.name == tensor)
      fail(ErrorCode::kUsage, "there is no tensor {}, but a step of that name: ask for {}", tensor,
           joined(output_names(program, step)));
  for (const Step& step : program.steps)
    for (const SourceNode& source : step.sources)
      if (source.name == tensor)
        fail(ErrorCode::kUsage, "there is no tensor {}, but a node ({}) of that name in step {}: ask for {}", tensor,
             source.op_type, step.name, joined(output_names(program, step)));
  fail(ErrorCode::kUsage, "there is no tensor {}; the closest are {}", tensor,
       closest_names(tensor, computed_names(program)));
}

}  // namespace octet
