// ranges_file.h: observed ranges as a JSON file, so that a model can be quantized again without its data.
//
//   {"schema": "octet.ranges/1", "calibration": "minmax", "samples": 1000, "ranges": {"conv1": [-1.5, 2.25], ...}}
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "octet/quantize/parameters.h"

namespace octet {

struct RangesFile {
  std::string calibration;
  std::int64_t samples = 0;
  std::map<std::string, Range> ranges;
};

// Numbers are written so that float32 survives. Written whole or not at all.
void save_ranges(const RangesFile& file, const std::filesystem::path& path);
// Throws kFormat, saying what is wrong, unless it is such a file with finite numbers in order.
RangesFile load_ranges(const std::filesystem::path& path);

}  // namespace octet
