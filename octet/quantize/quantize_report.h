// quantize_report.h: what was quantized and why, as text, JSON and rules.
#pragma once

#include <cstddef>
#include <string>

#include "octet/quantize/quantize_model.h"

namespace octet {

// What the report calls them, and what was asked for.
struct QuantizeSource {
  std::string output;         // the file of the result; empty: it is not in one
  std::string ranges_file;    // that the ranges were read from; empty: they were observed
  bool ranges_found = false;  // beside the model: nobody named that file
  std::string engine;         // that ran the samples
  Repairs repairs;
};

// What file of ranges was used; empty where none was.
std::string ranges_remark(const QuantizeResult& outcome, const QuantizeSource& source);

// A table of the nodes, no wider than `width`, the repairs, the warnings and the share that is quantized.
std::string quantize_text(const QuantizeResult& outcome, const QuantizeSource& source, std::size_t width);

// docs/schemas/quantize.schema.json
std::string quantize_json(const QuantizeResult& outcome, const QuantizeSource& source);

// What was decided of each node, as a file of rules.
std::string rules_text(const QuantizeResult& outcome);

}  // namespace octet
