#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "octet/analyze/bounds.h"
#include "octet/draw/support/labels.h"
#include "octet/draw/support/wiring.h"
#include "octet/draw/views.h"
#include "octet/program/quantized_share.h"
#include "octet/text/numbers.h"

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

std::vector<PictureLine> sum_lines(const Program& program, const Step& step, const work::Sum& sum) {
  std::vector<PictureLine> lines;
  if (!sum.weights.empty()) {
    const ProgramValue& w = *find_input(program, step.operations.front(), Role::kW);
    lines.push_back({fmt::format("w {} {}", name(w.dtype), to_string(w.constant.shape())), ""});
  }
  std::string products = counted(sum.products, "product");
  if (!sum.least.empty()) {
    const Interval reach{*std::min_element(sum.least.begin(), sum.least.end()),
                         *std::max_element(sum.greatest.begin(), sum.greatest.end())};
    products += fmt::format(", accumulator {} bits", signed_width(reach));
  }
  lines.push_back({products, ""});
  if (const std::vector<float> multipliers = scaling_of(step.work).multipliers; !multipliers.empty()) {
    const auto [least, greatest] = std::minmax_element(multipliers.begin(), multipliers.end());
    lines.push_back(
        {*least == *greatest ? fmt::format("M {}", *least) : fmt::format("M {:.4g}..{:.4g}", *least, *greatest),
         per_channel(multipliers.size())});
  }
  return lines;
}

std::vector<PictureLine> lines_of(const Program& program, const Step& step) {
  if (const work::Sum* sum = sum_of(step.work)) return sum_lines(program, step, *sum);
  if (const auto* table = std::get_if<work::Table>(&step.work))
    return {{fmt::format("table of {} bytes", table->bytes.size()), ""}};
  if (const auto* tables = std::get_if<work::ChannelTables>(&step.work))
    return {{fmt::format("{} tables of 256 bytes", tables->tables.size()), ""}};
  return {};
}

PictureNode drawn_step(const Program& program, const Step& step, bool computes) {
  PictureNode node{.kind = kind_of(step),
                   .name = step.name,
                   .title = std::string(name(step.kind)),
                   .lines = lines_of(program, step),
                   .adds = step.kind == StepKind::kAddition,
                   .floating = computes && !is_quantized(step.kind)};
  if (!step.operations.empty()) {
    const Operation& first = step.operations[0];
    if (step.kind == StepKind::kFloat || step.kind == StepKind::kOther) node.title = first.op->name;
    node.title = operator_title(node.title, first.attributes);
    node.adds = node.adds || is_addition(first.op->name);
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
std::vector<std::size_t> hosts_of(const Program& program) {
  std::map<ValueId, std::set<std::size_t>> readers;
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const ValueId input : inputs_of(program, program.steps[s])) readers[input].insert(s);
  for (const ValueId output : program.outputs) readers[output].insert(program.steps.size());
  std::vector<std::size_t> hosts;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    hosts.push_back(s);
    if (!std::holds_alternative<work::QuantizeDynamically>(program.steps[s].work)) continue;
    std::set<std::size_t> found;
    for (const ValueId output : outputs_of(program, program.steps[s])) found.merge(readers[output]);
    if (found.size() != 1 || *found.begin() == program.steps.size()) continue;
    const StepKind kind = program.steps[*found.begin()].kind;
    if (kind == StepKind::kConvolution || kind == StepKind::kMatMul) hosts.back() = *found.begin();
  }
  return hosts;
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
  const std::vector<bool> computing = computing_steps(program);
  const std::vector<std::size_t> hosts = hosts_of(program);
  std::vector<std::size_t> positions(program.steps.size());
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (hosts[s] != s) continue;
    positions[s] = picture.nodes.size();
    for (const ValueId output : outputs_of(program, program.steps[s])) made.emplace(output, positions[s]);
    picture.nodes.push_back(drawn_step(program, program.steps[s], computing[s]));
  }
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (hosts[s] == s) continue;
    positions[s] = positions[hosts[s]];
    PictureNode& host = picture.nodes[positions[s]];
    if (!host.title.ends_with(kDynamic)) host.title += kDynamic;
  }
  Wiring wiring;
  const auto connect = [&](ValueId id, std::size_t reader) {
    const auto maker = made.find(id);
    if (maker == made.end()) return;
    const ProgramValue& value = program.values[id];
    std::vector<PictureLine> lines = {{type_and_shape(value), ""}};
    if (value.quantization) lines.push_back({quantization_text(*value.quantization), ""});
    wiring.add(value.name, maker->second, reader, wire_kind(value.dtype), std::move(lines));
  };
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    std::vector<std::string> makers;
    for (const ValueId input : inputs_of(program, program.steps[s])) {
      connect(input, positions[s]);
      if (const auto maker = made.find(input); maker != made.end()) makers.push_back(picture.nodes[maker->second].name);
    }
    const std::optional<Meanings> operands = meanings_of(program.steps[s].work);
    if (operands && program.steps[s].kind == StepKind::kAddition)
      picture.nodes[positions[s]].lines = multiplier_lines(*operands, makers);
  }
  for (const ValueId output : program.outputs) {
    picture.nodes.push_back(border_of(program.values[output]));
    connect(output, picture.nodes.size() - 1);
  }
  wiring.draw(picture);
  return picture;
}

}  // namespace octet
