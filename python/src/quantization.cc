#include "python/src/quantization.h"

#include <algorithm>
#include <filesystem>

#include "octet/base/fail.h"
#include "octet/onnx/model_file.h"
#include "octet/quantize/choice_names.h"
#include "octet/system/read_file.h"

namespace octet::python {
namespace {

DType dtype_of(const Options& options, const char* option) {
  const std::string text = options.text(option);
  for (DType dtype : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16})
    if (name(dtype) == text) return dtype;
  fail(ErrorCode::kUsage, "there is no element type {} here; wanted int8, uint8, int16 or uint16", text);
}

// As the target wants them, where they are not given.
DType activations_of(const Options& o) {
  if (o.given("activations")) return dtype_of(o, "activations");
  const std::string target = o.text("target");
  return target.empty() ? DType::kInt8 : activations_for(choice_named<Deployment>(target));
}

StaticOptions static_options(const Options& o) {
  return {.format = choice_named<QuantizedFormat>(o.text("format")),
          .activations = activations_of(o),
          .weights = dtype_of(o, "weights"),
          .symmetric_activations = o.flag("symmetric_activations"),
          .symmetric_weights = !o.flag("asymmetric_weights"),
          .per_channel = !o.flag("per_tensor"),
          .reduce_range = o.flag("reduce_range"),
          .scale_form = choice_named<ScaleForm>(o.text("scales")),
          .zero_point_form = choice_named<ZeroPointForm>(o.text("zero_points")),
          .residual_form = choice_named<ResidualForm>(o.text("residual")),
          .average_pool_form = choice_named<PoolForm>(o.text("average_pool")),
          .global_pool_form = choice_named<PoolForm>(o.text("global_average_pool"))};
}

// A switch that may have a word instead: True is the switch alone.
std::string switch_or_word(const Options& o, const char* option) {
  const nb::object value = o.object(option);
  if (value.is_none() || value.is(nb::bool_(false))) return "";
  return value.is(nb::bool_(true)) ? "plain" : o.text(option);
}

Repairs repairs_of(const Options& o) {
  Repairs repairs{.round_weights = o.flag("optimize_rounding")};
  if (const std::string form = switch_or_word(o, "equalize"); !form.empty())
    repairs.equalize = choice_named<BoundedClamps>(form);
  if (const std::string method = o.text("bias_correction"); !method.empty())
    repairs.biases = choice_named<BiasCorrection>(method);
  return repairs;
}

// The kinds of --dynamic=KINDS; nothing where quantization is static.
std::optional<std::vector<std::string>> dynamic_kinds(const Options& o) {
  const nb::object value = o.object("dynamic");
  if (value.is_none() || value.is(nb::bool_(false))) return std::nullopt;
  if (value.is(nb::bool_(true))) return std::vector<std::string>();
  std::vector<std::string> kinds;
  for (std::string words : o.texts("dynamic")) {
    words += ',';
    for (std::size_t comma = 0; (comma = words.find(',')) != std::string::npos; words.erase(0, comma + 1))
      if (comma > 0) kinds.push_back(words.substr(0, comma));
  }
  return kinds;
}

DynamicOptions dynamic_options(const Options& o, const std::vector<std::string>& kinds) {
  const DType activations = activations_of(o);
  if (activations != DType::kInt8 && activations != DType::kUint8)
    fail(ErrorCode::kUsage, "activations is not used: dynamic has int8 and uint8 activations");
  DynamicOptions options{.per_channel = o.flag("per_channel"), .uint8_activations = activations == DType::kUint8};
  const auto asks_for = [&](const char* kind) { return std::ranges::count(kinds, kind) > 0; };
  if ((asks_for("symActivation") && asks_for("asymActivation")) || (asks_for("symWeight") && asks_for("asymWeight")))
    fail(ErrorCode::kUsage, "dynamic asks for symmetric and for asymmetric ones of the same kind");
  for (const std::string& kind : kinds) {
    if (kind == "symActivation")
      options.symmetric_activations = true;
    else if (kind == "symWeight" || kind == "asymWeight")
      options.symmetric_weights = kind == "symWeight";
    else if (kind != "asymActivation")
      fail(ErrorCode::kUsage,
           "there is no {} in dynamic; wanted symActivation, asymActivation, symWeight or asymWeight", kind);
  }
  return options;
}

Selection selection_of(const Options& o) {
  std::vector<NodeRule> rules;
  if (const std::string path = o.path("rules"); !path.empty()) {
    const FileBytes file = read_file(path, std::uint64_t{64} << 20);
    try {
      rules = parse_rules({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
    } catch (const Error& error) {
      throw error.at(path);
    }
  }
  for (const std::string& name : o.texts("wide")) {
    NodeRule& rule = rules.emplace_back();
    rule.name.emplace(name);
    rule.choice.activations = wide_type(activations_of(o));
  }
  return Selection(o.texts("op_types"), o.texts("exclude"), std::move(rules));
}

std::string ranges_beside(const SharedModel& model) {
  if (!model->in_file) return "";
  std::filesystem::path beside(model->name);
  beside.replace_filename(beside.stem().string() + "_ranges.json");
  std::error_code error;
  return std::filesystem::exists(beside, error) ? beside.string() : "";
}

}  // namespace

Quantization quantization_of(const Call& call) {
  const Options& o = call.options;
  const Samples samples = call.samples();
  const SharedModel model = call.source();
  Quantization made{.engine = call.engine()};
  const std::string save_ranges_to = o.path("save_ranges"), save_simplified_to = o.path("save_simplified");
  QuantizeOptions& options = made.options;
  options = {.selection = selection_of(o),
             .runs = samples.runs(made.engine, call.threads()),
             .observe_all = !save_ranges_to.empty(),
             .name = model->name,
             .allow_quantized = o.flag("force"),
             .calibrating = call.work.progress("calibrating"),
             .repairing = {.rounding = call.work.progress("rounding weights"),
                           .biases = call.work.progress("correcting biases")}};
  const bool per_tensor = o.flag("per_tensor"), per_channel = o.flag("per_channel");
  if (per_tensor && per_channel) fail(ErrorCode::kUsage, "per_channel excludes per_tensor");
  if (const std::optional<std::vector<std::string>> kinds = dynamic_kinds(o)) {
    options.dynamic = dynamic_options(o, *kinds);
    made.own_choice = kinds->empty();
  } else {
    made.ranges = o.path("ranges");
    made.ranges_found = made.ranges.empty() && !samples.given();
    if (samples.given() && !made.ranges.empty()) fail(ErrorCode::kUsage, "ranges is not used: data measures them");
    if (made.ranges_found) made.ranges = ranges_beside(model);
    options.ranges = made.ranges;
    options.options = static_options(o);
    options.calibration = calibration_named(o.text("calibration"));
    options.percentile = o.number("percentile");
    options.repairs = repairs_of(o);
  }
  if (!save_simplified_to.empty())
    options.on_simplified = [save_simplified_to](const Model& simplified) {
      save_model(simplified, save_simplified_to);
    };
  if (!save_ranges_to.empty())
    options.on_ranges = [save_ranges_to](const RangesFile& ranges) { save_ranges(ranges, save_ranges_to); };
  return made;
}

}  // namespace octet::python
