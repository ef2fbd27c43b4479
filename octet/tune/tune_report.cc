#include "octet/tune/tune_report.h"

#include <fmt/core.h>

#include "octet/evaluate/noise.h"
#include "octet/text/json.h"
#include "octet/text/json_finite.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/tune/support/tried_json.h"
#include "octet/version.h"

namespace octet {

namespace {

std::string verdict_text(const Tuned& tuned, const Baseline& judge) {
  const Tried& verdict = *tuned.verdict;
  std::string text = fmt::format("verdict on {} that neither calibrated nor chose: {} dB",
                                 counted(judge.samples(), "sample"), decibels(verdict.sqnr));
  if (judge.labelled())
    text += fmt::format(", {} right, float {}, {:.2f} points lost", grouped(verdict.right),
                        grouped(judge.score().top1()), points_lost(verdict, judge));
  return text + (tuned.holds ? ": good enough\n" : ": not good enough\n");
}

Json verdict_json(const Tuned& tuned, const Trials& trials) {
  if (!tuned.verdict) return {};
  Json json = {{"samples", trials.judge->samples()}, {"met", tuned.holds}, {"sqnr", json_finite(tuned.verdict->sqnr)}};
  if (trials.judge->labelled()) {
    json["right"] = tuned.verdict->right;
    json["float_right"] = trials.judge->score().top1();
    json["points_lost"] = json_finite(points_lost(*tuned.verdict, *trials.judge));
  }
  return json;
}

}  // namespace

std::string tune_text(const Tuned& tuned, const Baseline& baseline, std::size_t width, const Baseline* judge) {
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
  text += judge != nullptr && tuned.verdict ? verdict_text(tuned, *judge)
                                            : "these samples calibrated, chose and judged: on others it may be worse\n";
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
                    {"verdict", verdict_json(tuned, trials)},
                    {"kept_wide", wide},
                    {"kept_float", spared},
                    {"command", command}});
}

}  // namespace octet
