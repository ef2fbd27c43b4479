#include "octet/bench/bench_report.h"
#include "octet/text/json.h"
#include "octet/version.h"

namespace octet {
namespace {

Json standing_json(const Measurement& measurement, const Standing& standing) {
  if (!standing.refusal.empty()) return {{"name", standing.facts.name}, {"refusal", standing.refusal}};
  const Speed& speed = standing.speed;
  return {{"name", standing.facts.name},
          {"runtime", standing.facts.runtime},
          {"settings", standing.facts.settings},
          {"load_ns", json_number(standing.facts.load)},
          {"first_run_ns", json_number(standing.facts.first_run)},
          {"runs", speed.runs},
          {"median_ns", json_number(speed.median)},
          {"p90_ns", json_number(speed.p90)},
          {"p99_ns", json_number(speed.p99)},
          {"least_ns", json_number(speed.least)},
          {"samples_per_second", json_number(samples_per_second(measurement, standing))},
          {"ratio", json_number(ratio_to_octet(measurement, standing))},
          {"elements", standing.exact.elements},
          {"exact_elements", standing.exact.equal_elements},
          {"rows", standing.exact.rows},
          {"exact_rows", standing.exact.equal_rows}};
}

Json step_json(const Measurement& measurement, const StepTime& step) {
  const std::optional<double> of_peak = share_of_peak(measurement, step);
  return {{"name", step.name},
          {"kernel", step.kernel},
          {"nanoseconds", json_number(step.nanoseconds)},
          {"multiply_adds", step.multiply_adds},
          {"of_peak", of_peak ? json_number(*of_peak) : Json()}};
}

Json measurement_json(const Measurement& measurement) {
  Json json = {{"threads", measurement.threads}, {"batch", measurement.batch}, {"peak", nullptr}};
  if (measurement.peak)
    json["peak"] = {{"instruction", measurement.peak->instruction},
                    {"multiply_adds_per_second", json_number(measurement.peak->multiply_adds_per_second)}};
  json["contenders"] = Json::array();
  for (const Standing& standing : measurement.standings)
    json["contenders"].push_back(standing_json(measurement, standing));
  json["steps"] = Json::array();
  for (const StepTime& step : measurement.steps) json["steps"].push_back(step_json(measurement, step));
  return json;
}

}  // namespace

std::string bench_json(const std::vector<Measurement>& measurements, const BenchSource& source) {
  Json json = {{"schema", "octet.bench/1"}, {"octet", kVersion},       {"model", source.model},
               {"policy", source.policy},   {"engine", source.engine}, {"measurements", Json::array()}};
  for (const Measurement& measurement : measurements) json["measurements"].push_back(measurement_json(measurement));
  return json_text(json);
}

}  // namespace octet
