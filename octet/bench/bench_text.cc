#include "octet/bench/bench_text.h"

#include <fmt/core.h>

#include "octet/bench/bench_report.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"

namespace octet {
namespace {

// Four digits that count.
std::string four_digits(double number) {
  return number < 10    ? fmt::format("{:.3f}", number)
         : number < 100 ? fmt::format("{:.2f}", number)
                        : fmt::format("{:.1f}", number);
}

std::string equal_text(std::int64_t equal, std::int64_t all) {
  return equal == all ? fmt::format("all {}", grouped(all)) : fmt::format("{} of {}", grouped(equal), grouped(all));
}

std::string faster_text(double ratio) {
  return ratio >= 1 ? fmt::format("{:.2f} x faster", ratio) : fmt::format("{:.2f} x slower", 1 / ratio);
}

}  // namespace

std::string duration_text(double nanoseconds) {
  if (nanoseconds < 1e6) return four_digits(nanoseconds / 1e3) + " us";
  if (nanoseconds < 1e9) return four_digits(nanoseconds / 1e6) + " ms";
  return four_digits(nanoseconds / 1e9) + " s";
}

std::string setting_text(const Measurement& measurement) {
  const std::string threads = counted(measurement.threads, "thread");
  return measurement.batch == 0 ? threads : fmt::format("{}, batch {}", threads, measurement.batch);
}

std::string contenders_text(const Measurement& measurement, std::size_t width) {
  using enum Table::Fit;
  Table table({{"contender"},
               {"median", kWhole, true},
               {"p90", kWhole, true},
               {"p99", kWhole, true},
               {"least", kWhole, true},
               {"runs", kWhole, true},
               {"samples/s", kWhole, true},
               {"Octet is", kWhole, true},
               {"exact elements", kWhole, true},
               {"exact rows", kWhole, true}});
  for (const Standing& standing : measurement.standings) {
    if (!standing.refusal.empty()) {
      table.add({standing.facts.name, "none"});
      continue;
    }
    const Speed& speed = standing.speed;
    const bool is_octet = &standing == &measurement.octet();
    table.add({standing.facts.name, duration_text(speed.median), duration_text(speed.p90), duration_text(speed.p99),
               duration_text(speed.least), grouped(speed.runs),
               fmt::format("{:.0f}", samples_per_second(measurement, standing)),
               is_octet ? "" : faster_text(ratio_to_octet(measurement, standing)),
               equal_text(standing.exact.equal_elements, standing.exact.elements),
               equal_text(standing.exact.equal_rows, standing.exact.rows)});
  }
  std::string text = table.text(width) + "\n";
  for (const Standing& standing : measurement.standings)
    text += standing.refusal.empty() ? fmt::format("{}: {}, loaded in {}, first run {}; {}\n", standing.facts.name,
                                                   standing.facts.runtime, duration_text(standing.facts.load),
                                                   duration_text(standing.facts.first_run), standing.facts.settings)
                                     : fmt::format("{} can't run it: {}\n", standing.facts.name, standing.refusal);
  return text;
}

std::string steps_text(const Measurement& measurement, std::size_t width) {
  using enum Table::Fit;
  Table table({{"step", kShorten},
               {"kernel", kWrap},
               {"time", kWhole, true},
               {"share", kWhole, true},
               {"multiply-adds", kWhole, true},
               {"GMAC/s", kWhole, true},
               {"of peak", kWhole, true}});
  double sum = 0;
  bool transformed = false;
  for (const StepTime& step : measurement.steps) sum += step.nanoseconds;
  for (const StepTime& step : measurement.steps) {
    const std::optional<double> of_peak = share_of_peak(measurement, step);
    const bool multiplies = step.multiply_adds > 0;
    transformed |= step.kernel.starts_with("Winograd") || step.kernel.starts_with("polyphase");
    table.add({step.name, step.kernel, duration_text(step.nanoseconds), percent(step.nanoseconds / sum),
               multiplies ? grouped(step.multiply_adds) : "",
               multiplies ? fmt::format("{:.1f}", static_cast<double>(step.multiply_adds) / step.nanoseconds) : "",
               of_peak ? percent(*of_peak) : ""});
  }
  std::string text = table.text(width) + fmt::format("\nall steps  {}\n", duration_text(sum));
  if (measurement.peak)
    text += fmt::format("peak       {:.1f} GMAC/s, {}, {}\n", measurement.peak->multiply_adds_per_second / 1e9,
                        measurement.peak->instruction, counted(measurement.threads, "thread"));
  if (measurement.peak && transformed)
    text += "           Winograd and polyphase get by with fewer products than they stand for\n";
  return text;
}

std::string bench_text(const std::vector<Measurement>& measurements, bool steps, std::size_t width) {
  std::string text;
  for (const Measurement& measurement : measurements) {
    text += fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", setting_text(measurement),
                        contenders_text(measurement, width));
    if (steps) text += "\n" + steps_text(measurement, width);
  }
  return text;
}

}  // namespace octet
