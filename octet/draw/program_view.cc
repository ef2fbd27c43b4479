#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "octet/analyze/bounds.h"
#include "octet/draw/support/labels.h"
#include "octet/draw/support/wiring.h"
#include "octet/draw/views.h"
#include "octet/report/numbers.h"

namespace octet {
namespace {

NodeKind kind_of(const Step& step) {
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
  return step.operations.empty() ? NodeKind::kOther : kind_of_operator(step.operations[0].op->name);
}

std::string type_and_shape(const ProgramValue& value) {
  if (value.dtype == DType::kUndefined) return "?";
  return fmt::format("{} {}", name(value.dtype), value.shape ? to_string(*value.shape) : "of unknown rank");
}

std::string quantization_text(const Quantization& q) { return fmt::format("s {}, z {}", q.scale, q.zero_point); }

std::string per_channel(std::size_t count) { return count > 1 ? fmt::format("{} scales", count) : ""; }

std::vector<PictureLine> lines_of(const std::monostate&) { return {}; }

std::vector<PictureLine> lines_of(const Accumulation& sum) {
  std::vector<PictureLine> lines;
  if (!sum.weights.empty())
    lines.push_back({fmt::format("w {} {}", name(sum.weights.dtype()), to_string(sum.weights.shape())), ""});
  std::string products = counted(sum.products, "product");
  if (!sum.least.empty()) {
    const Interval reach{*std::min_element(sum.least.begin(), sum.least.end()),
                         *std::max_element(sum.greatest.begin(), sum.greatest.end())};
    products += fmt::format(", accumulator {} bits", signed_width(reach));
  }
  lines.push_back({products, ""});
  if (!sum.multipliers.empty()) {
    const auto [least, greatest] = std::minmax_element(sum.multipliers.begin(), sum.multipliers.end());
    lines.push_back(
        {*least == *greatest ? fmt::format("M {}", *least) : fmt::format("M {:.4g}..{:.4g}", *least, *greatest),
         per_channel(sum.multipliers.size())});
  }
  return lines;
}

std::vector<PictureLine> lines_of(const Operands&) { return {}; }

std::vector<PictureLine> lines_of(const TableEntries& table) {
  return {{fmt::format("table of {} bytes", table.bytes.size()), ""}};
}

PictureNode drawn(const Step& step) {
  PictureNode node{.kind = kind_of(step),
                   .name = step.name,
                   .title = std::string(name(step.kind)),
                   .lines = std::visit([](const auto& constants) { return lines_of(constants); }, step.constants),
                   .adds = step.kind == StepKind::kAddition,
                   .floating = step.kind == StepKind::kFloat};
  if (!step.operations.empty()) {
    const Operation& first = step.operations[0];
    if (step.kind == StepKind::kFloat || step.kind == StepKind::kOther) node.title = first.op->name;
    node.title = operator_title(node.title, first.attributes);
    node.adds = node.adds || is_addition(first.op->name);
  }
  return node;
}

// What each operand of an addition is multiplied by before they meet: its scale over that of the result.
std::vector<PictureLine> multiplier_lines(const Operands& operands, const std::vector<std::string>& makers) {
  std::vector<PictureLine> lines;
  for (std::size_t i = 0; i < operands.inputs.size(); ++i)
    lines.push_back({fmt::format("M {} · {}", operands.inputs[i].scale / operands.output.scale,
                                 makers.size() == operands.inputs.size() ? makers[i] : fmt::format("input {}", i + 1)),
                     ""});
  return lines;
}

PictureNode border_of(const ProgramValue& value) {
  return {.kind = NodeKind::kBorder, .name = value.name, .title = value.name, .lines = {{type_and_shape(value), ""}}};
}

}  // namespace

Picture program_view(const Program& program, const std::string& path) {
  Picture picture{.title = picture_title(path, "the integer program")};
  picture.remarks = {
      std::string(kScaleRemark),
      "M multiplier: y = saturate(round(M · accumulator) + z); of an addition, saturate(round(Σ M · (input − z) + z))",
      "accumulator: its proven width, over every input"};
  std::map<ValueId, std::size_t> made;
  for (const ProgramInput& input : program.inputs) {
    made.emplace(input.value, picture.nodes.size());
    picture.nodes.push_back(border_of(program.values[input.value]));
  }
  const std::size_t first_step = picture.nodes.size();
  for (const Step& step : program.steps) {
    for (const ValueId output : outputs_of(program, step)) made.emplace(output, picture.nodes.size());
    picture.nodes.push_back(drawn(step));
  }
  Wiring wiring;
  const auto connect = [&](ValueId id, std::size_t reader) {
    const auto maker = made.find(id);
    if (maker == made.end()) return;
    const ProgramValue& value = program.values[id];
    std::vector<PictureLine> lines = {{type_and_shape(value), ""}};
    if (value.quantization) lines.push_back({quantization_text(*value.quantization), ""});
    wiring.add(std::to_string(id), maker->second, reader, wire_kind(value.dtype), std::move(lines));
  };
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    std::vector<std::string> makers;
    for (const ValueId input : inputs_of(program, program.steps[s])) {
      connect(input, first_step + s);
      if (const auto maker = made.find(input); maker != made.end()) makers.push_back(picture.nodes[maker->second].name);
    }
    const auto* operands = std::get_if<Operands>(&program.steps[s].constants);
    if (operands && program.steps[s].kind == StepKind::kAddition)
      picture.nodes[first_step + s].lines = multiplier_lines(*operands, makers);
  }
  for (const ValueId output : program.outputs) {
    picture.nodes.push_back(border_of(program.values[output]));
    connect(output, picture.nodes.size() - 1);
  }
  wiring.draw(picture);
  return picture;
}

}  // namespace octet
