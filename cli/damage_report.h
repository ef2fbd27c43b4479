// damage_report.h: what simulations found, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "octet/report/json.h"
#include "octet/simulate/simulate.h"

namespace octet::cli {

// One line: a variant's damage, or why there is none.
struct DamageRow {
  std::string name;
  const Damage* damage = nullptr;
  std::string note;  // only then
};

double accuracy(const Score& score);  // in percent
// In points: below 0 is worse than exact.
double change(const Simulated& simulated, const Damage& damage);

std::string damage_table(const Simulated& simulated, const Program& exact, const std::vector<DamageRow>& rows);
Json damage_json(const Simulated& simulated, const Program& exact, const DamageRow& row);

}  // namespace octet::cli
