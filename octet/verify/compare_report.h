// compare_report.h: what a comparison of two dumps of tensors found, as text and JSON (docs/schemas/compare.schema.json).
#pragma once

#include <cstddef>
#include <string>

#include "octet/program/program.h"
#include "octet/verify/compare_archives.h"
#include "octet/verify/verify.h"

namespace octet {

// The arrays that differ, or all of them, as a table no wider than `width`, and the totals.
std::string archives_text(const ArchiveComparison& found, bool all, std::size_t width);
std::string archives_json(const ArchiveComparison& found);

// What JSON calls them.
struct CompareSource {
  std::string model, policy, engine;
};
// Two dumps of a program (compare_runs.h); verification_text is the text.
std::string comparison_json(const Verification& found, const Program& program, const CompareSource& source);

}  // namespace octet
