#include "octet/tune/tune.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/quantize/observe.h"
#include "octet/quantize/preprocessing_of.h"

namespace octet {
namespace {

constexpr int kCounts[] = {1, 2, 4};  // of layers in 16 bits or float
constexpr std::size_t kMethods = 4;   // that try_level adds at most
constexpr Calibration kCalibrations[] = {Calibration::kMinMax, Calibration::kPercentile, Calibration::kSquaredError,
                                         Calibration::kEntropy};

// A kind of scales and zero points.
struct Level {
  bool per_channel, symmetric;
};

// Cheapest first.
std::vector<Level> levels_of(const SchemeLimits& limits) {
  const auto can = [&](const Level& level) {
    return (!level.per_channel || !limits.per_tensor) && (level.symmetric || !limits.symmetric);
  };
  if (limits.target != Deployment::kHardware) return {{!limits.per_tensor, limits.symmetric}};
  std::vector<Level> levels;
  for (const Level& level : {Level{false, true}, Level{false, false}, Level{true, true}, Level{true, false}})
    if (can(level)) levels.push_back(level);
  return levels;
}

bool tries_wide(const SchemeLimits& limits) { return limits.target == Deployment::kHardware; }

class Tuner {
 public:
  Tuner(const Model& model, const Baseline& baseline, const TuneOptions& options)
      : model_(model), baseline_(baseline), options_(options) {}

  Tuned run() {
    search();
    judge_best();
    return std::move(result_);
  }

 private:
  void judge_best() {
    result_.best = result_.met ? result_.tried.size() - 1 : best(0);
    const Scheme& chosen = result_.tried[result_.best].scheme;
    result_.model = quantized(chosen);
    if (const auto found = preprocessing_of(model_, options_.runs)) record_preprocessing(result_.model, *found);
    check_known(result_.tried[result_.best]);
    result_.wide = worst(chosen, chosen.wide);
    result_.spared = worst(chosen, chosen.spared);
    result_.decisions = decisions(chosen);
    if (options_.judge == nullptr) return;
    result_.verdict = measured(chosen, result_.model, *options_.judge);
    result_.holds = is_met(options_.goal, *result_.verdict, *options_.judge);
  }

  // Until the goal is met.
  void search() {
    for (const Level& level : levels_of(options_.limits))
      if (try_level(level.per_channel, level.symmetric)) return;
    const Scheme most = result_.tried[level_best_].scheme;
    const std::size_t layers = layers_of(model_for(most), ranges(most), options_of(most, options_.quantization)).size();
    for (int Scheme::*const kept : {&Scheme::wide, &Scheme::spared}) {
      if (kept == &Scheme::wide && !tries_wide(options_.limits)) continue;
      for (const int count : kCounts) {
        if (static_cast<std::size_t>(count) >= layers) break;  // some, not all
        Scheme scheme = most;
        scheme.*kept = count;
        if (attempt(scheme)) return;
      }
    }
  }

  // Whether the goal is met by one kind of scales and zero points.
  bool try_level(bool per_channel, bool symmetric) {
    const std::size_t first = result_.tried.size();
    for (const Calibration calibration : kCalibrations)
      if (attempt({per_channel, symmetric, calibration})) return true;
    level_best_ = best(first);
    for (const BoundedClamps clamps : {BoundedClamps::kLeave, BoundedClamps::kReplace})
      if (equalization(clamps).is_new && improve(&Repairs::equalize, std::optional(clamps))) return true;
    return improve(&Repairs::round_weights, true) ||
           improve(&Repairs::biases, std::optional(BiasCorrection::kEmpirical));
  }

  // The best of this level with one more method; whether that meets the goal.
  template <typename T>
  bool improve(T Repairs::*method, T value) {
    Scheme scheme = result_.tried[level_best_].scheme;
    scheme.repairs.*method = value;
    const bool met = attempt(scheme);
    if (goodness(result_.tried[level_best_]) < goodness(result_.tried.back())) level_best_ = result_.tried.size() - 1;
    return met;
  }

  bool attempt(const Scheme& scheme) {
    const auto known = std::ranges::find(options_.known, scheme, &Tried::scheme);
    result_.tried.push_back(known == options_.known.end() ? measured(scheme) : *known);
    result_.met = is_met(options_.goal, result_.tried.back(), baseline_);
    return result_.met;
  }

  struct EqualizedModel {
    Model model;
    bool is_new = false;  // another than with fewer clamps replaced
  };
  const EqualizedModel& equalization(BoundedClamps clamps) {
    const auto [it, is_new] = equalized_.try_emplace(clamps);
    if (!is_new) return it->second;
    if (!channels_) channels_ = observed_channels(model_, options_.runs);
    Equalized equalized = equalize(model_, *channels_, clamps);
    it->second = {std::move(equalized.model), std::ranges::any_of(equalized.pairs, [&](const EqualizedPair& pair) {
                    return pair.scaled > 0 && (clamps == BoundedClamps::kLeave || !pair.replaced.empty());
                  })};
    return it->second;
  }

  const Model& model_for(const Scheme& scheme) {
    return scheme.repairs.equalize ? equalization(*scheme.repairs.equalize).model : model_;
  }

  const Ranges& ranges(const Scheme& scheme) {
    const auto [it, is_new] = ranges_.try_emplace({scheme.repairs.equalize, scheme.calibration, scheme.symmetric});
    if (is_new)
      it->second = observed_ranges(
          model_for(scheme),
          {.method = scheme.calibration, .encoding = options_of(scheme, options_.quantization).activation_encoding()},
          options_.runs);
    return it->second;
  }

  // The layers that hurt most with the scales and zero points that cost most.
  std::vector<Layer> worst(const Scheme& scheme, int count) {
    if (count == 0) return {};
    if (!sensitivity_)
      sensitivity_ = measure_sensitivity(model_for(scheme), ranges(scheme), baseline_,
                                         {.quantization = options_of(scheme, options_.quantization),
                                          .only_alone = true,
                                          .engine = options_.runs.engine,
                                          .threads = options_.runs.threads});
    return worst_layers(*sensitivity_, count);
  }

  std::vector<NodeDecision> decisions(const Scheme& scheme) {
    if (scheme.spared > 0) return float_decisions(worst(scheme, scheme.spared));
    return wide_decisions(worst(scheme, scheme.wide), options_.quantization.activations);
  }

  Model quantized(const Scheme& scheme) {
    const StaticOptions options = options_of(scheme, options_.quantization);
    const Selection selection = selection_of(decisions(scheme));
    Repaired repaired = repair(model_for(scheme), ranges(scheme), options, selection, scheme.repairs, options_.runs);
    return write_plan(plan(std::move(repaired.model), ranges(scheme), options, selection), options.format);
  }

  Tried measured(const Scheme& scheme) {
    const Tried tried = measured(scheme, quantized(scheme));
    if (options_.tried) options_.tried(tried);
    const std::size_t most = most_schemes(options_.limits);
    if (options_.progress) options_.progress(std::min(options_.known.size() + ++measured_, most - 1), most);
    return tried;
  }

  Tried measured(const Scheme& scheme, const Model& model) const { return measured(scheme, model, baseline_); }

  Tried measured(const Scheme& scheme, const Model& model, const Baseline& baseline) const {
    const auto engine =
        make_engine(options_.runs.engine, lower(model, Policy::kExact), {.threads = options_.runs.threads});
    const Measured found = baseline.measure(*engine);
    return {scheme, found.sqnr, found.score.top1(), compare(baseline.score(), found.score)};
  }

  // What is chosen because of what was known of it is measured again: the same samples and model give the same numbers.
  void check_known(const Tried& chosen) const {
    if (std::ranges::find(options_.known, chosen.scheme, &Tried::scheme) == options_.known.end()) return;
    const Tried found = measured(chosen.scheme, result_.model);
    if (found.sqnr == chosen.sqnr && found.right == chosen.right) return;
    fail(ErrorCode::kFormat, "{}: {:.6g} dB and {} right are said to have been measured, and are {:.6g} dB and {}",
         to_string(chosen.scheme), chosen.sqnr, chosen.right, found.sqnr, found.right);
  }

  // What the goal counts comes first.
  std::pair<double, double> goodness(const Tried& tried) const {
    const auto right = static_cast<double>(tried.right);
    return options_.goal.min_sqnr ? std::pair(tried.sqnr, right) : std::pair(right, tried.sqnr);
  }

  // The place of the best from `first` on.
  std::size_t best(std::size_t first) const {
    const auto begin = result_.tried.begin();
    return static_cast<std::size_t>(
        std::max_element(begin + static_cast<std::ptrdiff_t>(first), result_.tried.end(),
                         [&](const Tried& a, const Tried& b) { return goodness(a) < goodness(b); }) -
        begin);
  }

  const Model& model_;
  const Baseline& baseline_;
  const TuneOptions& options_;
  std::optional<ChannelRanges> channels_;
  std::map<BoundedClamps, EqualizedModel> equalized_;
  std::map<std::tuple<std::optional<BoundedClamps>, Calibration, bool>, Ranges> ranges_;
  std::optional<Sensitivity> sensitivity_;
  std::size_t measured_ = 0;    // schemes
  std::size_t level_best_ = 0;  // among those with the same scales and zero points as the last
  Tuned result_;
};

std::string layers_text(int count, const char* what) {
  return count == 0 ? "" : fmt::format(", {} layer{} {}", count, count == 1 ? "" : "s", what);
}

}  // namespace

std::string to_string(const Scheme& scheme) {
  std::string text = fmt::format("{}, {}, {}", scheme.per_channel ? "per channel" : "per tensor",
                                 scheme.symmetric ? "symmetric" : "asymmetric", name(scheme.calibration));
  if (scheme.repairs.equalize)
    text += scheme.repairs.equalize == BoundedClamps::kLeave ? ", equalized" : ", equalized without clips";
  if (scheme.repairs.round_weights) text += ", rounding";
  if (scheme.repairs.biases) text += ", biases";
  return text + layers_text(scheme.wide, "16-bit") + layers_text(scheme.spared, "float");
}

StaticOptions options_of(const Scheme& scheme, StaticOptions options) {
  options.per_channel = scheme.per_channel;
  options.symmetric_activations = scheme.symmetric;
  return options;
}

std::size_t most_schemes(const SchemeLimits& limits) {
  return levels_of(limits).size() * (std::size(kCalibrations) + kMethods) +
         (tries_wide(limits) ? 2U : 1U) * std::size(kCounts);
}

double points_lost(const Tried& tried, const Baseline& baseline) {
  return 100.0 * static_cast<double>(baseline.score().top1() - tried.right) / static_cast<double>(baseline.samples());
}

void require_goal(const Goal& goal) {
  if (goal.max_loss && goal.min_sqnr)
    fail(ErrorCode::kUsage, "--max-loss and --min-sqnr both say what is good enough: give one");
  if (!goal.max_loss && !goal.min_sqnr)
    fail(ErrorCode::kUsage, "say what is good enough: --max-loss in points, with labels, or --min-sqnr in dB");
}

bool is_met(const Goal& goal, const Tried& tried, const Baseline& baseline) {
  if (goal.min_sqnr) return tried.sqnr >= *goal.min_sqnr;
  return points_lost(tried, baseline) <= goal.max_loss.value();
}

Tuned tune(const Model& simplified, const Baseline& baseline, const TuneOptions& options) {
  require_goal(options.goal);
  if (options.goal.max_loss && !baseline.labelled())
    fail(ErrorCode::kUsage, "points of accuracy can't be counted: {}; say --min-sqnr in place of --max-loss",
         baseline.unlabelled());
  Tuned tuned = Tuner(simplified, baseline, options).run();
  const std::size_t most = most_schemes(options.limits);
  if (options.progress) options.progress(most, most);
  return tuned;
}

}  // namespace octet
