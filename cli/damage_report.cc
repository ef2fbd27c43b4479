#include "cli/damage_report.h"

#include <fmt/core.h>

#include "cli/terminal.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/version.h"

namespace octet::cli {

double change(const Simulated& simulated, const Damage& damage) {
  return damage.score.accuracy() - simulated.exact.accuracy();
}

std::string damage_table(const Simulated& simulated, const Program& exact, const std::vector<DamageRow>& rows) {
  const bool labelled = simulated.labelled;
  std::vector<Table::Column> columns = {{"hardware", Table::Fit::kWrap, false, 24}};
  if (labelled)
    for (const char* title : {"accuracy", "change", "lost/won", "p"})
      columns.push_back({title, Table::Fit::kWhole, true});
  else
    columns.push_back({"same prediction", Table::Fit::kWhole, true});
  columns.push_back({"differing", Table::Fit::kWhole, true});
  columns.push_back({"largest", Table::Fit::kWhole, true});
  columns.push_back({"first step", Table::Fit::kShorten, false, 16});
  Table table(columns);
  std::string notes;
  for (const DamageRow& row : rows) {
    if (!row.damage) {
      notes += printable(row.name + ": " + row.note) + "\n";
      continue;
    }
    std::vector<std::string> cells = {row.name};
    const Damage& d = *row.damage;
    const Agreement a = compare(simulated.exact, d.score);
    if (labelled) {
      cells.push_back(fmt::format("{:.2f} %", d.score.accuracy()));
      cells.push_back(fmt::format("{:+.2f}", change(simulated, d)));
      cells.push_back(fmt::format("{}/{}", a.only_first_right, a.only_second_right));
      cells.push_back(a.p_value < 0.0005 ? "<0.001" : fmt::format("{:.3f}", a.p_value));
    } else {
      cells.push_back(fmt::format("{} of {}", grouped(a.same_prediction), grouped(a.samples)));
    }
    cells.push_back(d.elements == 0 ? "" : percent(static_cast<double>(d.differing) / static_cast<double>(d.elements)));
    cells.push_back(d.elements == 0 ? "" : std::to_string(d.largest));
    cells.push_back(d.first_step ? exact.steps[*d.first_step].name : "");
    table.add(cells);
  }
  return table.text(terminal_width()) + (notes.empty() ? "" : "\n" + notes);
}

Json damage_json(const Simulated& simulated, const Program& exact, const DamageRow& row) {
  if (!row.damage) return {{"name", row.name}, {"note", row.note}};
  Json json = {{"name", row.name}};
  const Damage& d = *row.damage;
  const Agreement a = compare(simulated.exact, d.score);
  if (simulated.labelled) {
    json["right"] = d.score.top1();
    json["accuracy"] = json_number(d.score.accuracy());
    json["change"] = json_number(change(simulated, d));
    json["only_exact_right"] = a.only_first_right;
    json["only_this_right"] = a.only_second_right;
    json["p_value"] = json_number(a.p_value);
  }
  json["same_prediction"] = a.same_prediction;
  json["elements"] = d.elements;
  json["differing"] = d.differing;
  json["largest"] = d.largest;
  json["first_step"] = d.first_step ? Json(exact.steps[*d.first_step].name) : Json();
  return json;
}

Json simulated_json(const char* schema, const std::string& model, const std::string& engine, std::int64_t seed,
                    const Simulated& simulated) {
  Json json = {{"schema", schema},
               {"octet", kVersion},
               {"model", model},
               {"engine", engine},
               {"samples", simulated.exact.samples()},
               {"seed", seed}};
  if (simulated.labelled) json["exact_right"] = simulated.exact.top1();
  return json;
}

}  // namespace octet::cli
