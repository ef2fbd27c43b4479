// damage_report.h: what variants do to a network, as text, JSON and a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "octet/simulate/hardware_variants.h"

namespace octet {

// How the exact program fares, and a table no wider than `width`.
// `draws` says that the rows are draws of one thing: their mean, deviation and interval come last.
std::string damage_text(const DamageReport& report, const Program& exact, std::size_t width, bool draws = false);

// What JSON calls them.
struct SimulationSource {
  std::string model, engine;
  std::int64_t seed = 1;
  std::string seeds;  // where the rows are draws of one thing; else empty
};
// docs/schemas/simulate.schema.json
std::string damage_json(const DamageReport& report, const Program& exact, const SimulationSource& source);

// What each variant costs in points of accuracy, as SVG. Requires labels.
std::string damage_picture(const DamageReport& report);

}  // namespace octet
