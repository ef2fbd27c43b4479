#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "octet/draw/support/labels.h"
#include "octet/draw/support/wiring.h"
#include "octet/draw/views.h"
#include "octet/spec/interval.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

NodeKind kind_of(const DrawnStep& step) {
  switch (step.kind) {
    case StepKind::kConvolution: return NodeKind::kConvolution;
    case StepKind::kMatMul: return NodeKind::kProduct;
    case StepKind::kAddition:
    case StepKind::kMultiplication: return NodeKind::kArithmetic;
    case StepKind::kPool: return NodeKind::kPool;
    case StepKind::kTable:
    case StepKind::kSoftmax: return NodeKind::kFunction;
    case StepKind::kConcatenation:
    case StepKind::kMove: return NodeKind::kMove;
    case StepKind::kQuantize:
    case StepKind::kDequantize: return NodeKind::kConversion;
    case StepKind::kFloat:
    case StepKind::kOther: break;
  }
  return step.op.empty() ? NodeKind::kOther : kind_of_operator(step.op);
}

std::string type_and_shape(const DrawnValue& value) {
  if (value.dtype == DType::kUndefined) return "?";
  return fmt::format("{} {}", name(value.dtype), value.shape ? to_string(*value.shape) : "of unknown rank");
}

std::string quantization_text(const Quantization& q) { return fmt::format("s {}, z {}", q.scale, q.zero_point); }

std::string per_channel(std::size_t count) { return count > 1 ? fmt::format("{} scales", count) : ""; }

std::vector<PictureLine> sum_lines(const DrawnSum& sum) {
  std::vector<PictureLine> lines;
  if (!sum.weights.empty()) lines.push_back({"w " + sum.weights, ""});
  std::string products = counted(sum.products, "product");
  if (sum.reach) products += fmt::format(", accumulator {} bits", signed_width(*sum.reach));
  lines.push_back({products, ""});
  if (!sum.multipliers.empty()) {
    const auto [least, greatest] = std::minmax_element(sum.multipliers.begin(), sum.multipliers.end());
    lines.push_back(
        {*least == *greatest ? fmt::format("M {}", *least) : fmt::format("M {:.4g}..{:.4g}", *least, *greatest),
         per_channel(sum.multipliers.size())});
  }
  return lines;
}

std::vector<PictureLine> lines_of(const DrawnStep& step) {
  if (step.sum) return sum_lines(*step.sum);
  if (step.table_bytes > 0) return {{fmt::format("table of {} bytes", step.table_bytes), ""}};
  if (step.tables > 0) return {{fmt::format("{} tables of 256 bytes", step.tables), ""}};
  return {};
}

PictureNode drawn_node(const DrawnStep& step) {
  PictureNode node{.kind = kind_of(step),
                   .name = step.name,
                   .title = std::string(name(step.kind)),
                   .lines = lines_of(step),
                   .adds = step.kind == StepKind::kAddition,
                   .floating = step.computes && !is_quantized(step.kind)};
  if (!step.op.empty()) {
    if (step.kind == StepKind::kFloat || step.kind == StepKind::kOther) node.title = step.op;
    node.title = operator_title(node.title, step.attributes);
    node.adds = node.adds || is_addition(step.op);
  }
  return node;
}

// What each operand of an addition is multiplied by before they meet: its scale over that of the result.
std::vector<PictureLine> multiplier_lines(const Meanings& operands, const std::vector<std::string>& makers) {
  std::vector<PictureLine> lines;
  for (std::size_t i = 0; i < operands.inputs.size(); ++i)
    lines.push_back({fmt::format("M {} · {}", operands.inputs[i].scale / operands.output.scale,
                                 makers.size() == operands.inputs.size() ? makers[i] : fmt::format("input {}", i + 1)),
                     ""});
  return lines;
}

// For each step the one in whose node it is drawn: itself, or the sum that alone reads what a dynamic quantization makes.
std::vector<std::size_t> hosts_of(const DrawnProgram& program) {
  std::map<std::string, std::set<std::size_t>> readers;
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const std::string& input : program.steps[s].inputs) readers[input].insert(s);
  for (const std::string& output : program.outputs) readers[output].insert(program.steps.size());
  std::vector<std::size_t> hosts;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    hosts.push_back(s);
    if (!program.steps[s].dynamic) continue;
    std::set<std::size_t> found;
    for (const std::string& output : program.steps[s].outputs) found.merge(readers[output]);
    if (found.size() != 1 || *found.begin() == program.steps.size()) continue;
    const auto& host = program.steps[*found.begin()];
    if (!host.dynamic && (host.kind == StepKind::kConvolution || host.kind == StepKind::kMatMul))
      hosts.back() = *found.begin();
  }
  return hosts;
}

DrawnValue value_named(const DrawnProgram& program, const std::string& name) {
  const auto found = program.values.find(name);
  return found == program.values.end() ? DrawnValue() : found->second;
}

PictureNode border_of(const std::string& name, const DrawnValue& value) {
  return {.kind = NodeKind::kBorder, .name = name, .title = name, .lines = {{type_and_shape(value), ""}}};
}

}  // namespace

Picture program_view(const DrawnProgram& program) {
  Picture picture{.title = picture_title(program.path, "the integer program")};
  picture.remarks = {
      std::string(kScaleRemark),
      "M multiplier: y = saturate(round(M · accumulator) + z); of an addition, saturate(round(Σ M · (input − z) + z))",
      "accumulator: its proven width, over every input"};
  std::map<std::string, std::size_t> made;
  for (const std::string& input : program.inputs) {
    made.emplace(input, picture.nodes.size());
    picture.nodes.push_back(border_of(input, value_named(program, input)));
  }
  const std::vector<std::size_t> hosts = hosts_of(program);
  std::vector<std::size_t> positions(program.steps.size());
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (hosts[s] != s) continue;
    positions[s] = picture.nodes.size();
    for (const std::string& output : program.steps[s].outputs) made.emplace(output, positions[s]);
    picture.nodes.push_back(drawn_node(program.steps[s]));
  }
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (hosts[s] == s) continue;
    positions[s] = positions[hosts[s]];
    PictureNode& host = picture.nodes[positions[s]];
    if (!host.title.ends_with(kDynamic)) host.title += kDynamic;
  }
  Wiring wiring;
  const auto connect = [&](const std::string& name, std::size_t reader) {
    const auto maker = made.find(name);
    if (maker == made.end()) return;
    const DrawnValue value = value_named(program, name);
    std::vector<PictureLine> lines = {{type_and_shape(value), ""}};
    if (value.quantization) lines.push_back({quantization_text(*value.quantization), ""});
    wiring.add(name, maker->second, reader, wire_kind(value.dtype), std::move(lines));
  };
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    std::vector<std::string> makers;
    for (const std::string& input : program.steps[s].inputs) {
      connect(input, positions[s]);
      if (const auto maker = made.find(input); maker != made.end()) makers.push_back(picture.nodes[maker->second].name);
    }
    const std::optional<Meanings>& operands = program.steps[s].operands;
    if (operands && program.steps[s].kind == StepKind::kAddition)
      picture.nodes[positions[s]].lines = multiplier_lines(*operands, makers);
  }
  for (const std::string& output : program.outputs) {
    picture.nodes.push_back(border_of(output, value_named(program, output)));
    connect(output, picture.nodes.size() - 1);
  }
  wiring.draw(picture);
  return picture;
}

}  // namespace octet
