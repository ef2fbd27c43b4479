// damage_json.h: what a simulation found as JSON, the same in every document.
#pragma once

#include <string>

#include "octet/simulate/simulate.h"
#include "octet/simulate/spread.h"
#include "octet/text/json.h"

namespace octet {

// What a document of simulations begins with; `exact` is how the exact program fares.
Json simulation_json(const char* schema, const std::string& model, const std::string& engine, std::int64_t seed,
                     bool labelled, const Score& exact);

// What draws with several seeds have in common.
Json spread_json(const Spread& spread, bool labelled);

// A variant's row, without its name.
void add_damage(Json& row, const Damage& damage, bool labelled, const Score& exact, const Program& program);

}  // namespace octet
