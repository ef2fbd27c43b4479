#include "octet/export/export_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/base/sha256.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/version.h"

namespace octet {

std::string exports_json(const ExportReport& report) {
  Json list = Json::array();
  for (const FolderReport& one : report.exports) {
    Json files = Json::array();
    for (const ExportedFile& file : one.files) {
      Sha256 hash;
      hash.add(file.contents);
      files.push_back({{"file", file.name}, {"bytes", file.contents.size()}, {"sha256", hash.hex()}});
    }
    list.push_back({{"kind", one.kind}, {"folder", one.folder}, {"files", files}});
  }
  return json_text({{"schema", "octet.export/1"},
                    {"octet", kVersion},
                    {"model", report.model},
                    {"policy", report.policy},
                    {"exports", list}});
}

std::string vectors_text(const Vectors& vectors, const std::string& folder) {
  const auto count = [](std::size_t number, const char* what) {
    return counted(static_cast<std::int64_t>(number), what);
  };
  std::string text =
      fmt::format("{}: {}", count(vectors.steps, "step"), count(vectors.constants, "array") + " of constants");
  text += vectors.inputs == 0
              ? "; without --input no tensors"
              : fmt::format(", {} for {}", count(vectors.tensors, "tensor"), count(vectors.inputs, "input"));
  if (vectors.directed_rows > 0)
    text += fmt::format("\n{}, {} with bytes for the layer's input that make it",
                        count(vectors.directed_rows, "directed row"),
                        grouped(static_cast<std::int64_t>(vectors.directed_patches)));
  return text + fmt::format("\n{} written to {}; manifest.json says what they are\n",
                            count(vectors.files.size(), "file"), folder);
}

std::string c_text(const ExportedC& made, const std::string& folder) {
  const CSource& source = made.source;
  const bool vectors =
      std::ranges::any_of(made.files, [](const ExportedFile& f) { return f.name.starts_with("vectors/"); });
  return fmt::format("written to {}: {}, {} and {}_test.c{}; {} and {} of static memory\n", folder, source.source.name,
                     source.header.name, source.name, vectors ? " with vectors/" : "",
                     counted(source.memory_bytes, "byte"), counted(source.scratch_bytes, "byte"));
}

}  // namespace octet
