#include "octet/simulate/damage_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/simulate/support/damage_json.h"
#include "octet/text/numbers.h"
#include "octet/text/row_chart.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

std::string damage_table(const DamageReport& report, const Program& exact, std::size_t width) {
  const bool labelled = report.labelled;
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
  for (const DamageRow& row : report.rows) {
    if (!row.damage) {
      notes += printable(row.name + ": " + row.note) + "\n";
      continue;
    }
    std::vector<std::string> cells = {row.name};
    const Damage& d = *row.damage;
    const Agreement a = compare(report.exact, d.score);
    if (labelled) {
      cells.push_back(fmt::format("{:.2f} %", d.score.accuracy()));
      cells.push_back(fmt::format("{:+.2f}", accuracy_change(report.exact, d)));
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
  return table.text(width) + (notes.empty() ? "" : "\n" + notes);
}

std::string spread_text(const DamageReport& report) {
  const std::optional<Spread> spread = spread_of(report);
  if (!spread) return "";
  return fmt::format(
      "\n{} over {} seeds: mean {:.2f} %, deviation {:.2f}, from {:.2f} to {:.2f}\n95 % interval of the mean: {:.2f} "
      "to {:.2f} %\n",
      report.labelled ? "accuracy" : "same prediction", spread->count, spread->mean, spread->deviation, spread->least,
      spread->most, spread->low, spread->high);
}

}  // namespace

std::string damage_text(const DamageReport& report, const Program& exact, std::size_t width, bool draws) {
  const Score& score = report.exact;
  const std::string first = report.labelled ? fmt::format("exact: {} of {} right, {:.2f} %\n\n", grouped(score.top1()),
                                                          grouped(score.samples()), score.accuracy())
                                            : fmt::format("{}, without labels\n\n", counted(score.samples(), "sample"));
  return first + damage_table(report, exact, width) + (draws ? spread_text(report) : "");
}

std::string damage_json(const DamageReport& report, const Program& exact, const SimulationSource& source) {
  Json json =
      simulation_json("octet.simulate/1", source.model, source.engine, source.seed, report.labelled, report.exact);
  json["rows"] = Json::array();
  for (const DamageRow& row : report.rows) {
    Json entry = {{"name", row.name}};
    if (row.damage)
      add_damage(entry, *row.damage, report.labelled, report.exact, exact);
    else
      entry["note"] = row.note;
    json["rows"].push_back(std::move(entry));
  }
  if (!source.seeds.empty())
    if (const std::optional<Spread> spread = spread_of(report)) json["spread"] = spread_json(*spread, report.labelled);
  return json_text(json);
}

std::string damage_picture(const DamageReport& report) {
  RowChart chart{fmt::format("What each mistake costs, in points of {:.2f} % on {} samples", report.exact.accuracy(),
                             grouped(report.exact.samples())),
                 "points",
                 {}};
  for (const DamageRow& row : report.rows) {
    if (!row.damage) {
      chart.rows.push_back({row.name, std::nullopt, "does not apply"});
      continue;
    }
    const double points = accuracy_change(report.exact, *row.damage);
    chart.rows.push_back({row.name, std::max(0.0, -points), fmt::format("{:+.2f}", points)});
  }
  return chart.svg();
}

}  // namespace octet
