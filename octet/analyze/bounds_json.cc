#include <variant>

#include "octet/analyze/bounds_report.h"
#include "octet/spec/rounding_named.h"
#include "octet/text/json.h"
#include "octet/version.h"

namespace octet {
namespace {

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

// What joins a row with those of other documents: the step, its nodes in the file, and the tensor that comes out.
void add_step(Json& json, const Step& step, const Program& program) {
  Json nodes = Json::array();
  for (const SourceNode& source : step.sources) nodes.push_back(source.name);
  json["step"] = step.name;
  json["nodes"] = nodes;
  const ValueId made = step.operations.back().outputs[0];
  json["tensor"] = made == kNoValue ? Json() : Json(program.values[made].name);
}

Json combining_json(const CombiningStep& step, const Program& program) {
  Json json =
      with_widths(std::visit([](const auto& integer) { return constants_json(integer); }, step.integer), step.widths);
  if (step.reach) json["m_b"] = nullptr;
  json["name"] = program.steps[step.step].name;
  json["kind"] = name(step.kind);
  add_step(json, program.steps[step.step], program);
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

Json step_json(const StepBounds& bound, const Program& program) {
  Json channels = Json::array();
  for (const ChannelBounds& channel : bound.channels) channels.push_back(channel_json(channel));
  Json json = {{"name", program.steps[bound.step].name},
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
               {"channels", channels}};
  add_step(json, program.steps[bound.step], program);
  return json;
}

}  // namespace

std::string bounds_json(const ProvenBounds& found, const Program& program, const std::string& model) {
  Json steps = Json::array(), equal = Json::object(), others = Json::array();
  for (const CombiningStep& step : found.combining) others.push_back(combining_json(step, program));
  for (const EqualChannels& rule : found.equal_by_rule()) equal[std::string(rule.rule)] = rule.equal;
  for (const StepBounds& bound : found.steps) steps.push_back(step_json(bound, program));
  Json json = {{"schema", "octet.bounds/1"},
               {"octet", kVersion},
               {"model", model},
               {"policy", name(program.policy)},
               {"rounding", name(found.rounding)},
               {"samples", found.samples},
               {"equal_channels", equal},
               {"steps", steps},
               {"combining", others}};
  if (found.max_bits)
    json["verdict"] = {{"max_bits", *found.max_bits}, {"bits", found.accumulator_bits()}, {"passed", found.passed()}};
  return json_text(json);
}

}  // namespace octet
