// report_text.h: a report as a table for people.
#pragma once

#include <cstddef>
#include <string>

#include "octet/inspect/report.h"

namespace octet {

struct TextOptions {
  std::size_t width = 120;  // of a line; 0 cuts nothing
  bool layers = false;      // leave out conversions and constants, and show at each node how its tensors are quantized
  bool attributes = false;  // of every node
  bool values = false;      // every scale and zero point, not their range
};

std::string report_text(const ModelReport& report, const TextOptions& options = {});

}  // namespace octet
