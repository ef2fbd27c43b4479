// quantize.cc: octet quantize
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "cli/command.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "octet/base/atomic_file.h"
#include "octet/base/fail.h"
#include "octet/base/read_file.h"
#include "octet/base/table.h"
#include "octet/onnx/model_file.h"
#include "octet/quantize/dynamic.h"
#include "octet/quantize/observe.h"
#include "octet/quantize/plan.h"
#include "octet/report/json.h"

namespace octet::cli {
namespace {

struct Options {
  std::string model, output, json;
  SamplesOptions samples;
  // static
  std::string calibration = "minmax", ranges, save_ranges, format = "qdq", activations = "int8", weights = "int8";
  double percentile = 99.999;
  bool per_tensor = false, per_channel = false, symmetric_activations = false, asymmetric_weights = false,
       reduce_range = false;
  std::string scales = "real", zero_points = "any", residual = "own-scales", save_simplified;
  std::string average_pool = "shifted-scale", global_average_pool = "own-scale";
  // dynamic
  bool dynamic = false;
  std::vector<std::string> dynamic_kinds;
  // which nodes
  std::vector<std::string> op_types, exclude;
  std::string rules, save_rules;
};

// What came out, whichever way it was made.
struct Outcome {
  Model model;
  std::vector<NodeVerdict> report;
  std::vector<std::string> warnings;
  std::string how;  // one line
};

DType dtype_named(const std::string& text) {
  for (DType dtype : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16})
    if (name(dtype) == text) return dtype;
  fail(ErrorCode::kUsage, "there is no element type {} here; wanted int8, uint8, int16 or uint16", text);
}

PoolForm pool_form_named(std::string_view name) {
  if (name == "own-scale") return PoolForm::kOwnScale;
  return name == "shared-scale" ? PoolForm::kSharedScale : PoolForm::kShiftedScale;
}

StaticOptions static_options(const Options& o) {
  return {.format = o.format == "qdq" ? QuantizedFormat::kQdq : QuantizedFormat::kOperator,
          .activations = dtype_named(o.activations),
          .weights = dtype_named(o.weights),
          .symmetric_activations = o.symmetric_activations,
          .symmetric_weights = !o.asymmetric_weights,
          .per_channel = !o.per_tensor,
          .reduce_range = o.reduce_range,
          .scale_form = o.scales == "real" ? ScaleForm::kReal : ScaleForm::kPowerOfTwo,
          .zero_point_form = o.zero_points == "any" ? ZeroPointForm::kAny : ZeroPointForm::kRestricted,
          .residual_form = o.residual == "own-scales" ? ResidualForm::kOwnScales : ResidualForm::kSharedScale,
          .average_pool_form = pool_form_named(o.average_pool),
          .global_pool_form = pool_form_named(o.global_average_pool)};
}

Selection selection_of(const Options& o) {
  std::vector<NodeRule> rules;
  if (!o.rules.empty()) {
    const FileBytes file = read_file(o.rules, std::uint64_t{64} << 20);
    rules = parse_rules({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
  }
  return Selection(o.op_types, o.exclude, std::move(rules));
}

// Where ranges come from when nothing is said: "<model>_ranges.json" beside the model.
std::filesystem::path ranges_in_the_box(const std::string& model) {
  std::filesystem::path path(model);
  return path.replace_filename(path.stem().string() + "_ranges.json");
}

RangesFile ranges_for(const Options& o, const Model& simplified, const StaticOptions& options,
                      const Selection& selection) {
  if (o.samples.given()) {
    // A file of ranges has them all, so that it serves other options too.
    const bool all = !o.save_ranges.empty();
    ObserveOptions observing{
        .tensors = all ? tensors_to_observe(simplified) : tensors_to_observe(simplified, options, selection),
        .calibration = {.method = calibration_named(o.calibration),
                        .percentile = o.percentile,
                        .encoding = options.activation_encoding()},
        .batch = o.samples.batch,
        .progress = progress_line("calibrating")};
    return observe(simplified, *o.samples.open(simplified), observing);
  }
  if (!o.ranges.empty()) return load_ranges(o.ranges);
  const std::filesystem::path beside = ranges_in_the_box(o.model);
  if (std::filesystem::exists(beside)) return load_ranges(beside);
  fail(ErrorCode::kUsage,
       "static quantization needs ranges: give --data with calibration samples, or --ranges with a file that "
       "--save-ranges wrote; there is no {} either",
       beside.string());
}

Outcome quantize_statically(const Options& o, Model model, const Selection& selection) {
  const StaticOptions options = static_options(o);
  Model simplified = simplify_for_quantization(std::move(model));
  if (!o.save_simplified.empty()) save_model(simplified, o.save_simplified);
  const RangesFile ranges = ranges_for(o, simplified, options, selection);
  if (!o.save_ranges.empty()) save_ranges(ranges, o.save_ranges);
  const std::vector<std::string> unmatched = selection.unmatched(simplified, infer(simplified));
  Plan decided = plan(std::move(simplified), ranges.ranges, options, selection);
  Outcome outcome{.model = options.format == QuantizedFormat::kQdq ? write_qdq(decided) : write_operators(decided),
                  .report = std::move(decided.report),
                  .warnings = std::move(decided.warnings)};
  outcome.warnings.insert(outcome.warnings.end(), unmatched.begin(), unmatched.end());
  outcome.how = fmt::format("static, {} format, {} activations, {} weights per {}, {} ranges of {} samples", o.format,
                            o.activations, o.weights, o.per_tensor ? "tensor" : "channel",
                            ranges.calibration.empty() ? "given" : ranges.calibration, ranges.samples);
  return outcome;
}

Outcome quantize_dynamically(const Options& o, Model model, const Selection& selection) {
  DynamicOptions options{.per_channel = o.per_channel, .uint8_activations = o.activations == "uint8"};
  for (const std::string& kind : o.dynamic_kinds) {
    if (kind == "symActivation")
      options.symmetric_activations = true;
    else if (kind == "symWeight")
      options.symmetric_weights = true;
    else if (kind == "asymWeight")
      options.symmetric_weights = false;
    else if (kind != "asymActivation")
      fail(ErrorCode::kUsage,
           "there is no {} in --dynamic; wanted symActivation, asymActivation, symWeight or asymWeight", kind);
  }
  Model simplified = simplify_for_quantization(std::move(model));
  const std::vector<std::string> unmatched = selection.unmatched(simplified, infer(simplified));
  DynamicResult result = quantize_dynamic(std::move(simplified), options, selection);
  return {.model = std::move(result.model),
          .report = std::move(result.report),
          .warnings = unmatched,
          .how = fmt::format(
              "dynamic, {} {} activations, {} int8 weights per {}{}",
              options.symmetric_activations ? "symmetric" : "asymmetric", options.uint8_activations ? "uint8" : "int8",
              options.symmetric_weights ? "symmetric" : "asymmetric", options.per_channel ? "channel" : "tensor",
              o.dynamic_kinds.empty() ? " (Octet's choice)" : "")};
}

std::string escaped(const std::string& text) {
  static const std::regex special(R"([.^$|()\[\]{}*+?\\/])");
  return std::regex_replace(text, special, R"(\$&)");
}

void save_rules(const Outcome& outcome, const std::string& file) {
  Json list = Json::array();
  for (const NodeVerdict& node : outcome.report)
    list.push_back({{"match", {{"op_type", node.op_type}, {"name", "^" + escaped(node.name) + "$"}}},
                    {"quantize", node.quantized}});
  write_file(file, json_text(list));
}

Json facts(const Parameters& parameters) {
  Json scales = Json::array();
  for (float scale : parameters.scales) scales.push_back(json_number(scale));
  Json json = {{"type", name(parameters.dtype)}, {"scales", scales}, {"zero_points", parameters.zero_points}};
  if (parameters.axis) json["axis"] = *parameters.axis;
  return json;
}

Json facts(const Outcome& outcome) {
  Json nodes = Json::array();
  for (const NodeVerdict& node : outcome.report) {
    Json entry = {
        {"name", node.name}, {"op_type", node.op_type}, {"quantized", node.quantized}, {"reason", node.reason}};
    if (node.result) entry["result"] = facts(*node.result);
    if (node.weights) entry["weights"] = facts(*node.weights);
    nodes.push_back(std::move(entry));
  }
  return {{"schema", "octet.quantize/1"}, {"how", outcome.how}, {"nodes", nodes}, {"warnings", outcome.warnings}};
}

// "0.0123", "0.001..0.02".
std::string scales_text(const Parameters& parameters) {
  const auto [low, high] = std::minmax_element(parameters.scales.begin(), parameters.scales.end());
  return *low == *high ? fmt::format("{:.4g}", *low) : fmt::format("{:.4g}..{:.4g}", *low, *high);
}

std::string text(const Outcome& outcome, const std::string& output) {
  Table table({{"node", Table::Fit::kShorten},
               {"operator"},
               {"quantized"},
               {"scale", Table::Fit::kWhole, true},
               {"zero point", Table::Fit::kWhole, true},
               {"scale of weights"},
               {"why", Table::Fit::kWrap}});
  std::size_t quantized = 0;
  for (const NodeVerdict& node : outcome.report) {
    table.add({node.name, node.op_type, node.quantized ? "yes" : "no", node.result ? scales_text(*node.result) : "",
               node.result ? std::to_string(node.result->zero_points[0]) : "",
               node.weights ? scales_text(*node.weights) : "", node.reason});
    quantized += node.quantized;
  }
  std::string result = table.text(terminal_width()) + "\n";
  for (const std::string& warning : outcome.warnings) result += "warning: " + warning + "\n";
  return result + fmt::format("{} of {} nodes are quantized: {}\nwritten to {}\n", quantized, outcome.report.size(),
                              outcome.how, output);
}

int run(const Options& o) {
  const Selection selection = selection_of(o);
  Model model = load_model(o.model);
  const Outcome outcome = o.dynamic ? quantize_dynamically(o, std::move(model), selection)
                                    : quantize_statically(o, std::move(model), selection);
  save_model(outcome.model, o.output);
  if (!o.save_rules.empty()) save_rules(outcome, o.save_rules);
  if (o.json.empty())
    print(text(outcome, o.output));
  else
    write_json(json_text(facts(outcome)), o.json);
  return kFine;
}

}  // namespace

Command quantize_command(Parser& parser) {
  CommandLine line = parser.command("quantize", "Make an 8-bit model of a float one, static or dynamic");
  auto o = std::make_shared<Options>();
  line.option("model", o->model, "The float model", "MODEL").required();
  line.option("-o,--output", o->output, "The 8-bit model", "FILE").required();
  add_json_option(line, o->json);
  add_samples_options(line, o->samples);

  const auto choice = [&](const char* flag, std::string& value, const char* what,
                          const std::vector<std::string>& names) {
    line.option(flag, value, what, "NAME").one_of(names).shows_default();
  };
  choice("--calibration", o->calibration, "How ranges are chosen",
         {"minmax", "moving-average", "percentile", "entropy", "mse"});
  line.option("--percentile", o->percentile, "What percentile calibration keeps", "P").shows_default();
  line.option("--ranges", o->ranges, "Ranges that --save-ranges wrote, instead of --data", "FILE");
  line.option("--save-ranges", o->save_ranges, "Keep the observed ranges", "FILE");
  line.option("--save-simplified", o->save_simplified, "Keep the float model as it was before quantization: folded",
              "FILE");
  choice("--format", o->format, "QuantizeLinear/DequantizeLinear pairs or operators on integers", {"qdq", "qoperator"});
  choice("--activations", o->activations, "Type of activations", {"int8", "uint8", "int16", "uint16"});
  choice("--weights", o->weights, "Type of weights", {"int8", "uint8"});
  const Argument per_tensor = line.flag("--per-tensor", o->per_tensor, "One scale for all weights of a node (static)");
  line.flag("--per-channel", o->per_channel, "One scale per output channel; the default of static quantization")
      .excludes(per_tensor);
  line.flag("--symmetric-activations", o->symmetric_activations, "Zero points in the middle of the type");
  line.flag("--asymmetric-weights", o->asymmetric_weights, "Zero points wherever the weights' range puts them");
  line.flag("--reduce-range", o->reduce_range, "Weights of 7 bits: no pair of products can saturate 16 bits");
  choice("--scales", o->scales, "Power-of-two scales turn multipliers into shifts", {"real", "power-of-two"});
  choice("--zero-points", o->zero_points, "Restricted: the middle of the type, or 0 for uint8", {"any", "restricted"});
  choice("--residual", o->residual, "Shared: both inputs and the output of an Add have one scale",
         {"own-scales", "shared-scale"});
  const std::vector<std::string> pool_forms = {"own-scale", "shared-scale", "shifted-scale"};
  choice("--average-pool", o->average_pool, "Scale of AveragePool: its own, its input's, or that over a power of two",
         pool_forms);
  choice("--global-average-pool", o->global_average_pool, "The same for GlobalAveragePool", pool_forms);
  line.option("--dynamic", o->dynamic_kinds, "Activation parameters at run time: sym/asymActivation,sym/asymWeight",
              "KINDS")
      .separated_by(',')
      .takes(0, 4);
  line.option("--op-types", o->op_types, "Only these operators", "A,B").separated_by(',');
  line.option("--exclude", o->exclude, "Leave nodes whose name matches float", "REGEX");
  line.option("--rules", o->rules, "Rules per node, first match wins", "FILE");
  line.option("--save-rules", o->save_rules, "Keep what was decided, as rules", "FILE");
  line.example(
      "  octet quantize model.onnx -o int8.onnx --data calibration.npz --calibration entropy\n"
      "  octet quantize model.onnx -o q.onnx --dynamic=symActivation,asymWeight --op-types MatMul,Conv");
  return {line, [o, line] {
            o->dynamic = line.has("--dynamic");
            std::erase(o->dynamic_kinds, "");  // what no value is given as
            return run(*o);
          }};
}

}  // namespace octet::cli
