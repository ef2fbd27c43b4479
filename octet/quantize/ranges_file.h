// ranges_file.h: observed ranges as a JSON file, so that a model can be quantized again without its data.
//
//   {"schema": "octet.ranges/1", "octet": "0.1.0", "model_sha256": "5f70...", "calibration": "minmax", "samples": 1000,
//    "others": {"conv1": "mse"}, "ranges": {"conv1": [-1.5, 2.25], ...}}
//
// "model_sha256" is model_hash() (graph/model_hash.h) of the float model as it was loaded; "percentile" stands behind
// "calibration" where that is percentile. "others", where there are some, are the tensors whose ranges were chosen in another
// way, as rules said. "preprocessing", where the samples were images, is as in octet/data/preprocessing.h. An end that is infinite is "inf" or "-inf", a string.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "octet/data/preprocessing.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/parameters.h"

namespace octet {

struct RangesFile {
  std::string model_hash;  // of the model that was observed
  std::string calibration;
  std::optional<double> percentile;
  std::int64_t samples = 0;
  std::map<std::string, std::string> others;  // to_string() of the calibrations of single tensors
  std::map<std::string, Range> ranges;
  std::optional<Preprocessing> preprocessing = {};  // how the samples became inputs, where they were images or pixels
};

// Numbers are written so that float32 survives. Written whole or not at all.
void save_ranges(const RangesFile& file, const std::filesystem::path& path);

// Throws kFormat, saying what is wrong, unless it is such a file with numbers in order, and kUsage, saying how to
// make it anew, unless it was made from the model with this hash.
RangesFile load_ranges(const std::filesystem::path& path, std::string_view model_hash);

// Throws kUsage, naming the tensor, unless these ranges were chosen as wanted.
void require_calibrations(const RangesFile& file, const std::map<std::string, CalibrationOptions>& wanted);

}  // namespace octet
