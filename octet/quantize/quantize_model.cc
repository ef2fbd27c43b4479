#include "octet/quantize/quantize_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "octet/base/fail.h"
#include "octet/graph/infer.h"
#include "octet/graph/model_hash.h"
#include "octet/graph/raise_opset.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/inspect/quantized_nodes.h"
#include "octet/program/lower.h"
#include "octet/quantize/choice_names.h"
#include "octet/quantize/observable.h"
#include "octet/quantize/observe.h"
#include "octet/quantize/preprocessing_of.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

// Models of opsets that have no QuantizeLinear yet, or no DynamicQuantizeLinear, are written in a newer one. Returns a warning
// that says so, or an empty string.
std::string raise_for_quantization(Model& model, bool dynamic) {
  const int opset = model.opset(""), needed = dynamic ? 11 : 10;
  if (opset >= needed) return "";
  RaisedModel raised = raise_opset(std::move(model));
  model = std::move(raised.model);
  std::string operators;
  for (const std::string& op : raised.operators) operators += (operators.empty() ? "" : ", ") + op;
  return fmt::format(
      "the model's opset is {}, and is raised to {}: {}", opset, kRaisedOpset,
      raised.nodes == 0
          ? "no node had to be rewritten"
          : fmt::format("{} rewritten ({})", counted(static_cast<std::int64_t>(raised.nodes), "node"), operators));
}

void require_float(const Model& model, std::string_view name, const char* remedy) {
  const std::vector<Node>& nodes = model.graph.nodes;
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [](const Node& node) { return is_conversion(node) || is_quantized_operator(node); });
  if (found != nodes.end())
    fail(ErrorCode::kUsage, "{} is quantized already: it has the node {}; {}", name, describe(*found), remedy);
}

void require_ranges(const QuantizeOptions& o) {
  if (o.dynamic || o.runs.samples || !o.ranges.empty()) return;
  fail(ErrorCode::kUsage,
       "static quantization needs ranges: give --data with calibration samples, or --ranges with a file that "
       "--save-ranges wrote");
}

// The calibrations that rules want for single tensors.
using OtherCalibrations = std::map<std::string, CalibrationOptions>;

CalibrationOptions general_calibration(const QuantizeOptions& o) {
  return {.method = o.calibration, .percentile = o.percentile, .encoding = o.options.activation_encoding()};
}

RangesFile ranges_of_samples(const QuantizeOptions& o, const Model& simplified, const OtherCalibrations& others) {
  const ObserveOptions observing{.tensors = o.observe_all ? tensors_to_observe(simplified)
                                                          : tensors_to_observe(simplified, o.options, o.selection),
                                 .calibration = general_calibration(o),
                                 .others = others,
                                 .batch = o.runs.batch,
                                 .engine = o.runs.engine,
                                 .threads = o.runs.threads,
                                 .progress = o.calibrating};
  return observe(simplified, *o.runs.samples(simplified), observing);
}

RangesFile ranges_of_file(const std::filesystem::path& file, const std::string& hash, const OtherCalibrations& others) {
  RangesFile ranges = load_ranges(file, hash);
  try {
    require_calibrations(ranges, others);
  } catch (const Error& error) {
    throw error.at(file.string());
  }
  return ranges;
}

// Empty where Octet computes every node.
std::string unobservable_warning(const Model& simplified) {
  const std::map<std::string, std::string> lost = unobservable_values(simplified);
  std::set<std::string> unknown;
  for (const auto& [value, node] : lost) unknown.insert(node);
  if (unknown.empty()) return "";
  return fmt::format(
      "Octet does not compute {}{}: no range of what depends on {} was observed, and it stays float unless --ranges "
      "has one",
      *unknown.begin(), unknown.size() > 1 ? fmt::format(" and {} more", unknown.size() - 1) : "",
      unknown.size() > 1 ? "them" : "it");
}

// "int8 activations", or where nodes have others "int8 activations (2 nodes int16)".
std::string activations_text(const QuantizeOptions& o, const std::vector<NodeVerdict>& report) {
  std::map<std::string, std::int64_t> others;
  for (const NodeVerdict& node : report)
    if (node.result && node.result->dtype != o.options.activations) ++others[std::string(name(node.result->dtype))];
  std::string text;
  for (const auto& [type, count] : others)
    text += fmt::format("{}{} {}", text.empty() ? " (" : ", ", counted(count, "node"), type);
  return fmt::format("{} activations{}{}", name(o.options.activations), text, text.empty() ? "" : ")");
}

std::string how_statically(const QuantizeOptions& o, const RangesFile& ranges, std::size_t others, bool equalized,
                           const std::vector<NodeVerdict>& report) {
  std::string how =
      fmt::format("static, {} format, {}, {} weights per {}, {} ranges of {} samples", choice_name(o.options.format),
                  activations_text(o, report), name(o.options.weights), o.options.per_channel ? "channel" : "tensor",
                  ranges.calibration.empty() ? "given" : ranges.calibration, ranges.samples);
  if (others > 0) how += fmt::format(", of {} as rules say", counted(static_cast<std::int64_t>(others), "tensor"));
  if (equalized) how += ", equalized";
  if (o.repairs.round_weights) how += ", rounding optimized";
  if (o.repairs.biases) how += fmt::format(", biases corrected ({})", choice_name(*o.repairs.biases));
  return how;
}

// Every range and repair of `result.simplified`, which is equalized already where that is asked for.
void quantize_statically(const QuantizeOptions& o, const std::string& hash, QuantizeResult& result) {
  const Model& simplified = result.simplified;
  const OtherCalibrations others = calibrations_by_rules(simplified, o.options, o.selection, general_calibration(o));
  RangesFile ranges =
      o.runs.samples ? ranges_of_samples(o, simplified, others) : ranges_of_file(o.ranges, hash, others);
  ranges.model_hash = hash;
  if (o.runs.samples) ranges.preprocessing = preprocessing_of(simplified, o.runs);
  if (o.on_ranges) o.on_ranges(ranges);
  const std::vector<std::string> unmatched = o.selection.unmatched(simplified, infer(simplified));
  const std::string unobservable = unobservable_warning(simplified);
  Repaired repaired = repair(simplified, ranges.ranges, o.options, o.selection, o.repairs, o.runs, o.repairing);
  Plan decided = plan(std::move(repaired.model), ranges.ranges, o.options, o.selection);
  result.model = write_plan(decided, o.options.format);
  result.report = std::move(decided.report);
  result.warnings = std::move(decided.warnings);
  if (!unobservable.empty()) result.warnings.push_back(unobservable);
  result.warnings.insert(result.warnings.end(), unmatched.begin(), unmatched.end());
  for (const auto& [tensor, calibration] : ranges.others)
    if (!others.contains(tensor))
      result.warnings.push_back(
          fmt::format("the range of tensor {} is {}, and no rule wants it so", tensor, calibration));
  const bool equalized =
      std::ranges::any_of(result.equalized, [](const EqualizedPair& pair) { return pair.scaled > 0; });
  result.how = how_statically(o, ranges, others.size(), equalized, result.report);
  result.rounded = std::move(repaired.rounded);
  result.corrected = std::move(repaired.corrected);
  result.ranges = std::move(ranges);
}

void quantize_dynamically(const DynamicOptions& options, const Selection& selection, QuantizeResult& result) {
  result.warnings = selection.unmatched(result.simplified, infer(result.simplified));
  DynamicResult made = quantize_dynamic(result.simplified, options, selection);
  result.model = std::move(made.model);
  result.report = std::move(made.report);
  result.how = fmt::format(
      "dynamic, {} {} activations, {} int8 weights per {}", options.symmetric_activations ? "symmetric" : "asymmetric",
      options.uint8_activations ? "uint8" : "int8", options.symmetric_weights ? "symmetric" : "asymmetric",
      options.per_channel ? "channel" : "tensor");
}

// The rewrites that come before every decision. Returns a warning where the opset was raised.
std::string simplify(Model& model, bool dynamic) {
  std::string raised = raise_for_quantization(model, dynamic);
  model = simplify_for_quantization(std::move(model));
  if (!dynamic) model = fuse_matmul_bias(std::move(model));
  return raised;
}

// A model with operators that Octet has no kernel for can be quantized, and has no program.
void judge_by_program(QuantizeResult& result) {
  try {
    const Program program = lower(result.model, Policy::kExact);
    result.share = quantized_share(program);
    set_computed(result.report, program);
    if (const std::string warning = unheeded_exclusions(result.report); !warning.empty())
      result.warnings.push_back(warning);
  } catch (const Error& error) {
    result.no_program = error.what();
    for (NodeVerdict& node : result.report) node.computed = node.quantized ? Computed::kInteger : Computed::kFloat;
  }
}

}  // namespace

Model simplified_model(Model model, const std::string& name) {
  simplify(model, false);
  require_float(model, name, "wanted a float model");
  return model;
}

QuantizeResult quantize_model(Model model, const QuantizeOptions& o) {
  const std::string hash = o.dynamic ? "" : model_hash(model);
  const std::string raised = simplify(model, o.dynamic.has_value());
  if (!o.allow_quantized) require_float(model, o.name, "--force quantizes what is float in it");
  require_ranges(o);
  o.selection.require_exclusions(model);
  QuantizeResult result;
  if (!o.dynamic && o.repairs.equalize) {
    const ChannelRanges seen = observed_channels(model, o.runs);
    Equalized equalized = equalize(std::move(model), seen, *o.repairs.equalize);
    model = std::move(equalized.model);
    result.equalized = std::move(equalized.pairs);
  }
  result.simplified = std::move(model);
  if (o.on_simplified) o.on_simplified(result.simplified);
  if (o.dynamic)
    quantize_dynamically(*o.dynamic, o.selection, result);
  else
    quantize_statically(o, hash, result);
  if (result.ranges && result.ranges->preprocessing) record_preprocessing(result.model, *result.ranges->preprocessing);
  if (!raised.empty()) result.warnings.insert(result.warnings.begin(), raised);
  judge_by_program(result);
  return result;
}

}  // namespace octet
