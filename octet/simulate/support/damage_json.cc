#include "octet/simulate/support/damage_json.h"

#include "octet/version.h"

namespace octet {

Json simulation_json(const char* schema, const std::string& model, const std::string& engine, std::int64_t seed,
                     bool labelled, const Score& exact) {
  Json json = {{"schema", schema}, {"octet", kVersion},          {"model", model},
               {"engine", engine}, {"samples", exact.samples()}, {"seed", seed}};
  if (labelled) json["exact_right"] = exact.top1();
  return json;
}

Json spread_json(const Spread& spread, bool labelled) {
  return {{"of", labelled ? "accuracy" : "same_prediction"},
          {"seeds", spread.count},
          {"mean", json_number(spread.mean)},
          {"deviation", json_number(spread.deviation)},
          {"low", json_number(spread.low)},
          {"high", json_number(spread.high)},
          {"least", json_number(spread.least)},
          {"most", json_number(spread.most)}};
}

void add_damage(Json& row, const Damage& damage, bool labelled, const Score& exact, const Program& program) {
  const Agreement a = compare(exact, damage.score);
  if (labelled) {
    row["right"] = damage.score.top1();
    row["accuracy"] = json_number(damage.score.accuracy());
    row["change"] = json_number(accuracy_change(exact, damage));
    row["only_exact_right"] = a.only_first_right;
    row["only_this_right"] = a.only_second_right;
    row["p_value"] = json_number(a.p_value);
  }
  row["same_prediction"] = a.same_prediction;
  row["elements"] = damage.elements;
  row["differing"] = damage.differing;
  row["largest"] = damage.largest;
  row["first_step"] = damage.first_step ? Json(program.steps[*damage.first_step].name) : Json();
}

}  // namespace octet
