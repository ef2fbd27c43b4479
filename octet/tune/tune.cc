#include "octet/tune/tune.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "octet/base/fail.h"
#include "octet/program/lower.h"

namespace octet {
namespace {

constexpr Calibration kCalibrations[] = {Calibration::kMinMax, Calibration::kPercentile, Calibration::kSquaredError,
                                         Calibration::kEntropy};

class Tuner {
 public:
  Tuner(const Model& model, const Yardstick& yardstick, const TuneOptions& options)
      : model_(model), yardstick_(yardstick), options_(options) {}

  Tuned run() {
    for (const Scheme& scheme : schemes(options_.limits)) {
      // Layers are left float with the calibration that was best without.
      if (scheme.spared > 0 && scheme.calibration != best_calibration(scheme)) continue;
      const std::optional<Tried> before = known(scheme);
      result_.tried.push_back(before ? *before : measured(scheme));
      if (is_met(options_.goal, result_.tried.back(), yardstick_)) {
        result_.met = true;
        break;
      }
    }
    result_.best = result_.met ? result_.tried.size() - 1 : best();
    const Scheme& chosen = result_.tried[result_.best].scheme;
    result_.ranges = ranges(chosen);
    result_.spared = spared(chosen);
    return std::move(result_);
  }

 private:
  std::optional<Tried> known(const Scheme& scheme) const {
    const auto found = std::ranges::find(options_.known, scheme, &Tried::scheme);
    return found == options_.known.end() ? std::nullopt : std::optional(*found);
  }

  // Ranges depend on the encoding only where the calibration does.
  const Ranges& ranges(const Scheme& scheme) {
    const auto [it, is_new] = ranges_.try_emplace({scheme.calibration, scheme.symmetric});
    if (is_new)
      it->second = options_.ranges(scheme.calibration, options_of(scheme, options_.quantization).activation_encoding());
    return it->second;
  }

  std::vector<Layer> spared(const Scheme& scheme) {
    if (scheme.spared == 0) return {};
    if (!sensitivity_)
      sensitivity_ = measure_sensitivity(model_, ranges(scheme), yardstick_,
                                         {.quantization = options_of(scheme, options_.quantization),
                                          .only_alone = true,
                                          .engine = options_.engine,
                                          .threads = options_.threads});
    return worst_layers(*sensitivity_, scheme.spared);
  }

  Tried measured(const Scheme& scheme) {
    const StaticOptions options = options_of(scheme, options_.quantization);
    const auto engine = make_engine(
        options_.engine, lower(quantized_without(model_, ranges(scheme), options, spared(scheme)), Policy::kExact),
        {.threads = options_.threads});
    const Measured found = yardstick_.measure(*engine);
    const Tried tried{scheme, found.sqnr, found.score.top1(), compare(yardstick_.score(), found.score)};
    if (options_.tried) options_.tried(tried);
    return tried;
  }

  static auto goodness(const Tried& tried) { return std::tuple(tried.right, tried.sqnr); }

  std::size_t best() const {
    return static_cast<std::size_t>(std::ranges::max_element(result_.tried, {}, goodness) - result_.tried.begin());
  }

  Calibration best_calibration(const Scheme& like) const {
    const Tried* best = nullptr;
    for (const Tried& tried : result_.tried)
      if (tried.scheme.per_channel == like.per_channel && tried.scheme.symmetric == like.symmetric &&
          tried.scheme.spared == 0 && (!best || goodness(*best) < goodness(tried)))
        best = &tried;
    return best->scheme.calibration;
  }

  const Model& model_;
  const Yardstick& yardstick_;
  const TuneOptions& options_;
  std::map<std::tuple<Calibration, bool>, Ranges> ranges_;
  std::optional<Sensitivity> sensitivity_;
  Tuned result_;
};

}  // namespace

std::string to_string(const Scheme& scheme) {
  std::string text = fmt::format("{}, {}, {}", scheme.per_channel ? "per channel" : "per tensor",
                                 scheme.symmetric ? "symmetric" : "asymmetric", name(scheme.calibration));
  if (scheme.spared > 0) text += fmt::format(", {} layer{} float", scheme.spared, scheme.spared == 1 ? "" : "s");
  return text;
}

StaticOptions options_of(const Scheme& scheme, StaticOptions options) {
  options.per_channel = scheme.per_channel;
  options.symmetric_activations = scheme.symmetric;
  return options;
}

std::vector<Scheme> schemes(const SchemeLimits& limits) {
  std::vector<Scheme> all;
  for (const bool per_channel : {false, true})
    for (const bool symmetric : {true, false})
      if ((!per_channel || !limits.per_tensor) && (symmetric || !limits.symmetric))
        for (const Calibration calibration : kCalibrations) all.push_back({per_channel, symmetric, calibration, 0});
  for (const int spared : {1, 2, 4})
    for (const Calibration calibration : kCalibrations)
      all.push_back({!limits.per_tensor, limits.symmetric, calibration, spared});
  return all;
}

bool is_met(const Goal& goal, const Tried& tried, const Yardstick& yardstick) {
  if (goal.min_sqnr) return tried.sqnr >= *goal.min_sqnr;
  const auto lost = static_cast<double>(yardstick.score().top1() - tried.right);
  return 100 * lost / static_cast<double>(yardstick.samples()) <= goal.max_loss.value();
}

Tuned tune(const Model& simplified, const Yardstick& yardstick, const TuneOptions& options) {
  if (options.goal.max_loss && !yardstick.labelled())
    fail(ErrorCode::kUsage,
         "points of accuracy can't be counted: the samples have no labels; say how many dB are wanted");
  return Tuner(simplified, yardstick, options).run();
}

}  // namespace octet
