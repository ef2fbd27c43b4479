// export_report.h: what was exported, as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "octet/export/export_c.h"
#include "octet/export/files.h"
#include "octet/export/vectors.h"

namespace octet {

// The files of one exporter, which must outlive it.
struct FolderReport {
  std::string kind, folder;  // "vectors", "c", "verilog"
  const ExportedFiles& files;
};

struct ExportReport {
  std::string model, policy;  // what JSON calls them
  std::vector<FolderReport> exports;
};

// docs/schemas/export.schema.json: each file with its size and SHA-256.
std::string exports_json(const ExportReport& report);

// What is written to `folder`, in a few lines.
std::string vectors_text(const Vectors& vectors, const std::string& folder);
std::string c_text(const ExportedC& made, const std::string& folder);

}  // namespace octet
