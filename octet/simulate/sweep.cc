#include "octet/simulate/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "octet/base/fail.h"
#include "octet/simulate/support/damage_json.h"
#include "octet/text/line_chart.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

// Text as CSV has it: in quotes where it must, quotes twice.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

Json axis_json(const HardwareAxis& axis) {
  Json choices = Json::array();
  for (const HardwareChoice& choice : axis.choices)
    choices.push_back({{"text", choice.text}, {"number", choice.number ? json_number(*choice.number) : Json()}});
  return {{"name", axis.name}, {"unit", axis.unit.empty() ? Json() : Json(axis.unit)}, {"choices", choices}};
}

// But for the seed.
bool is_same_hardware(const Sweep& sweep, std::size_t a, std::size_t b) {
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    if (sweep.axes[axis].name != kSeedAxis && sweep.settings[a].choices[axis] != sweep.settings[b].choices[axis])
      return false;
  return true;
}

// Whether an earlier setting is the same hardware with another seed.
bool is_later_draw(const Sweep& sweep, std::size_t setting) {
  for (std::size_t s = 0; s < setting; ++s)
    if (is_same_hardware(sweep, s, setting)) return true;
  return false;
}

double share_right(const Sweep& sweep, std::size_t setting) {
  const Score& score = sweep.simulated.damages[setting].score;
  if (sweep.simulated.labelled) return score.accuracy();
  const Agreement agreement = compare(sweep.simulated.exact, score);
  return 100.0 * static_cast<double>(agreement.same_prediction) / static_cast<double>(agreement.samples);
}

}  // namespace

Spread spread_over_seeds(const Sweep& sweep, std::size_t setting) {
  std::vector<double> shares;
  for (std::size_t s = 0; s < sweep.settings.size(); ++s)
    if (is_same_hardware(sweep, setting, s)) shares.push_back(share_right(sweep, s));
  return spread_of(shares);
}

bool has_seeds(const Sweep& sweep) {
  return std::ranges::find(sweep.axes, kSeedAxis, &HardwareAxis::name) != sweep.axes.end();
}

Sweep sweep(const Program& exact, std::vector<HardwareAxis> axes, std::uint64_t seed, SampleStream& samples,
            const SimulateOptions& options) {
  if (axes.empty()) fail(ErrorCode::kUsage, "say what to sweep, such as --accumulator 12..32 (octet sweep --help)");
  Sweep found{.axes = std::move(axes)};
  found.settings = settings_of(found.axes, seed);
  std::vector<Variant> variants;
  for (const HardwareSetting& setting : found.settings)
    variants.push_back({on_hardware(exact, setting.hardware), setting.hardware.arithmetic});
  found.simulated = simulate(exact, variants, samples, options);
  return found;
}

std::string sweep_csv(const Sweep& sweep, const Program& exact) {
  const Simulated& simulated = sweep.simulated;
  std::string text;
  for (const HardwareAxis& axis : sweep.axes) text += axis.name + ",";
  text += simulated.labelled ? "samples,right,accuracy,change,only_exact_right,only_this_right,p_value," : "samples,";
  text += "same_prediction,elements,differing,largest,first_step";
  text += has_seeds(sweep) ? ",mean,deviation,low,high\n" : "\n";
  for (std::size_t s = 0; s < sweep.settings.size(); ++s) {
    const Damage& d = simulated.damages[s];
    const Agreement a = compare(simulated.exact, d.score);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) text += csv_cell(sweep.choice(s, a).text) + ",";
    text += fmt::format("{},", d.score.samples());
    if (simulated.labelled)
      text += fmt::format("{},{:.4f},{:.4f},{},{},{:.6g},", d.score.top1(), d.score.accuracy(),
                          accuracy_change(simulated.exact, d), a.only_first_right, a.only_second_right, a.p_value);
    text += fmt::format("{},{},{},{},{}", a.same_prediction, d.elements, d.differing, d.largest,
                        d.first_step ? csv_cell(exact.steps[*d.first_step].name) : "");
    if (has_seeds(sweep)) {
      const Spread spread = spread_over_seeds(sweep, s);
      text += fmt::format(",{:.4f},{:.4f},{:.4f},{:.4f}", spread.mean, spread.deviation, spread.low, spread.high);
    }
    text += "\n";
  }
  return text;
}

std::string sweep_json(const Sweep& sweep, const Program& exact, const SimulationSource& source) {
  const Simulated& simulated = sweep.simulated;
  Json json =
      simulation_json("octet.sweep/1", source.model, source.engine, source.seed, simulated.labelled, simulated.exact);
  json["axes"] = Json::array();
  for (const HardwareAxis& axis : sweep.axes) json["axes"].push_back(axis_json(axis));
  json["rows"] = Json::array();
  for (std::size_t s = 0; s < sweep.settings.size(); ++s) {
    Json row = {{"name", name_of(sweep.settings[s], sweep.axes)}};
    add_damage(row, simulated.damages[s], simulated.labelled, simulated.exact, exact);
    row["setting"] = Json::object();
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) row["setting"][sweep.axes[a].name] = sweep.choice(s, a).text;
    if (has_seeds(sweep)) row["spread"] = spread_json(spread_over_seeds(sweep, s), simulated.labelled);
    json["rows"].push_back(std::move(row));
  }
  return json_text(json);
}

// The first swept axis of numbers.
std::size_t plotted_axis(const std::vector<HardwareAxis>& axes) {
  const auto numeric = [](const HardwareAxis& axis) {
    return axis.is_swept() && axis.name != kSeedAxis &&
           std::ranges::any_of(axis.choices, [](const HardwareChoice& c) { return c.number.has_value(); });
  };
  const auto found = std::ranges::find_if(axes, numeric);
  if (found == axes.end()) fail(ErrorCode::kUsage, "--plot needs an option with several numbers, such as 12..32");
  return static_cast<std::size_t>(found - axes.begin());
}

// Accuracy over the plotted axis, a line for every combination of the others.
std::string sweep_picture(const Sweep& sweep) {
  const std::vector<HardwareAxis>& axes = sweep.axes;
  const Simulated& simulated = sweep.simulated;
  const std::size_t x = plotted_axis(axes);
  LineChart chart{fmt::format("Accuracy on {} samples; {:.2f} % is exact", grouped(simulated.exact.samples()),
                              simulated.exact.accuracy()),
                  axes[x].unit.empty() ? axes[x].name : axes[x].name + ", " + axes[x].unit,
                  "%",
                  {}};
  for (std::size_t s = 0; s < sweep.settings.size(); ++s) {
    const std::optional<double> number = sweep.choice(s, x).number;
    if (!number || is_later_draw(sweep, s)) continue;
    std::string name;
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (a != x && axes[a].name != kSeedAxis && (axes[a].is_swept() || axes[a].name == "overflow"))
        name += fmt::format("{}{}{}", name.empty() ? "" : ", ", axes[a].choices[0].number ? axes[a].name + " " : "",
                            sweep.choice(s, a).text);
    const auto found = std::ranges::find(chart.series, name, &LineChart::Series::name);
    LineChart::Series& series =
        found != chart.series.end() ? *found : chart.series.emplace_back(LineChart::Series{name, {}});
    series.points.emplace_back(*number, spread_over_seeds(sweep, s).mean);
  }
  for (LineChart::Series& series : chart.series) std::ranges::sort(series.points);
  return chart.svg();
}

}  // namespace octet
