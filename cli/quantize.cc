// quantize.cc: octet quantize
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/quantization.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/quantize/write_rules.h"
#include "octet/system/atomic_file.h"
#include "octet/text/json.h"
#include "octet/text/json_finite.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct QuantizeArguments : QuantizationOptions {
  std::string output, json;
};

std::string rules_text(const Outcome& outcome) {
  std::vector<NodeDecision> decisions;
  for (const NodeVerdict& node : outcome.report) {
    decisions.push_back({node.name, node.op_type, node.choice});
    decisions.back().choice.quantize = node.quantized;
  }
  return octet::rules_text(decisions);
}

Json quantize_facts(const Parameters& parameters) {
  Json scales = Json::array();
  for (float scale : parameters.scales) scales.push_back(json_number(scale));
  Json json = {{"type", name(parameters.dtype)}, {"scales", scales}, {"zero_points", parameters.zero_points}};
  if (parameters.axis) json["axis"] = *parameters.axis;
  return json;
}

Json equalized_facts(const EqualizedPair& pair) {
  return {{"first", pair.first},
          {"second", pair.second},
          {"channels", pair.channels},
          {"scaled", pair.scaled},
          {"exponents", {pair.smallest, pair.largest}},
          {"replaced", pair.replaced.empty() ? Json() : Json(pair.replaced)},
          {"left", pair.left.empty() ? Json() : Json(pair.left)}};
}

Json rounded_facts(const RoundedWeights& layer) {
  return {{"node", layer.node},
          {"weights", layer.weights},
          {"changed", layer.changed},
          {"sqnr_nearest", json_finite(layer.before)},
          {"sqnr", json_finite(layer.after)},
          {"left", layer.left.empty() ? Json() : Json(layer.left)}};
}

Json corrected_facts(const CorrectedBias& bias) {
  return {{"node", bias.node},
          {"channels", bias.channels},
          {"largest", json_number(bias.largest)},
          {"left", bias.left.empty() ? Json() : Json(bias.left)}};
}

Json quantize_facts(const Outcome& outcome, const QuantizeArguments& o) {
  Json nodes = Json::array();
  for (const NodeVerdict& node : outcome.report) {
    Json entry = {{"name", node.name},
                  {"op_type", node.op_type},
                  {"quantized", node.computed != Computed::kFloat},
                  {"merged", node.computed == Computed::kMerged},
                  {"reason", node.reason}};
    if (node.result) entry["result"] = quantize_facts(*node.result);
    if (node.weights) entry["weights"] = quantize_facts(*node.weights);
    nodes.push_back(std::move(entry));
  }
  Json ranges;
  if (outcome.ranges) {
    ranges = {{"file", outcome.ranges_file.empty() ? Json() : Json(outcome.ranges_file)},
              {"calibration", outcome.ranges->calibration},
              {"samples", outcome.ranges->samples},
              {"model_sha256", outcome.ranges->model_hash}};
    if (outcome.ranges_file.empty()) ranges["engine"] = o.engine;
    if (outcome.ranges->percentile) ranges["percentile"] = json_number(*outcome.ranges->percentile);
    if (!outcome.ranges->others.empty()) ranges["others"] = outcome.ranges->others;
  }
  Json json = {{"schema", "octet.quantize/1"},
               {"octet", kVersion},
               {"how", outcome.how},
               {"ranges", ranges},
               {"quantized_steps", outcome.share ? Json(outcome.share->quantized) : Json()},
               {"computing_steps", outcome.share ? Json(outcome.share->computing) : Json()},
               {"nodes", nodes},
               {"warnings", outcome.warnings}};
  if (!o.equalize.empty()) {
    json["equalized"] = Json::array();
    for (const EqualizedPair& pair : outcome.equalized) json["equalized"].push_back(equalized_facts(pair));
  }
  if (o.optimize_rounding) {
    json["rounded"] = Json::array();
    for (const RoundedWeights& layer : outcome.rounded) json["rounded"].push_back(rounded_facts(layer));
  }
  if (!o.bias_correction.empty()) {
    json["corrected"] = Json::array();
    for (const CorrectedBias& bias : outcome.corrected) json["corrected"].push_back(corrected_facts(bias));
  }
  return json;
}

// What the methods that repair changed, a line each.
std::string repairs_text(const Outcome& outcome) {
  std::string text;
  for (const EqualizedPair& pair : outcome.equalized)
    text += fmt::format("{}  {}\n", pair.left.empty() ? "equalized" : "as it was", printable(to_string(pair)));
  for (const RoundedWeights& layer : outcome.rounded)
    text += layer.left.empty()
                ? fmt::format("rounded    {}: {} of {} weights to the other side, {:.2f} dB to {:.2f} dB\n",
                              printable(layer.node), grouped(static_cast<std::int64_t>(layer.changed)),
                              grouped(static_cast<std::int64_t>(layer.weights)), layer.before, layer.after)
                : fmt::format("as it was  {}: not rounded: {}\n", printable(layer.node), layer.left);
  for (const CorrectedBias& bias : outcome.corrected)
    text += bias.left.empty() ? fmt::format("corrected  {}: {} biases by up to {:.4g}\n", printable(bias.node),
                                            bias.channels, bias.largest)
                              : fmt::format("as it was  {}: not corrected: {}\n", printable(bias.node), bias.left);
  return text.empty() ? text : text + "\n";
}

// "0.0123", "0.001..0.02".
std::string scales_text(const Parameters& parameters) {
  const auto [low, high] = std::minmax_element(parameters.scales.begin(), parameters.scales.end());
  return *low == *high ? fmt::format("{:.4g}", *low) : fmt::format("{:.4g}..{:.4g}", *low, *high);
}

std::string_view computed_text(Computed computed) {
  switch (computed) {
    case Computed::kInteger: return "yes";
    case Computed::kMerged: return "merged";
    case Computed::kFloat: break;
  }
  return "no";
}

// What file of ranges is used; empty where none is.
std::string ranges_remark(const Outcome& outcome, const QuantizeArguments& o) {
  if (outcome.ranges_file.empty()) return "";
  return fmt::format("ranges from {}{}: {} of {} samples", printable(outcome.ranges_file),
                     o.ranges.empty() ? ", found beside the model" : "", outcome.ranges->calibration,
                     outcome.ranges->samples);
}

// What is to be said in any case, a line each.
std::vector<std::string> remarks_on(const Outcome& outcome, const QuantizeArguments& o) {
  std::vector<std::string> remarks;
  if (const std::string ranges = ranges_remark(outcome, o); !ranges.empty()) remarks.push_back(ranges);
  for (const std::string& warning : outcome.warnings) remarks.push_back("warning: " + warning);
  return remarks;
}

std::string quantize_text(const Outcome& outcome, const QuantizeArguments& o) {
  Table table({{"node", Table::Fit::kShorten},
               {"operator", Table::Fit::kShorten, false, 24},
               {"quantized"},
               {"scale", Table::Fit::kWhole, true},
               {"zero point", Table::Fit::kWhole, true},
               {"scale of weights"},
               {"why", Table::Fit::kWrap}});
  for (const NodeVerdict& node : outcome.report)
    table.add({node.name, node.op_type, std::string(computed_text(node.computed)),
               node.result ? scales_text(*node.result) : "",
               node.result ? std::to_string(node.result->zero_points[0]) : "",
               node.weights ? scales_text(*node.weights) : "", node.reason});
  const std::string ranges = ranges_remark(outcome, o);
  std::string result = (ranges.empty() ? "" : ranges + "\n\n") + table.text(terminal_width()) + "\n";
  result += repairs_text(outcome);
  for (const std::string& warning : outcome.warnings) result += "warning: " + printable(warning) + "\n";
  if (outcome.share)
    result += fmt::format("{} are quantized: {}\n", to_string(*outcome.share), outcome.how);
  else
    result += fmt::format("{}\nno integer program of it: {}\n", outcome.how, outcome.no_program);
  return result + fmt::format("written to {}\n", printable(o.output));
}

void check_files(const QuantizeArguments& o) {
  const std::vector<NamedFile> outputs = {{"--output", o.output},
                                          {"--save-ranges", o.save_ranges},
                                          {"--save-simplified", o.save_simplified},
                                          {"--save-rules", o.save_rules},
                                          {"--json", o.json}};
  if (!o.force && is_same_file(o.output, o.model))
    fail(ErrorCode::kUsage, "--output would overwrite {}, which is the model; name another file, or say --force",
         o.output);
  const std::string model = o.force && is_same_file(o.output, o.model) ? "" : o.model;
  check_outputs(
      {{"model", model}, {"--data", o.samples.data}, {"file of ranges", ranges_file_of(o)}, {"--rules", o.rules}},
      outputs);
}

int run_quantize(const QuantizeArguments& o) {
  check_files(o);
  const Outcome outcome = quantized(o, load_model_named(o.model));
  const std::string rules = o.save_rules.empty() ? "" : rules_text(outcome);
  save_model_named(outcome.model, o.output);
  if (!o.save_rules.empty()) write_file(o.save_rules, rules);
  if (!o.json.empty())
    write_json(json_text(quantize_facts(outcome, o)), o.json);
  else if (o.output != "-")
    print(quantize_text(outcome, o));
  else
    for (const std::string& remark : remarks_on(outcome, o)) print_error(remark);
  return kFine;
}

}  // namespace

Command quantize_command(Parser& parser) {
  CommandLine line = parser.command("quantize", "Make an 8-bit model of a float one, static or dynamic");
  auto o = std::make_shared<QuantizeArguments>();
  add_model_operand(line, o->model);
  line.option("-o,--output", o->output, "The 8-bit model (.onnx); - is standard output", "FILE")
      .ends_in({".onnx", "-"})
      .required();
  line.flag("--force", o->force, "Go on where the output overwrites the model, or the model is quantized already");
  add_json_option(line, o->json);
  add_quantization_options(line, *o);
  line.example(
      "  octet quantize model.onnx -o int8.onnx --data calibration.npz --calibration entropy\n"
      "  octet quantize model.onnx -o q.onnx --dynamic=symActivation,asymWeight --op-types MatMul,Conv");
  return {line, [o, line] {
            check_quantization_options(line, *o);
            return run_quantize(*o);
          }};
}

}  // namespace octet::cli
