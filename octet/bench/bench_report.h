// bench_report.h: measurements of several settings as text, JSON and a picture.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "octet/bench/bench.h"

namespace octet {

// A table of the contenders for each setting, no wider than `width`, and one of the steps of Octet if `steps`.
std::string bench_text(const std::vector<Measurement>& measurements, bool steps, std::size_t width);

// What JSON calls them.
struct BenchSource {
  std::string model, policy, engine;
};
// docs/schemas/bench.schema.json
std::string bench_json(const std::vector<Measurement>& measurements, const BenchSource& source);

// The time per sample, a group of bars for each setting, as SVG. `model` stands in the title. Requires a measurement.
std::string bench_picture(const std::vector<Measurement>& measurements, std::string_view model);

}  // namespace octet
