#include "octet/tune/tune_state.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "octet/base/fail.h"
#include "octet/quantize/choice_names.h"
#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"
#include "octet/text/json_finite.h"
#include "octet/tune/support/tried_json.h"
#include "octet/version.h"

namespace octet {
namespace {

constexpr const char* kSchema = "octet.tune-state/3";

// The word for a method, or null.
template <typename T>
Json method_json(const std::optional<T>& method) {
  return method ? Json(choice_name(*method)) : Json();
}

const Json& field(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) fail(ErrorCode::kFormat, "\"{}\" is missing", key);
  return object[key];
}

std::string text_field(const Json& object, const char* key) {
  const Json& value = field(object, key);
  if (!value.is_string()) fail(ErrorCode::kFormat, "\"{}\" is {}; wanted a string", key, json_excerpt(value));
  return value.get<std::string>();
}

std::int64_t count_field(const Json& object, const char* key) {
  const Json& value = field(object, key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t{1} << 53)
    fail(ErrorCode::kFormat, "\"{}\" is {}; wanted a number that counts", key, json_excerpt(value));
  return value.get<std::int64_t>();
}

double real_field(const Json& object, const char* key) {
  const Json& value = field(object, key);
  if (value.is_number()) return value.get<double>();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  fail(ErrorCode::kFormat, "\"{}\" is {}; wanted a number", key, json_excerpt(value));
}

// One of two words, or null.
template <typename T>
std::optional<T> method_field(const Json& object, const char* key) {
  if (field(object, key).is_null()) return std::nullopt;
  const std::string word = text_field(object, key);
  for (const auto& [name, method] : kChoices<T>)
    if (word == name) return method;
  fail(ErrorCode::kFormat, "\"{}\" is {}; wanted {} or null", key, word, fmt::join(choice_names<T>(), ", "));
}

Repairs read_repairs(const Json& json) {
  const Json& rounded = field(json, "optimized_rounding");
  if (!rounded.is_boolean())
    fail(ErrorCode::kFormat, "\"optimized_rounding\" is {}; wanted true or false", json_excerpt(rounded));
  return {.equalize = method_field<BoundedClamps>(json, "equalized"),
          .round_weights = rounded.get<bool>(),
          .biases = method_field<BiasCorrection>(json, "bias_correction")};
}

Tried read_tried(const Json& json, bool labelled) {
  Tried tried;
  const std::string granularity = text_field(json, "weights"), activations = text_field(json, "activations");
  if ((granularity != "per channel" && granularity != "per tensor") ||
      (activations != "symmetric" && activations != "asymmetric"))
    fail(ErrorCode::kFormat, "weights {}, activations {}: there is no such scheme", granularity, activations);
  tried.scheme = {.per_channel = granularity == "per channel",
                  .symmetric = activations == "symmetric",
                  .calibration = calibration_named(text_field(json, "calibration")),
                  .repairs = read_repairs(json),
                  .wide = static_cast<int>(count_field(json, "kept_wide")),
                  .spared = static_cast<int>(count_field(json, "kept_float"))};
  tried.sqnr = real_field(json, "sqnr");
  if (!labelled) return tried;
  tried.right = count_field(json, "right");
  tried.agreement.only_first_right = count_field(json, "only_float_right");
  tried.agreement.only_second_right = count_field(json, "only_this_right");
  tried.agreement.p_value = real_field(json, "p_value");
  return tried;
}

void check_same(const Json& json, const char* key, const std::string& wanted, const char* what) {
  if (text_field(json, key) != wanted)
    fail(ErrorCode::kUsage, "it is of {}; name another file with --state, or remove it", what);
}

}  // namespace

Json tried_json(const Tried& tried, bool labelled) {
  Json json = {{"weights", tried.scheme.per_channel ? "per channel" : "per tensor"},
               {"activations", tried.scheme.symmetric ? "symmetric" : "asymmetric"},
               {"calibration", name(tried.scheme.calibration)},
               {"equalized", method_json(tried.scheme.repairs.equalize)},
               {"optimized_rounding", tried.scheme.repairs.round_weights},
               {"bias_correction", method_json(tried.scheme.repairs.biases)},
               {"kept_wide", tried.scheme.wide},
               {"kept_float", tried.scheme.spared},
               {"sqnr", json_finite(tried.sqnr)}};
  if (labelled) {
    json["right"] = tried.right;
    json["only_float_right"] = tried.agreement.only_first_right;
    json["only_this_right"] = tried.agreement.only_second_right;
    json["p_value"] = json_number(tried.agreement.p_value);
  }
  return json;
}

TuneState load_tune_state(const std::filesystem::path& file, const Trials& trials, DType activations) {
  TuneState state{.model_hash = trials.model_hash,
                  .fingerprint = trials.fingerprint,
                  .activations = activations,
                  .labelled = trials.baseline->labelled()};
  if (file.empty() || !std::filesystem::exists(file)) return state;
  try {
    const FileBytes bytes = read_file(file, std::uint64_t{16} << 20);
    const Json json = parse_json({reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()});
    if (text_field(json, "schema") != kSchema) fail(ErrorCode::kFormat, "its schema is not {}", kSchema);
    check_same(json, "octet", kVersion, "another version of Octet");
    check_same(json, "model_sha256", state.model_hash, "another model");
    check_same(json, "samples_sha256", state.fingerprint, "other samples");
    check_same(json, "type", std::string(name(state.activations)), "activations of another type");
    const Json& tried = field(json, "tried");
    if (!tried.is_array()) fail(ErrorCode::kFormat, "\"tried\" is not a list");
    for (const Json& entry : tried) state.tried.push_back(read_tried(entry, state.labelled));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kFormat) throw error.at(file.string());
    fail(ErrorCode::kFormat, "{}: it can't be gone on from: {}; name another file with --state, or remove it",
         file.string(), error.what());
  }
  return state;
}

void save_tune_state(const TuneState& state, const std::filesystem::path& file) {
  Json tried = Json::array();
  for (const Tried& entry : state.tried) {
    tried.push_back(tried_json(entry, state.labelled));
    tried.back()["sqnr"] = json_number(entry.sqnr);
  }
  write_file(file, json_text({{"schema", kSchema},
                              {"octet", kVersion},
                              {"model_sha256", state.model_hash},
                              {"samples_sha256", state.fingerprint},
                              {"type", name(state.activations)},
                              {"tried", tried}}));
}

Tuned tune_from_state(const Trials& trials, TuneOptions options, const std::filesystem::path& file) {
  if (file.empty()) return tune(trials.model, *trials.baseline, options);
  TuneState state = load_tune_state(file, trials, options.quantization.activations);
  options.known = state.tried;
  options.tried = [&state, &file, tell = options.tried](const Tried& tried) {
    state.tried.push_back(tried);
    save_tune_state(state, file);
    if (tell) tell(tried);
  };
  try {
    return tune(trials.model, *trials.baseline, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kFormat) throw;
    fail(ErrorCode::kFormat, "{}: {}; name another file with --state, or remove it", file.string(), error.what());
  }
}

}  // namespace octet
