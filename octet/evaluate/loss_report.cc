#include "octet/evaluate/loss_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/text/json.h"
#include "octet/text/json_finite.h"
#include "octet/text/numbers.h"
#include "octet/text/row_chart.h"
#include "octet/version.h"

namespace octet {
namespace {

Json noise_json(const Noise& noise) {
  return {{"elements", noise.elements()},
          {"sqnr", json_finite(noise.sqnr())},
          {"cosine", json_finite(noise.cosine())},
          {"largest_error", json_finite(noise.largest())},
          {"mean_error", json_finite(noise.mean_error())},
          {"broken", noise.broken()},
          {"clipped", noise.clipped()}};
}

Json changes_json(const OutputChanges& changes) {
  Json json = {{"largest",
                {{"change", json_finite(changes.largest)},
                 {"place", changes.place},
                 {"reference", json_finite(changes.wanted)},
                 {"model", json_finite(changes.found)}}},
               {"sign_changed", changes.signs},
               {"rank_agreement", json_finite(changes.rank_agreement)},
               {"constant", changes.constant},
               {"same_for_all_samples", changes.alike}};
  json["arg_max"] =
      changes.axis ? Json{{"axis", *changes.axis}, {"rows", changes.rows}, {"changed", changes.arg_max}} : Json();
  json["threshold"] = changes.threshold ? Json{{"value", json_finite(*changes.threshold)},
                                               {"above", changes.above},
                                               {"lost", changes.lost},
                                               {"gained", changes.gained}}
                                        : Json();
  return json;
}

Json detections_json(const Loss& loss) {
  if (!loss.detections) return {};
  const Detections& d = *loss.detections;
  return {{"reference", d.wanted},
          {"model", d.found},
          {"matched", d.matched},
          {"mean_overlap", json_finite(d.mean_overlap())}};
}

}  // namespace

std::vector<std::string> warnings_of(const Loss& loss) {
  std::vector<std::string> warnings;
  for (const TensorLoss& tensor : loss.tensors)
    if (tensor.changes)
      if (std::string text = useless_samples_text(tensor.name, *tensor.changes); !text.empty())
        warnings.push_back(std::move(text));
  return warnings;
}

double damage(const TensorLoss& tensor) { return tensor.own.elements() > 0 ? tensor.own.sqnr() : tensor.total.sqnr(); }

std::vector<const TensorLoss*> by_damage(const Loss& loss) {
  std::vector<const TensorLoss*> tensors;
  for (const TensorLoss& tensor : loss.tensors) tensors.push_back(&tensor);
  std::ranges::stable_sort(tensors, {}, [](const TensorLoss* tensor) { return damage(*tensor); });
  return tensors;
}

std::vector<const TensorLoss*> outputs_below(const Loss& loss, double least) {
  std::vector<const TensorLoss*> found;
  for (const TensorLoss& tensor : loss.tensors)
    if (tensor.output && !(tensor.total.sqnr() >= least)) found.push_back(&tensor);
  return found;
}

std::string loss_json(const Loss& loss, const LossSource& source) {
  Json tensors = Json::array(), weights = Json::array();
  for (const TensorLoss& tensor : loss.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"step", tensor.node},
                       {"nodes", tensor.node.empty() ? Json::array() : Json::array({tensor.node})},
                       {"tensor", tensor.name},
                       {"counterpart", tensor.counterpart},
                       {"matched_by", tensor.how},
                       {"node", tensor.node},
                       {"op_type", tensor.op_type},
                       {"output", tensor.output},
                       {"total", noise_json(tensor.total)},
                       {"own", tensor.own.elements() > 0 ? noise_json(tensor.own) : Json()},
                       {"changes", tensor.changes ? changes_json(*tensor.changes) : Json()}});
  for (const WeightLoss& weight : loss.weights)
    weights.push_back({{"name", weight.name}, {"noise", noise_json(weight.noise)}});
  return json_text({{"schema", "octet.loss/1"},
                    {"octet", kVersion},
                    {"reference", source.reference},
                    {"model", source.model},
                    {"engine", source.engine},
                    {"samples", loss.samples},
                    {"warnings", warnings_of(loss)},
                    {"detections", detections_json(loss)},
                    {"tensors", tensors},
                    {"weights", weights},
                    {"unmatched", loss.unmatched}});
}

// A bar is as long as the noise: its root mean square as a share of the signal's.
std::string loss_picture(const Loss& loss) {
  RowChart chart{fmt::format("Noise {}, {}", loss.float_reference ? "that each tensor adds" : "of each tensor in total",
                             counted(loss.samples, "sample")),
                 "% of the signal",
                 {}};
  for (const TensorLoss* tensor : by_damage(loss)) {
    const double share = 100 * std::pow(10, -damage(*tensor) / 20);
    chart.rows.push_back({tensor->name, std::isfinite(share) ? std::optional(share) : std::nullopt,
                          fmt::format("{}, total {} dB", decibels(damage(*tensor)), decibels(tensor->total.sqnr()))});
  }
  return chart.svg();
}

}  // namespace octet
