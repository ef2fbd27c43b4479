#include "octet/tune/tune_report.h"

#include <fmt/core.h>

#include "octet/evaluate/noise.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/tune/support/tried_json.h"
#include "octet/version.h"

namespace octet {

std::string tune_text(const Tuned& tuned, const Baseline& baseline, std::size_t width) {
  std::vector<Table::Column> columns = {{"scheme", Table::Fit::kWrap, false, 24}, {"dB", Table::Fit::kWhole, true}};
  if (baseline.labelled())
    for (const char* figure : {"right", "points lost", "lost/won", "p"})
      columns.push_back({figure, Table::Fit::kWhole, true});
  columns.push_back({""});
  Table table(columns);
  for (std::size_t i = 0; i < tuned.tried.size(); ++i) {
    const Tried& tried = tuned.tried[i];
    std::vector<std::string> row = {to_string(tried.scheme), decibels(tried.sqnr)};
    if (baseline.labelled()) {
      row.push_back(std::to_string(tried.right));
      row.push_back(fmt::format("{:.2f}", points_lost(tried, baseline)));
      row.push_back(fmt::format("{}/{}", tried.agreement.only_first_right, tried.agreement.only_second_right));
      row.push_back(tried.agreement.p_value < 0.0005 ? "<0.001" : fmt::format("{:.3f}", tried.agreement.p_value));
    }
    row.emplace_back(i != tuned.best ? "" : tuned.met ? "chosen" : "best");
    table.add(row);
  }
  std::string text = table.text(width) + "\n";
  if (baseline.labelled())
    text +=
        fmt::format("float: {} of {} right\n", grouped(baseline.score().top1()), counted(baseline.samples(), "sample"));
  for (const Layer& layer : tuned.wide) text += fmt::format("{} has 16-bit activations\n", printable(layer.name));
  for (const Layer& layer : tuned.spared) text += fmt::format("{} stays float\n", printable(layer.name));
  if (!tuned.met) text += "nothing that was tried is good enough; the best of it was written\n";
  return text;
}

std::string tune_json(const Tuned& tuned, const Trials& trials, const std::string& model, const std::string& command) {
  const Baseline& baseline = *trials.baseline;
  Json rows = Json::array(), wide = Json::array(), spared = Json::array();
  for (const Tried& tried : tuned.tried) rows.push_back(tried_json(tried, baseline.labelled()));
  for (const Layer& layer : tuned.wide) wide.push_back(layer.name);
  for (const Layer& layer : tuned.spared) spared.push_back(layer.name);
  return json_text({{"schema", "octet.tune/1"},
                    {"octet", kVersion},
                    {"model", model},
                    {"engine", trials.runs.engine},
                    {"samples", baseline.samples()},
                    {"float_right", baseline.labelled() ? Json(baseline.score().top1()) : Json()},
                    {"tried", rows},
                    {"chosen", tuned.best},
                    {"met", tuned.met},
                    {"kept_wide", wide},
                    {"kept_float", spared},
                    {"command", command}});
}

}  // namespace octet
