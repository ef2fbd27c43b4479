#include "cli/quantization.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/onnx/model_file.h"
#include "octet/system/read_file.h"

namespace octet::cli {
namespace {

DType dtype_named(const std::string& text) {
  for (DType dtype : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16})
    if (name(dtype) == text) return dtype;
  fail(ErrorCode::kUsage, "there is no element type {} here; wanted int8, uint8, int16 or uint16", text);
}

StaticOptions static_options(const QuantizationOptions& o) {
  return {.format = choice_named<QuantizedFormat>(o.format),
          .activations = dtype_named(o.activations),
          .weights = dtype_named(o.weights),
          .symmetric_activations = o.symmetric_activations,
          .symmetric_weights = !o.asymmetric_weights,
          .per_channel = !o.per_tensor,
          .reduce_range = o.reduce_range,
          .scale_form = choice_named<ScaleForm>(o.scales),
          .zero_point_form = choice_named<ZeroPointForm>(o.zero_points),
          .residual_form = choice_named<ResidualForm>(o.residual),
          .average_pool_form = choice_named<PoolForm>(o.average_pool),
          .global_pool_form = choice_named<PoolForm>(o.global_average_pool)};
}

Selection selection_of(const QuantizationOptions& o) {
  std::vector<NodeRule> rules;
  if (!o.rules.empty()) {
    const FileBytes file = read_file(o.rules, std::uint64_t{64} << 20);
    try {
      rules = parse_rules({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
    } catch (const Error& error) {
      throw error.at(o.rules);
    }
  }
  for (const std::string& name : o.wide) {
    NodeRule& rule = rules.emplace_back();
    rule.name.emplace(name);
    rule.choice.activations = wide_type(dtype_named(o.activations));
  }
  return Selection(o.op_types, o.exclude, std::move(rules));
}

// A flag that was given without a value.
bool is_bare(const std::string& value) { return value == "true"; }

DynamicOptions dynamic_options(const QuantizationOptions& o) {
  DynamicOptions options{.per_channel = o.per_channel, .uint8_activations = o.activations == "uint8"};
  const char* option = o.nnpa_dynamic.empty() ? "--dynamic" : "--nnpa-quant-dynamic";
  const auto asks_for = [&](const char* kind) { return std::ranges::count(o.dynamic_kinds, kind) > 0; };
  if ((asks_for("symActivation") && asks_for("asymActivation")) || (asks_for("symWeight") && asks_for("asymWeight")))
    fail(ErrorCode::kUsage, "{} asks for symmetric and for asymmetric ones of the same kind", option);
  for (const std::string& kind : o.dynamic_kinds) {
    if (kind == "symActivation")
      options.symmetric_activations = true;
    else if (kind == "symWeight")
      options.symmetric_weights = true;
    else if (kind == "asymWeight")
      options.symmetric_weights = false;
    else if (kind != "asymActivation")
      fail(ErrorCode::kUsage, "there is no {} in {}; wanted symActivation, asymActivation, symWeight or asymWeight",
           kind, option);
  }
  return options;
}

QuantizeOptions quantize_options(const QuantizationOptions& o) {
  QuantizeOptions options{
      .selection = selection_of(o),
      .runs = o.samples.runs({o.engine, o.threads}),
      .ranges = ranges_file_of(o),
      .observe_all = !o.save_ranges.empty(),
      .name = shown_name(o.model),
      .allow_quantized = o.force,
      .calibrating = progress_line("calibrating"),
      .repairing = {.rounding = progress_line("rounding weights"), .biases = progress_line("correcting biases")}};
  if (!o.samples.given()) options.runs.samples = {};
  if (o.dynamic) {
    options.dynamic = dynamic_options(o);
  } else {
    options.options = static_options(o);
    options.calibration = calibration_named(o.calibration);
    options.percentile = o.percentile;
    options.repairs = repairs_of(o);
  }
  if (!o.save_simplified.empty())
    options.on_simplified = [&o](const Model& model) { save_model(model, o.save_simplified); };
  if (!o.save_ranges.empty())
    options.on_ranges = [&o](const RangesFile& ranges) { save_ranges(ranges, o.save_ranges); };
  return options;
}

void refuse_unused_options(const QuantizationOptions& o, const CommandLine& line) {
  const bool observes = o.samples.given();
  const std::string ranges = o.dynamic || observes ? "" : ranges_file_of(o);
  refuse_unused(line,
                {{o.dynamic,
                  {"--data", "--calibration", "--percentile", "--ranges", "--save-ranges"},
                  "--dynamic measures activations while the model runs"},
                 {o.dynamic,
                  {"--symmetric-activations", "--asymmetric-weights"},
                  "with --dynamic, say --dynamic=symActivation,asymWeight"},
                 {o.dynamic,
                  {"--format", "--weights", "--wide", "--reduce-range", "--scales", "--zero-points", "--residual",
                   "--average-pool", "--global-average-pool", "--equalize", "--optimize-rounding", "--bias-correction"},
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
                 {!observes, {"--equalize"}, "it changes ranges: give --data to measure them"},
                 {!observes, {"--optimize-rounding"}, "give --data to see what weights are multiplied by"},
                 {!observes, {"--bias-correction"}, "give --data to measure means"},
                 {!o.equalize.empty(),
                  {"--save-ranges"},
                  "they would be those of the equalized network: keep that with --save-simplified and quantize it"},
                 {!observes, {"--engine"}, "it runs the float model on what --data gives"},
                 {o.calibration != "percentile", {"--percentile"}, "say --calibration percentile too"}});
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words(1);
  for (const char c : list)
    if (c == ',')
      words.emplace_back();
    else
      words.back() += c;
  std::erase(words, "");
  return words;
}

// onnx-mlir's names for what --dynamic and --op-types say.
void read_nnpa_options(const CommandLine& line, QuantizationOptions& o) {
  if (line.has("--nnpa-quant-dynamic")) {
    if (line.has("--dynamic")) fail(ErrorCode::kUsage, "--nnpa-quant-dynamic and --dynamic say the same: give one");
    o.dynamic = true;
    o.dynamic_kinds =
        is_bare(o.nnpa_dynamic) ? std::vector<std::string>{"asymActivation", "symWeight"} : words_of(o.nnpa_dynamic);
  }
  if (!line.has("--nnpa-quant-op-types")) return;
  if (line.has("--op-types")) fail(ErrorCode::kUsage, "--nnpa-quant-op-types and --op-types say the same: give one");
  if (!o.dynamic) fail(ErrorCode::kUsage, "--nnpa-quant-op-types goes with --nnpa-quant-dynamic or --dynamic");
  if (is_bare(o.nnpa_op_types) || words_of(o.nnpa_op_types).empty())
    fail(ErrorCode::kUsage, "say which operators: --nnpa-quant-op-types=MatMul,Conv");
  o.op_types = words_of(o.nnpa_op_types);
  if (std::ranges::count(o.op_types, "MatMul") > 0 && std::ranges::count(o.op_types, "Gemm") == 0)
    o.op_types.emplace_back("Gemm");
}

}  // namespace

Repairs repairs_of(const QuantizationOptions& o) {
  Repairs repairs{.round_weights = o.optimize_rounding};
  if (!o.equalize.empty()) repairs.equalize = is_bare(o.equalize) ? BoundedClamps::kLeave : BoundedClamps::kReplace;
  if (!o.bias_correction.empty()) repairs.biases = choice_named<BiasCorrection>(o.bias_correction);
  return repairs;
}

std::string ranges_file_of(const QuantizationOptions& o) {
  if (o.dynamic || o.samples.given()) return "";
  if (!o.ranges.empty()) return o.ranges;
  std::filesystem::path beside(o.model);
  beside.replace_filename(beside.stem().string() + "_ranges.json");
  return o.model != "-" && std::filesystem::exists(beside) ? beside.string() : "";
}

std::vector<std::string> quantization_options() {
  return {"--calibration",
          "--engine",
          "--threads",
          "--force",
          "--percentile",
          "--save-ranges",
          "--save-simplified",
          "--format",
          "--target",
          "--activations",
          "--weights",
          "--per-tensor",
          "--per-channel",
          "--symmetric-activations",
          "--asymmetric-weights",
          "--reduce-range",
          "--scales",
          "--zero-points",
          "--residual",
          "--average-pool",
          "--global-average-pool",
          "--equalize",
          "--optimize-rounding",
          "--bias-correction",
          "--nnpa-quant-op-types",
          "--op-types",
          "--exclude",
          "--wide",
          "--rules",
          "--save-rules"};
}

void add_calibration_option(CommandLine line, std::string& calibration) {
  line.option("--calibration", calibration, "How ranges are chosen", "NAME")
      .one_of(choice_names<Calibration>())
      .shows_default();
}

void add_quantization_options(CommandLine line, QuantizationOptions& o) {
  add_samples_options(line, o.samples);

  const auto choice = [&](const char* flag, std::string& value, const char* what,
                          const std::vector<std::string>& names) {
    line.option(flag, value, what, "NAME").one_of(names).shows_default();
  };
  add_calibration_option(line, o.calibration);
  line.option("--percentile", o.percentile, "What percentile calibration keeps", "P").shows_default();
  line.option("--ranges", o.ranges, "Ranges that --save-ranges wrote, instead of --data", "FILE");
  line.option("--save-ranges", o.save_ranges, "Keep the observed ranges", "FILE");
  line.option("--save-simplified", o.save_simplified, "Keep the float model as it was before quantization: folded",
              "FILE");
  choice("--format", o.format, "QuantizeLinear/DequantizeLinear pairs or operators on integers",
         choice_names<QuantizedFormat>());
  line.option("--target", o.target,
              "Type of activations that is fastest on hardware, onnxruntime-x86 (uint8) or onnxruntime-arm", "NAME")
      .one_of(choice_names<Deployment>());
  choice("--activations", o.activations, "Type of activations", {"int8", "uint8", "int16", "uint16"});
  choice("--weights", o.weights, "Type of weights", {"int8", "uint8"});
  const Argument per_tensor =
      line.flag("--per-tensor", o.per_tensor, "One scale for all weights of a node; the default of --dynamic");
  line.flag("--per-channel", o.per_channel, "One scale per output channel; the default of static quantization")
      .excludes(per_tensor);
  line.flag("--symmetric-activations", o.symmetric_activations, "Zero points in the middle of the type");
  line.flag("--asymmetric-weights", o.asymmetric_weights, "Zero points wherever the weights' range puts them");
  line.flag("--reduce-range", o.reduce_range, "Weights of 7 bits: no pair of products can saturate 16 bits");
  choice("--scales", o.scales, "Power-of-two scales turn multipliers into shifts", choice_names<ScaleForm>());
  choice("--zero-points", o.zero_points, "Restricted: the middle of the type, or 0 for uint8",
         choice_names<ZeroPointForm>());
  choice("--residual", o.residual, "Shared: both inputs and the output of an Add have one scale",
         choice_names<ResidualForm>());
  const std::vector<std::string> pool_forms = choice_names<PoolForm>();
  choice("--average-pool", o.average_pool, "Scale of AveragePool: its own, its input's, or that over a power of two",
         pool_forms);
  choice("--global-average-pool", o.global_average_pool, "The same for GlobalAveragePool", pool_forms);
  line.flag_with_value(
      "--equalize", o.equalize,
      "Scale channels of neighbouring layers to like sizes; --equalize=replace-clip: through Relu6 too");
  line.flag("--optimize-rounding", o.optimize_rounding,
            "Round weights up or down so that what layers make changes least, as AdaRound does");
  line.option("--bias-correction", o.bias_correction, "Take back what rounding adds to means: analytic, empirical",
              "NAME")
      .one_of(choice_names<BiasCorrection>());
  line.flag_with_value("--dynamic", o.dynamic_text,
                       "Activation parameters at run time; --dynamic=KINDS: sym/asymActivation,sym/asymWeight");
  line.flag_with_value("--nnpa-quant-dynamic", o.nnpa_dynamic,
                       "The same as onnx-mlir spells it; without kinds asymActivation,symWeight");
  line.flag_with_value("--nnpa-quant-op-types", o.nnpa_op_types,
                       "--nnpa-quant-op-types=MatMul,Conv: --op-types as onnx-mlir spells it; MatMul includes Gemm");
  line.option("--op-types", o.op_types, "Only these operators", "A,B").separated_by(',');
  line.option("--exclude", o.exclude, "Leave nodes whose name matches float", "REGEX");
  line.option("--wide", o.wide, "16-bit activations for nodes whose name matches: of what they read and make", "REGEX");
  line.option("--rules", o.rules, "Rules per node, first match wins", "FILE");
  line.option("--save-rules", o.save_rules, "Keep what was decided, as rules", "FILE");
  add_engine_option(line, o.engine);
  add_threads_option(line, o.threads);
}

void check_quantization_options(const CommandLine& line, QuantizationOptions& o) {
  if (line.has("--dynamic")) {
    o.dynamic = true;
    if (!is_bare(o.dynamic_text)) o.dynamic_kinds = words_of(o.dynamic_text);
  }
  read_nnpa_options(line, o);
  if (line.has("--equalize") && !is_bare(o.equalize) && o.equalize != "replace-clip")
    fail(ErrorCode::kUsage, "there is no --equalize={}; wanted --equalize or --equalize=replace-clip", o.equalize);
  refuse_unused_options(o, line);
  if (!o.target.empty() && !line.has("--activations"))
    o.activations = std::string(name(activations_for(choice_named<Deployment>(o.target))));
  engine_named(o.engine);  // before anything is read
}

Outcome quantized(const QuantizationOptions& o, Model model) {
  const std::string file = ranges_file_of(o);
  Outcome outcome{quantize_model(std::move(model), quantize_options(o)), file};
  if (o.dynamic && o.dynamic_kinds.empty()) outcome.how += " (Octet's choice)";
  return outcome;
}

}  // namespace octet::cli
