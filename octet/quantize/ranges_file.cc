#include "octet/quantize/ranges_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "octet/base/atomic_file.h"
#include "octet/base/fail.h"
#include "octet/base/read_file.h"

namespace octet {
namespace {

constexpr const char* kSchema = "octet.ranges/1";

}  // namespace

void save_ranges(const RangesFile& file, const std::filesystem::path& path) {
  std::string text =
      fmt::format("{{\n  \"schema\": \"{}\",\n  \"calibration\": \"{}\",\n  \"samples\": {},\n  \"ranges\": {{",
                  kSchema, file.calibration, file.samples);
  const char* separator = "\n";
  for (const auto& [tensor, range] : file.ranges) {
    text += fmt::format("{}    {}: [{}, {}]", separator, nlohmann::json(tensor).dump(), range.min, range.max);
    separator = ",\n";
  }
  write_file(path, text + "\n  }\n}\n");
}

RangesFile load_ranges(const std::filesystem::path& path) {
  const FileBytes file = read_file(path, std::uint64_t{64} << 20);
  const auto* text = reinterpret_cast<const char*>(file.bytes.data());
  const auto json = nlohmann::json::parse(text, text + file.bytes.size(), nullptr, false);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != kSchema || !json.contains("ranges") ||
      !json["ranges"].is_object())
    fail(ErrorCode::kFormat, "{} is not a file of ranges with the schema {}", path.string(), kSchema);
  RangesFile result;
  if (json.contains("calibration") && json["calibration"].is_string()) result.calibration = json["calibration"];
  if (json.contains("samples") && json["samples"].is_number_integer()) result.samples = json["samples"];
  for (const auto& [tensor, range] : json["ranges"].items()) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
      fail(ErrorCode::kFormat, "{}: the range of {} is {}; wanted [min, max]", path.string(), tensor,
           range.dump().substr(0, 60));
    const Range value{range[0].get<float>(), range[1].get<float>()};
    if (!std::isfinite(value.min) || !std::isfinite(value.max) || value.min > value.max)
      fail(ErrorCode::kFormat, "{}: the range of {} is [{}, {}]; wanted finite numbers in order", path.string(), tensor,
           value.min, value.max);
    result.ranges[tensor] = value;
  }
  return result;
}

}  // namespace octet
