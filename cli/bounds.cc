// bounds.cc: octet bounds
#include "octet/analyze/bounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/analyze/bounds_csv.h"
#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/spec/rounding_named.h"
#include "octet/system/atomic_file.h"
#include "octet/text/bar_chart.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"
#include "octet/version.h"

namespace octet::cli {
namespace {

struct BoundsArguments {
  std::string model, json, plot, table, rounding = "ties-even", policy = "exact", engine = kDefaultEngine;
  std::vector<std::string> dims;
  SamplesOptions samples;
  int threads = 0;
  std::optional<int> max_bits;
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
      least = std::min(least, channel.multiplier->bits());
      greatest = std::max(greatest, channel.multiplier->bits());
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

std::vector<EqualChannels> equal_by_rule(const std::vector<StepBounds>& bounds) {
  std::vector<EqualChannels> result;
  for (const std::string_view rule : rounding_names()) {
    EqualChannels count{rule};
    for (const StepBounds& bound : bounds)
      for (const ChannelBounds& channel : bound.channels) {
        count.channels += channel.equal ? 1 : 0;
        count.equal += channel.equal_rules[static_cast<std::size_t>(rounding_named(rule))] ? 1 : 0;
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

// Registers of the requantization in integers alone.
std::string integers_table(const std::vector<StepBounds>& bounds, const std::vector<CombiningStep>& combining,
                           const Program& program) {
  Table table({{"step", Table::Fit::kShorten, false, 12},
               {"m", Table::Fit::kWhole, true},
               {"product", Table::Fit::kWhole, true},
               {"sum", Table::Fit::kWhole, true},
               {"exceptions", Table::Fit::kWrap}});
  const auto add = [&](std::size_t step, const IntegerWidths& bits, const std::string& exceptions) {
    table.add({program.steps[step].name, fmt::format("{}", bits.m), fmt::format("{}", bits.product),
               fmt::format("{}", bits.sum), exceptions});
  };
  for (const StepBounds& bound : bounds) {
    IntegerWidths bits;
    std::int64_t channels = 0, exceptions = 0;
    for (const ChannelBounds& channel : bound.channels) {
      if (!channel.integer) continue;
      bits.include(widths_of(channel));
      channels += channel.integer->exceptions.empty() ? 0 : 1;
      exceptions += excepted(*channel.integer);
    }
    if (bits == IntegerWidths()) continue;
    add(bound.step, bits,
        channels == 0 ? "" : fmt::format("{} in {}", counted(exceptions, "accumulator"), counted(channels, "channel")));
  }
  for (const CombiningStep& step : combining) {
    const std::int64_t exceptions = std::visit([](const auto& integer) { return excepted(integer); }, step.integer);
    const bool pairs = std::holds_alternative<IntegerAddition>(step.integer);
    add(step.step, step.widths, exceptions == 0 ? "" : counted(exceptions, pairs ? "pair" : "accumulator"));
  }
  return table.empty() ? ""
                       : "\nBits in integers alone, (acc * m + addend) >> shift, equal for every accumulator:\n" +
                             table.text(terminal_width());
}

int widest_accumulator(const std::vector<StepBounds>& bounds) {
  int widest = 0;
  for (const StepBounds& bound : bounds) widest = std::max(widest, signed_width(bound.final));
  return widest;
}

std::string verdict_text(const std::vector<StepBounds>& bounds, const Program& program, int max_bits) {
  std::vector<std::string> wider;
  for (const StepBounds& bound : bounds)
    if (signed_width(bound.final) > max_bits) wider.push_back(program.steps[bound.step].name);
  if (wider.empty()) return fmt::format("verdict: {} bits are enough\n", max_bits);
  return fmt::format("verdict: {} bits are not enough for {}, such as {}\n", max_bits,
                     counted(static_cast<std::int64_t>(wider.size()), "step"), printable(wider.front()));
}

std::string bounds_text(const std::vector<StepBounds>& bounds, const std::vector<CombiningStep>& combining,
                        const Program& program, const std::vector<EqualChannels>& rules) {
  if (bounds.empty()) return integers_table(bounds, combining, program).substr(1);  // no sum: one table, without a gap
  return widths_table(bounds, program) + multipliers_table(bounds, program) + rules_line(rules) +
         integers_table(bounds, combining, program) +
         fmt::format("\n{}: {} bits hold every accumulator\n",
                     counted(static_cast<std::int64_t>(bounds.size()), "step"), widest_accumulator(bounds));
}

Json interval_json(const Interval& interval) {
  return {{"least", interval.least}, {"greatest", interval.greatest}, {"bits", signed_width(interval)}};
}

Json exceptions_json(const IntegerRequantizer& integer) {
  Json exceptions = Json::array();
  for (const RequantizerException& some : integer.exceptions) exceptions.push_back({some.first, some.last, some.value});
  return exceptions;
}

Json exceptions_json(const IntegerAddition& integer) {
  Json exceptions = Json::array();
  for (const PairException& some : integer.exceptions)
    exceptions.push_back({some.a, some.first, some.last, some.value});
  return exceptions;
}

Json with_widths(Json json, const IntegerWidths& bits) {
  json.update({{"m_bits", bits.m}, {"product_bits", bits.product}, {"sum_bits", bits.sum}});
  return json;
}

Json constants_json(const IntegerRequantizer& integer) {
  return {
      {"m", integer.m}, {"addend", integer.addend}, {"shift", integer.shift}, {"exceptions", exceptions_json(integer)}};
}

Json constants_json(const IntegerAddition& integer) {
  return {{"m", integer.ma},
          {"m_b", integer.mb},
          {"addend", integer.addend},
          {"shift", integer.shift},
          {"exceptions", exceptions_json(integer)}};
}

Json combining_json(const CombiningStep& step, const Program& program) {
  Json json =
      with_widths(std::visit([](const auto& integer) { return constants_json(integer); }, step.integer), step.widths);
  if (step.reach) json["m_b"] = nullptr;
  json["name"] = program.steps[step.step].name;
  json["kind"] = name(step.kind);
  json["reach"] = step.reach ? interval_json(*step.reach) : Json();
  return json;
}

Json channel_json(const ChannelBounds& channel) {
  Json json = {{"start", channel.start ? Json(*channel.start) : Json()},
               {"final", interval_json(channel.final)},
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
  json["requantizer"] = channel.integer ? with_widths(constants_json(*channel.integer), widths_of(channel)) : Json();
  if (channel.multiplier)
    json["multiplier"] = {
        {"m", channel.multiplier->m}, {"shift", channel.multiplier->shift}, {"bits", channel.multiplier->bits()}};
  return json;
}

Json bounds_facts(const BoundsArguments& options, const std::vector<StepBounds>& bounds,
                  const std::vector<CombiningStep>& combining, const Program& program,
                  const std::vector<EqualChannels>& rules, std::int64_t samples) {
  Json steps = Json::array(), equal = Json::object(), others = Json::array();
  for (const CombiningStep& step : combining) others.push_back(combining_json(step, program));
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
  Json json = {
      {"schema", "octet.bounds/1"},   {"octet", kVersion},  {"model", options.model},  {"policy", options.policy},
      {"rounding", options.rounding}, {"samples", samples}, {"equal_channels", equal}, {"steps", steps},
      {"combining", others}};
  if (options.max_bits)
    json["verdict"] = {{"max_bits", *options.max_bits},
                       {"bits", widest_accumulator(bounds)},
                       {"passed", widest_accumulator(bounds) <= *options.max_bits}};
  return json;
}

std::string bounds_picture(const std::vector<StepBounds>& bounds, const Program& program) {
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

int run_bounds(const BoundsArguments& options) {
  check_outputs({{"model", options.model}, {"--data", options.samples.data}},
                {{"--plot", options.plot}, {"--table", options.table}, {"--json", options.json}});
  const BoundsOptions how{rounding_named(options.rounding), progress_line("steps")};
  const NamedEngine& named = engine_named(options.engine);
  const Model model = load_model_named(options.model, options.dims);
  const auto engine = make_engine(named, lower(model, policy_named(options.policy)), {.threads = options.threads});
  const Program& program = engine->program();
  std::vector<StepBounds> found = bounds(program, how);
  const std::vector<CombiningStep> combining = combining_steps(program);
  if (found.empty() && (combining.empty() || !options.plot.empty() || options.samples.given() || options.max_bits))
    fail(ErrorCode::kUsage, "{} has no step whose weights and zero points are known before it runs", options.model);
  std::int64_t samples = 0;
  if (options.samples.given()) {
    const auto stream = options.samples.open(model);
    const Progress progress = progress_line("samples");
    while (const std::optional<Batch> batch = stream->next(options.samples.batch)) {
      NamedTensors values = engine->run(batch->inputs, {.keep_all = true});
      values.insert(batch->inputs.begin(), batch->inputs.end());
      observe(found, program, values, engine->parallel());
      samples += batch->samples;
      const auto done = static_cast<std::size_t>(samples);
      if (progress) progress(done, std::max(done, static_cast<std::size_t>(stream->total().value_or(0))));
    }
  }
  if (!options.plot.empty()) write_file(options.plot, bounds_picture(found, program));
  if (!options.table.empty()) write_file(options.table, bounds_csv(program, found, combining));
  const std::vector<EqualChannels> rules = equal_by_rule(found);
  if (options.json.empty())
    print(bounds_text(found, combining, program, rules) +
          (options.max_bits ? verdict_text(found, program, *options.max_bits) : ""));
  else
    write_json(json_text(bounds_facts(options, found, combining, program, rules, samples)), options.json);
  return options.max_bits && widest_accumulator(found) > *options.max_bits ? kDiffers : kFine;
}

}  // namespace

Command bounds_command(Parser& parser) {
  CommandLine line = parser.command("bounds", "Prove how wide accumulators and multipliers must be, step by step");
  auto options = std::make_shared<BoundsArguments>();
  add_model_operand(line, options->model);
  line.option("--rounding", options->rounding,
              "Of the fixed-point requantization: ties-even (else), ties-away, ties-up, toward-zero, floor", "RULE");
  add_samples_options(line, options->samples);
  add_dim_option(line, options->dims);
  add_policy_option(line, options->policy);
  add_engine_option(line, options->engine);
  add_threads_option(line, options->threads);
  line.option("--plot", options->plot, "Draw the widths (.svg)", "FILE").ends_in({".svg"});
  line.option("--table", options->table, "Write the constants in integers, channel by channel (.csv)", "FILE")
      .ends_in({".csv"});
  line.option("--max-bits", options->max_bits, "Exit code 1 when an accumulator needs more", "N").within(1, 64);
  add_json_option(line, options->json);
  line.example(
      "  octet bounds resnet8_int8.onnx --max-bits 24\n"
      "  octet bounds resnet8_int8.onnx --table constants.csv\n"
      "  octet bounds resnet8_int8.onnx --data test_batch.bin --plot widths.svg");
  return {
      line, [options, line] {
        refuse_unused(line, {{!options->samples.given(), {"--engine"}, "it runs the program on what --data gives"}});
        return run_bounds(*options);
      }};
}

}  // namespace octet::cli
