// quantize.cc: octet quantize
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/atomic_file.h"
#include "octet/base/fail.h"
#include "octet/base/read_file.h"
#include "octet/base/table.h"
#include "octet/base/utf8.h"
#include "octet/graph/model_hash.h"
#include "octet/graph/raise_opset.h"
#include "octet/inspect/quantized_nodes.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/program/quantized_share.h"
#include "octet/quantize/dynamic.h"
#include "octet/quantize/observe.h"
#include "octet/quantize/plan.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct QuantizeArguments {
  std::string model, output, json;
  bool force = false;
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
  std::string rules, save_rules, engine = kDefaultEngine;
  int threads = 0;
};

// What came out, whichever way it was made.
struct Outcome {
  Model model;
  std::vector<NodeVerdict> report;
  std::vector<std::string> warnings;
  std::string how;                      // one line
  std::optional<RangesFile> ranges;     // of static quantization
  std::string ranges_file;              // where they were read, or empty
  std::optional<QuantizedShare> share;  // absent where there is no program
  std::string no_program;               // why
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

StaticOptions static_options(const QuantizeArguments& o) {
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

Selection selection_of(const QuantizeArguments& o) {
  std::vector<NodeRule> rules;
  if (!o.rules.empty()) {
    const FileBytes file = read_file(o.rules, std::uint64_t{64} << 20);
    try {
      rules = parse_rules({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
    } catch (const Error& error) {
      throw error.at(o.rules);
    }
  }
  return Selection(o.op_types, o.exclude, std::move(rules));
}

// The file of ranges that serves when there are no samples: the one that was named, else "<model>_ranges.json" beside
// the model, where that is; else empty.
std::string ranges_file_of(const QuantizeArguments& o) {
  if (o.dynamic || o.samples.given()) return "";
  if (!o.ranges.empty()) return o.ranges;
  std::filesystem::path beside(o.model);
  beside.replace_filename(beside.stem().string() + "_ranges.json");
  return o.model != "-" && std::filesystem::exists(beside) ? beside.string() : "";
}

RangesFile observed_ranges(const QuantizeArguments& o, const Model& simplified, const StaticOptions& options,
                           const Selection& selection) {
  // A file of ranges has them all, so that it serves other options too.
  const bool all = !o.save_ranges.empty();
  ObserveOptions observing{
      .tensors = all ? tensors_to_observe(simplified) : tensors_to_observe(simplified, options, selection),
      .calibration = {.method = calibration_named(o.calibration),
                      .percentile = o.percentile,
                      .encoding = options.activation_encoding()},
      .batch = o.samples.batch,
      .engine = o.engine,
      .threads = o.threads,
      .progress = progress_line("calibrating")};
  return observe(simplified, *o.samples.open(simplified), observing);
}

Outcome quantize_statically(const QuantizeArguments& o, Model simplified, const std::string& hash,
                            const Selection& selection) {
  const StaticOptions options = static_options(o);
  const std::string file = ranges_file_of(o);
  RangesFile ranges = file.empty() ? observed_ranges(o, simplified, options, selection) : load_ranges(file, hash);
  ranges.model_hash = hash;
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
  outcome.ranges = std::move(ranges);
  outcome.ranges_file = file;
  return outcome;
}

Outcome quantize_dynamically(const QuantizeArguments& o, Model simplified, const Selection& selection) {
  DynamicOptions options{.per_channel = o.per_channel, .uint8_activations = o.activations == "uint8"};
  const auto asks_for = [&](const char* kind) { return std::ranges::count(o.dynamic_kinds, kind) > 0; };
  if ((asks_for("symActivation") && asks_for("asymActivation")) || (asks_for("symWeight") && asks_for("asymWeight")))
    fail(ErrorCode::kUsage, "--dynamic asks for symmetric and for asymmetric ones of the same kind");
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

std::string rules_text(const Outcome& outcome) {
  Json list = Json::array();
  for (const NodeVerdict& node : outcome.report)
    list.push_back(
        {{"match", {{"op_type", node.op_type}, {"name", pattern_of_name(node.name)}}}, {"quantize", node.quantized}});
  return json_text(list);
}

Json quantize_facts(const Parameters& parameters) {
  Json scales = Json::array();
  for (float scale : parameters.scales) scales.push_back(json_number(scale));
  Json json = {{"type", name(parameters.dtype)}, {"scales", scales}, {"zero_points", parameters.zero_points}};
  if (parameters.axis) json["axis"] = *parameters.axis;
  return json;
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
  }
  return {{"schema", "octet.quantize/1"},
          {"octet", kVersion},
          {"how", outcome.how},
          {"ranges", ranges},
          {"quantized_steps", outcome.share ? Json(outcome.share->quantized) : Json()},
          {"computing_steps", outcome.share ? Json(outcome.share->computing) : Json()},
          {"nodes", nodes},
          {"warnings", outcome.warnings}};
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

void check_is_float(const Model& model, const std::string& path) {
  const std::vector<Node>& nodes = model.graph.nodes;
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [](const Node& node) { return is_conversion(node) || is_quantized_operator(node); });
  if (found != nodes.end())
    fail(ErrorCode::kUsage, "{} is quantized already: it has the node {}; --force quantizes what is float in it", path,
         describe(*found));
}

void require_ranges(const QuantizeArguments& o) {
  if (o.dynamic || o.samples.given() || !ranges_file_of(o).empty()) return;
  fail(ErrorCode::kUsage,
       "static quantization needs ranges: give --data with calibration samples, or --ranges with a file that "
       "--save-ranges wrote");
}

// A model with operators that Octet has no kernel for can be quantized, and has no program.
void judge_by_program(Outcome& outcome) {
  try {
    const Program program = lower(outcome.model, Policy::kExact);
    outcome.share = quantized_share(program);
    settle(outcome.report, program);
  } catch (const Error& error) {
    outcome.no_program = error.what();
    for (NodeVerdict& node : outcome.report) node.computed = node.quantized ? Computed::kInteger : Computed::kFloat;
  }
}

// Models of opsets that have no QuantizeLinear yet, or no DynamicQuantizeLinear, are written in a newer one; says so.
std::string raise(Model& model, bool dynamic) {
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

int run_quantize(const QuantizeArguments& o) {
  check_files(o);
  engine_named(o.engine);
  const Selection selection = selection_of(o);
  Model model = load_model_named(o.model);
  const std::string hash = o.dynamic ? "" : model_hash(model);
  const std::string raised = raise(model, o.dynamic);
  model = simplify_for_quantization(std::move(model));
  if (!o.force) check_is_float(model, shown_name(o.model));
  require_ranges(o);
  if (!o.save_simplified.empty()) save_model(model, o.save_simplified);
  Outcome outcome = o.dynamic ? quantize_dynamically(o, std::move(model), selection)
                              : quantize_statically(o, std::move(model), hash, selection);
  if (!raised.empty()) outcome.warnings.insert(outcome.warnings.begin(), raised);
  judge_by_program(outcome);
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

void check_options(const QuantizeArguments& o, const CommandLine& line) {
  const bool observes = o.samples.given();
  const std::string ranges = o.dynamic || observes ? "" : ranges_file_of(o);
  refuse_unused(line, {{o.dynamic,
                        {"--data", "--calibration", "--percentile", "--ranges", "--save-ranges"},
                        "--dynamic measures activations while the model runs"},
                       {o.dynamic,
                        {"--symmetric-activations", "--asymmetric-weights"},
                        "with --dynamic, say --dynamic=symActivation,asymWeight"},
                       {o.dynamic,
                        {"--format", "--weights", "--reduce-range", "--scales", "--zero-points", "--residual",
                         "--average-pool", "--global-average-pool"},
                        "it is about static quantization, not about --dynamic"},
                       {o.dynamic && o.activations != "int8" && o.activations != "uint8",
                        {"--activations"},
                        "--dynamic has int8 and uint8 activations"},
                       {observes, {"--ranges"}, "--data measures them"},
                       {!observes,
                        {"--calibration", "--percentile"},
                        ranges.empty() ? "give --data to calibrate"
                                       : fmt::format("the ranges come from {}; give --data to calibrate", ranges)},
                       {!observes,
                        {"--save-ranges"},
                        ranges.empty() ? "give --data to measure some"
                                       : fmt::format("the ranges come from {}, not from --data", ranges)},
                       {!observes, {"--engine"}, "it runs the float model on what --data gives"},
                       {o.calibration != "percentile", {"--percentile"}, "say --calibration percentile too"}});
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
  const Argument per_tensor =
      line.flag("--per-tensor", o->per_tensor, "One scale for all weights of a node; the default of --dynamic");
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
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  line.example(
      "  octet quantize model.onnx -o int8.onnx --data calibration.npz --calibration entropy\n"
      "  octet quantize model.onnx -o q.onnx --dynamic=symActivation,asymWeight --op-types MatMul,Conv");
  return {line, [o, line] {
            o->dynamic = line.has("--dynamic");
            std::erase(o->dynamic_kinds, "");  // what no value is given as
            check_options(*o, line);
            return run_quantize(*o);
          }};
}

}  // namespace octet::cli
