// dump_report.h: dumped tensors beside what Octet computes, as text and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "octet/engine/engine.h"
#include "octet/export/dump_comparison.h"
#include "octet/export/dumps.h"
#include "octet/export/layout.h"
#include "octet/export/vectors.h"
#include "octet/verify/compare_report.h"

namespace octet {

// A comparison and what it was made from, which must outlive it.
struct DumpReport {
  const DumpComparison& found;
  const Dumps& dumps;
  const std::vector<VectorInput>& inputs;  // as compare_dumps got them
  const Engine& engine;
};

struct DumpReportStyle {
  bool all = false;              // list every tensor, not only those that differ
  Layout layout = Layout::kChw;  // as the files were read
  std::size_t width = 120;       // of tables and the explanation, in columns
};
// The verdict, the tensors that differ, and how Octet computes the first element that differs.
std::string dumps_text(const DumpReport& of, const DumpReportStyle& style = {});

// docs/schemas/compare.schema.json
std::string dumps_json(const DumpReport& of, const CompareSource& source);

}  // namespace octet
