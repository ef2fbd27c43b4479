#include "octet/evaluate/loss_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/row_chart.h"
#include "octet/version.h"

namespace octet {
namespace {

Json noise_json(const Noise& noise) {
  return {{"elements", noise.elements()},
          {"sqnr", json_number(noise.sqnr())},
          {"cosine", json_number(noise.cosine())},
          {"largest_error", json_number(noise.largest())},
          {"mean_error", json_number(noise.mean_error())},
          {"broken", noise.broken()},
          {"clipped", noise.clipped()}};
}

}  // namespace

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
                       {"counterpart", tensor.counterpart},
                       {"matched_by", tensor.how},
                       {"node", tensor.node},
                       {"op_type", tensor.op_type},
                       {"output", tensor.output},
                       {"total", noise_json(tensor.total)},
                       {"own", tensor.own.elements() > 0 ? noise_json(tensor.own) : Json()}});
  for (const WeightLoss& weight : loss.weights)
    weights.push_back({{"name", weight.name}, {"noise", noise_json(weight.noise)}});
  return json_text({{"schema", "octet.loss/1"},
                    {"octet", kVersion},
                    {"reference", source.reference},
                    {"model", source.model},
                    {"engine", source.engine},
                    {"samples", loss.samples},
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
