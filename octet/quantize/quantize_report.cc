#include "octet/quantize/quantize_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/quantize/write_rules.h"
#include "octet/text/json.h"
#include "octet/text/json_finite.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/version.h"

namespace octet {
namespace {

Json parameters_json(const Parameters& parameters) {
  Json scales = Json::array();
  for (float scale : parameters.scales) scales.push_back(json_number(scale));
  Json json = {{"type", name(parameters.dtype)}, {"scales", scales}, {"zero_points", parameters.zero_points}};
  if (parameters.axis) json["axis"] = *parameters.axis;
  return json;
}

Json equalized_json(const EqualizedPair& pair) {
  return {{"first", pair.first},
          {"second", pair.second},
          {"channels", pair.channels},
          {"scaled", pair.scaled},
          {"exponents", {pair.smallest, pair.largest}},
          {"replaced", pair.replaced.empty() ? Json() : Json(pair.replaced)},
          {"left", pair.left.empty() ? Json() : Json(pair.left)}};
}

Json rounded_json(const RoundedWeights& layer) {
  return {{"node", layer.node},
          {"weights", layer.weights},
          {"changed", layer.changed},
          {"sqnr_nearest", json_finite(layer.before)},
          {"sqnr", json_finite(layer.after)},
          {"left", layer.left.empty() ? Json() : Json(layer.left)}};
}

Json corrected_json(const CorrectedBias& bias) {
  return {{"node", bias.node},
          {"channels", bias.channels},
          {"largest", json_number(bias.largest)},
          {"left", bias.left.empty() ? Json() : Json(bias.left)}};
}

Json result_json(const QuantizeResult& outcome, const QuantizeSource& source) {
  Json nodes = Json::array();
  for (const NodeVerdict& node : outcome.report) {
    Json entry = {{"name", node.name},
                  {"op_type", node.op_type},
                  {"quantized", node.computed != Computed::kFloat},
                  {"merged", node.computed == Computed::kMerged},
                  {"reason", node.reason}};
    if (node.result) entry["result"] = parameters_json(*node.result);
    if (node.weights) entry["weights"] = parameters_json(*node.weights);
    nodes.push_back(std::move(entry));
  }
  Json ranges;
  if (outcome.ranges) {
    ranges = {{"file", source.ranges_file.empty() ? Json() : Json(source.ranges_file)},
              {"calibration", outcome.ranges->calibration},
              {"samples", outcome.ranges->samples},
              {"model_sha256", outcome.ranges->model_hash}};
    if (source.ranges_file.empty()) ranges["engine"] = source.engine;
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
  if (source.repairs.equalize) {
    json["equalized"] = Json::array();
    for (const EqualizedPair& pair : outcome.equalized) json["equalized"].push_back(equalized_json(pair));
  }
  if (source.repairs.round_weights) {
    json["rounded"] = Json::array();
    for (const RoundedWeights& layer : outcome.rounded) json["rounded"].push_back(rounded_json(layer));
  }
  if (source.repairs.biases) {
    json["corrected"] = Json::array();
    for (const CorrectedBias& bias : outcome.corrected) json["corrected"].push_back(corrected_json(bias));
  }
  return json;
}

// What the methods that repair changed, a line each.
std::string repairs_text(const QuantizeResult& outcome) {
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

}  // namespace

std::string ranges_remark(const QuantizeResult& outcome, const QuantizeSource& source) {
  if (source.ranges_file.empty()) return "";
  return fmt::format("ranges from {}{}: {} of {} samples", printable(source.ranges_file),
                     source.ranges_found ? ", found beside the model" : "", outcome.ranges->calibration,
                     outcome.ranges->samples);
}

std::string quantize_text(const QuantizeResult& outcome, const QuantizeSource& source, std::size_t width) {
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
  const std::string ranges = ranges_remark(outcome, source);
  std::string result = (ranges.empty() ? "" : ranges + "\n\n") + table.text(width) + "\n";
  result += repairs_text(outcome);
  for (const std::string& warning : outcome.warnings) result += "warning: " + printable(warning) + "\n";
  if (outcome.share)
    result += fmt::format("{} are quantized: {}\n", to_string(*outcome.share), outcome.how);
  else
    result += fmt::format("{}\nno integer program of it: {}\n", outcome.how, outcome.no_program);
  return source.output.empty() ? result : result + fmt::format("written to {}\n", printable(source.output));
}

std::string quantize_json(const QuantizeResult& outcome, const QuantizeSource& source) {
  return json_text(result_json(outcome, source));
}

std::string rules_text(const QuantizeResult& outcome) {
  std::vector<NodeDecision> decisions;
  for (const NodeVerdict& node : outcome.report) {
    decisions.push_back({node.name, node.op_type, node.choice});
    decisions.back().choice.quantize = node.quantized;
  }
  return octet::rules_text(decisions);
}

}  // namespace octet
