// bounds.cc: octet bounds
#include "octet/analyze/bounds.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "octet/base/atomic_file.h"
#include "octet/base/fail.h"
#include "octet/base/table.h"
#include "octet/graph/infer.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/report/bar_chart.h"
#include "octet/report/json.h"
#include "octet/report/numbers.h"
#include "octet/spec/rounding_named.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct Options {
  std::string model, json, plot, rounding = "ties-even", policy = "exact";
  std::vector<std::string> dims;
  SamplesOptions samples;
};

std::string widths_table(const std::vector<StepBounds>& bounds, const Program& program) {
  Table table({{"step", Table::Fit::kShorten, false, 12},
               {"products", Table::Fit::kWhole, true},
               {"bits", Table::Fit::kWhole, true},
               {"any order", Table::Fit::kWhole, true},
               {"raw", Table::Fit::kWhole, true},
               {"textbook", Table::Fit::kWhole, true},
               {"seen", Table::Fit::kWhole, true},
               {"accumulator from"},
               {"to", Table::Fit::kWhole, true},
               {"pairs beyond 16 bits", Table::Fit::kWhole, true}});
  for (const StepBounds& bound : bounds) {
    const auto width = [](const Interval& interval) { return fmt::format("{}", signed_width(interval)); };
    table.add({program.steps[bound.step].name, grouped(bound.products), width(bound.final), width(bound.any_order),
               width(bound.raw), width(bound.textbook), bound.observed ? width(*bound.observed) : "",
               grouped(bound.final.least), grouped(bound.final.greatest),
               bound.pairs > 0 ? fmt::format("{} of {}", grouped(bound.saturating_pairs), grouped(bound.pairs)) : ""});
  }
  return table.text(terminal_width());
}

// Multipliers that requantize as float32 does.
std::string multipliers_table(const std::vector<StepBounds>& bounds, const Program& program) {
  Table table({{"step", Table::Fit::kShorten, false, 12},
               {"channels", Table::Fit::kWhole, true},
               {"equal", Table::Fit::kWhole, true},
               {"bits", Table::Fit::kWhole, true},
               {"one shift for all"},
               {"ties", Table::Fit::kWhole, true},
               {"interval", Table::Fit::kWhole, true},
               {"without an equal one", Table::Fit::kWrap}});
  for (const StepBounds& bound : bounds) {
    int least = 64, greatest = 0;
    std::int64_t equal = 0, none = 0, differing = 0, ties = 0, reachable = 0;
    for (const ChannelBounds& channel : bound.channels) {
      if (!channel.equal) continue;
      ties += channel.ties;
      reachable += channel.reachable;
      differing += channel.differing;
      (channel.multiplier ? equal : none) += 1;
      if (!channel.multiplier) continue;
      least = std::min(least, channel.multiplier->bits);
      greatest = std::max(greatest, channel.multiplier->bits);
    }
    if (equal + none == 0) continue;
    table.add(
        {program.steps[bound.step].name, grouped(equal + none), grouped(equal),
         equal == 0          ? ""
         : least == greatest ? fmt::format("{}", least)
                             : fmt::format("{} to {}", least, greatest),
         bound.shared_shift ? fmt::format("{} bits, shift {}", bound.shared_bits, *bound.shared_shift) : "none",
         grouped(ties), grouped(reachable),
         none > 0 ? fmt::format("{}: 31 bits get {} wrong", counted(none, "channel"), counted(differing, "accumulator"))
                  : ""});
  }
  return table.empty() ? ""
                       : "\nMultiplier and shift equal to the float32 requantization:\n" + table.text(terminal_width());
}

// How many channels have a multiplier that is equal under a rule.
struct EqualChannels {
  std::string_view rule;
  std::int64_t equal = 0, channels = 0;
};

std::vector<EqualChannels> equal_by_rule(const Program& program) {
  std::vector<EqualChannels> result;
  for (const std::string_view rule : rounding_names()) {
    EqualChannels count{rule};
    for (const StepBounds& bound : bounds(program, {rounding_named(rule)}))
      for (const ChannelBounds& channel : bound.channels) {
        count.channels += channel.equal ? 1 : 0;
        count.equal += channel.multiplier ? 1 : 0;
      }
    result.push_back(count);
  }
  return result;
}

std::string rules_line(const std::vector<EqualChannels>& rules) {
  if (rules.front().channels == 0) return "";
  std::string line =
      fmt::format("\nOf {}, with an equal multiplier by rounding rule:", counted(rules.front().channels, "channel"));
  for (const EqualChannels& rule : rules)
    line += fmt::format("{} {} {}", &rule == rules.data() ? "" : ",", rule.rule, grouped(rule.equal));
  return line + "\n";
}

std::string text(const std::vector<StepBounds>& bounds, const Program& program,
                 const std::vector<EqualChannels>& rules) {
  int widest = 0;
  for (const StepBounds& bound : bounds) widest = std::max(widest, signed_width(bound.final));
  return widths_table(bounds, program) + multipliers_table(bounds, program) + rules_line(rules) +
         fmt::format("\n{}: {} bits hold every accumulator\n",
                     counted(static_cast<std::int64_t>(bounds.size()), "step"), widest);
}

Json interval_json(const Interval& interval) {
  return {{"least", interval.least}, {"greatest", interval.greatest}, {"bits", signed_width(interval)}};
}

Json channel_json(const ChannelBounds& channel) {
  Json json = {{"final", interval_json(channel.final)},
               {"any_order", interval_json(channel.any_order)},
               {"raw", interval_json(channel.raw)},
               {"observed", channel.observed ? interval_json(*channel.observed) : Json()},
               {"ties", channel.ties},
               {"reachable", channel.reachable},
               {"differing", channel.differing},
               {"saturating_pairs", Json::array()},
               {"multiplier", nullptr}};
  for (const WeightPair& pair : channel.saturating_pairs)
    json["saturating_pairs"].push_back({pair.tap, pair.input_channel, pair.first, pair.second});
  if (channel.multiplier)
    json["multiplier"] = {
        {"m", channel.multiplier->m}, {"shift", channel.multiplier->shift}, {"bits", channel.multiplier->bits}};
  return json;
}

Json facts(const Options& options, const std::vector<StepBounds>& bounds, const Program& program,
           const std::vector<EqualChannels>& rules, std::int64_t samples) {
  Json steps = Json::array(), equal = Json::object();
  for (const EqualChannels& rule : rules) equal[std::string(rule.rule)] = rule.equal;
  for (const StepBounds& bound : bounds) {
    Json channels = Json::array();
    for (const ChannelBounds& channel : bound.channels) channels.push_back(channel_json(channel));
    steps.push_back({{"name", program.steps[bound.step].name},
                     {"products", bound.products},
                     {"final", interval_json(bound.final)},
                     {"any_order", interval_json(bound.any_order)},
                     {"raw", interval_json(bound.raw)},
                     {"textbook", interval_json(bound.textbook)},
                     {"observed", bound.observed ? interval_json(*bound.observed) : Json()},
                     {"pairs", bound.pairs},
                     {"saturating_pairs", bound.saturating_pairs},
                     {"shared_shift", bound.shared_shift ? Json(*bound.shared_shift) : Json()},
                     {"shared_bits", bound.shared_shift ? Json(bound.shared_bits) : Json()},
                     {"channels", channels}});
  }
  return {
      {"schema", "octet.bounds/1"}, {"octet", kVersion},       {"model", options.model}, {"rounding", options.rounding},
      {"samples", samples},         {"equal_channels", equal}, {"steps", steps}};
}

std::string picture(const std::vector<StepBounds>& bounds, const Program& program) {
  BarChart chart{"Accumulator width of each step", "bits", {"textbook", "proven"}, {}};
  const bool seen =
      std::any_of(bounds.begin(), bounds.end(), [](const StepBounds& b) { return b.observed.has_value(); });
  if (seen) chart.series.emplace_back("seen on data");
  for (const StepBounds& bound : bounds) {
    BarChart::Group group{program.steps[bound.step].name,
                          {double(signed_width(bound.textbook)), double(signed_width(bound.final))}};
    if (seen)
      group.values.push_back(bound.observed ? std::optional<double>(signed_width(*bound.observed)) : std::nullopt);
    chart.groups.push_back(std::move(group));
  }
  return chart.svg();
}

int run(const Options& options) {
  const BoundsOptions how{rounding_named(options.rounding)};
  const Model model = bind_dimensions(load_model(options.model), parse_dimensions(options.dims));
  const ReferenceEngine engine(lower(model, policy_named(options.policy)));
  std::vector<StepBounds> found = bounds(engine.program(), how);
  if (found.empty())
    fail(ErrorCode::kUsage, "{} has no step whose weights and zero points are known before it runs", options.model);
  std::int64_t samples = 0;
  if (options.samples.given()) {
    const auto stream = options.samples.open(model);
    const Progress progress = progress_line("samples");
    while (const std::optional<Batch> batch = stream->next(options.samples.batch)) {
      NamedTensors values = engine.run(batch->inputs, {.keep_all = true});
      values.insert(batch->inputs.begin(), batch->inputs.end());
      observe(found, engine.program(), values);
      samples += batch->samples;
      const auto done = static_cast<std::size_t>(samples);
      if (progress) progress(done, std::max(done, static_cast<std::size_t>(stream->total().value_or(0))));
    }
  }
  if (!options.plot.empty()) write_file(options.plot, picture(found, engine.program()));
  const std::vector<EqualChannels> rules = equal_by_rule(engine.program());
  if (options.json.empty())
    print(text(found, engine.program(), rules));
  else
    write_json(json_text(facts(options, found, engine.program(), rules, samples)), options.json);
  return kFine;
}

}  // namespace

Command bounds_command(Parser& parser) {
  CommandLine line = parser.command("bounds", "Prove how wide accumulators and multipliers must be, step by step");
  auto options = std::make_shared<Options>();
  line.option("model", options->model, "The .onnx file").required();
  line.option("--rounding", options->rounding,
              "Of the fixed-point requantization: ties-even (else), ties-away, ties-up, toward-zero, floor", "RULE");
  add_samples_options(line, options->samples);
  add_dim_option(line, options->dims);
  add_policy_option(line, options->policy);
  line.option("--plot", options->plot, "Draw the widths (.svg)", "FILE");
  add_json_option(line, options->json);
  line.example(
      "  octet bounds resnet8_int8.onnx\n"
      "  octet bounds resnet8_int8.onnx --data test_batch.bin --plot widths.svg");
  return {line, [options] { return run(*options); }};
}

}  // namespace octet::cli
