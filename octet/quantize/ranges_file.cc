#include "octet/quantize/ranges_file.h"

#include <cmath>
#include <limits>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/system/read_file.h"
#include "octet/text/json.h"
#include "octet/version.h"

namespace octet {
namespace {

constexpr const char* kRangesSchema = "octet.ranges/1";
constexpr std::uint64_t kMostRangesBytes = std::uint64_t{64} << 20;

// JSON has no number for an infinity.
std::optional<float> end_of(const Json& json) {
  if (json == "inf") return std::numeric_limits<float>::infinity();
  if (json == "-inf") return -std::numeric_limits<float>::infinity();
  return json.is_number() ? std::optional(json.get<float>()) : std::nullopt;
}

std::string text_of(float end) { return std::isinf(end) ? (end < 0 ? "\"-inf\"" : "\"inf\"") : fmt::format("{}", end); }

Range range_of(const Json& json, const std::string& tensor) {
  const bool pair = json.is_array() && json.size() == 2;
  const std::optional<float> min = pair ? end_of(json[0]) : std::nullopt, max = pair ? end_of(json[1]) : std::nullopt;
  if (!min || !max)
    fail(ErrorCode::kFormat, "the range of {} is {}; wanted [min, max]", json_excerpt(tensor), json_excerpt(json));
  const Range range{*min, *max};
  const auto too_large = [](float end, const Json& written) { return std::isinf(end) && written.is_number(); };
  if (too_large(*min, json[0]) || too_large(*max, json[1]) || !(range.min <= range.max))
    fail(ErrorCode::kFormat, "the range of {} is [{}, {}]; wanted finite numbers in order", json_excerpt(tensor),
         range.min, range.max);
  return range;
}

void require_same_model(const std::string& found, std::string_view wanted) {
  if (found == wanted) return;
  constexpr std::string_view kAnew = "make ranges anew with --data SAMPLES --save-ranges FILE";
  if (found.empty())
    fail(ErrorCode::kUsage, "it does not say which model its ranges were observed in (\"model_sha256\"); {}", kAnew);
  fail(ErrorCode::kUsage, "its ranges were observed in another model, {}..., and this one is {}...; {}",
       found.substr(0, 12), wanted.substr(0, 12), kAnew);
}

RangesFile parse_ranges(std::string_view text, std::string_view model_hash) {
  const Json json = parse_json(text);
  if (!json.is_object() || json.value("schema", Json()) != kRangesSchema || !json.contains("ranges") ||
      !json["ranges"].is_object())
    fail(ErrorCode::kFormat, "not a file of ranges with the schema {}", kRangesSchema);
  RangesFile result;
  const auto text_at = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  result.model_hash = text_at("model_sha256");
  require_same_model(result.model_hash, model_hash);
  result.calibration = text_at("calibration");
  if (json.contains("percentile") && json["percentile"].is_number()) result.percentile = json["percentile"];
  if (json.contains("samples") && json["samples"].is_number_integer()) result.samples = json["samples"];
  if (json.contains("others")) {
    if (!json["others"].is_object()) fail(ErrorCode::kFormat, "\"others\" is not an object");
    for (const auto& [tensor, calibration] : json["others"].items()) {
      if (!calibration.is_string())
        fail(ErrorCode::kFormat, "the calibration of {} is {}; wanted text", json_excerpt(tensor),
             json_excerpt(calibration));
      result.others[tensor] = calibration.get<std::string>();
    }
  }
  if (json.contains("preprocessing")) result.preprocessing = parse_preprocessing(json["preprocessing"].dump());
  for (const auto& [tensor, range] : json["ranges"].items()) result.ranges[tensor] = range_of(range, tensor);
  return result;
}

}  // namespace

void save_ranges(const RangesFile& file, const std::filesystem::path& path) {
  std::string text = fmt::format(
      "{{\n  \"schema\": \"{}\",\n  \"octet\": \"{}\",\n  \"model_sha256\": \"{}\",\n  \"calibration\": \"{}\",\n",
      kRangesSchema, kVersion, file.model_hash, file.calibration);
  if (file.percentile) text += fmt::format("  \"percentile\": {},\n", *file.percentile);
  text += fmt::format("  \"samples\": {},\n", file.samples);
  if (!file.others.empty()) text += fmt::format("  \"others\": {},\n", Json(file.others).dump());
  if (file.preprocessing) text += fmt::format("  \"preprocessing\": {},\n", preprocessing_json(*file.preprocessing));
  text += "  \"ranges\": {";
  const char* separator = "\n";
  for (const auto& [tensor, range] : file.ranges) {
    text += fmt::format("{}    {}: [{}, {}]", separator, Json(tensor).dump(), text_of(range.min), text_of(range.max));
    separator = ",\n";
  }
  write_file(path, text + "\n  }\n}\n");
}

RangesFile load_ranges(const std::filesystem::path& path, std::string_view model_hash) {
  const FileBytes file = read_file(path, kMostRangesBytes);
  try {
    return parse_ranges({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()}, model_hash);
  } catch (const Error& error) {
    throw error.at(path.string());
  }
}

void require_calibrations(const RangesFile& file, const std::map<std::string, CalibrationOptions>& wanted) {
  const std::string general =
      file.percentile ? fmt::format("{} {}", file.calibration, *file.percentile) : file.calibration;
  for (const auto& [tensor, options] : wanted) {
    const auto other = file.others.find(tensor);
    const std::string& found = other == file.others.end() ? general : other->second;
    if (found != to_string(options))
      fail(ErrorCode::kUsage, "the range of tensor {} is {}, and a rule wants {}; give --data to calibrate", tensor,
           found.empty() ? "given" : found, to_string(options));
  }
}

}  // namespace octet
