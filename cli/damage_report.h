// damage_report.h: what simulations found, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "octet/simulate/simulate.h"
#include "octet/text/json.h"

namespace octet::cli {

// One line: a variant's damage, or why there is none.
struct DamageRow {
  std::string name;
  const Damage* damage = nullptr;
  std::string note;  // only then
};

// In points: below 0 is worse than exact.
double change(const Simulated& simulated, const Damage& damage);

std::string damage_table(const Simulated& simulated, const Program& exact, const std::vector<DamageRow>& rows);
Json damage_json(const Simulated& simulated, const Program& exact, const DamageRow& row);

// What a report of simulations begins with: `schema`, the model, the samples, the seed, how the exact program fares.
Json simulated_json(const char* schema, const std::string& model, const std::string& engine, std::int64_t seed,
                    const Simulated& simulated);

}  // namespace octet::cli
