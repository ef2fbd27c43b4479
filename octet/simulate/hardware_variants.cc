#include "octet/simulate/hardware_variants.h"

#include <utility>

#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/simulate/pitfalls.h"

namespace octet {
namespace {

bool has_per_channel_weights(const Program& program) {
  for (const Step& step : program.steps)
    if (const work::Sum* sum = sum_of(step.work))
      if (sum->w_scales.size() > 1) return true;
  return false;
}

}  // namespace

std::vector<HardwareVariant> pitfall_variants(const Program& exact, std::uint64_t seed) {
  on_hardware(exact, {});
  std::vector<HardwareVariant> variants;
  for (const Pitfall& pitfall : standard_pitfalls(seed)) {
    HardwareVariant& added = variants.emplace_back();
    added.name = pitfall.name;
    try {
      added.variant = Variant{on_hardware(exact, pitfall.hardware), pitfall.hardware.arithmetic};
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUsage) throw;
      added.note = error.message();
    }
  }
  return variants;
}

HardwareVariant unfused_variant(const Program& exact, const Model& float_model, SampleStream& samples,
                                UnfusedOptions options) {
  options.per_channel = has_per_channel_weights(exact);
  return {kUnfusedName, "", Variant{lower(unfused_model(float_model, samples, options), Policy::kAsWritten), {}}};
}

std::vector<HardwareVariant> hardware_variants(const Program& exact, const std::vector<HardwareAxis>& axes,
                                               std::uint64_t seed) {
  const std::vector<HardwareSetting> settings = settings_of(axes, seed);
  std::size_t seeds = 1;
  for (const HardwareAxis& axis : axes)
    if (axis.name == kSeedAxis) seeds = axis.choices.size();
  if (settings.size() > seeds)
    fail(ErrorCode::kUsage, "{} combinations of values, wanted one; octet sweep takes lists", settings.size() / seeds);
  std::vector<HardwareVariant> variants;
  for (const HardwareSetting& setting : settings)
    variants.push_back(
        {name_of(setting, axes), "", Variant{on_hardware(exact, setting.hardware), setting.hardware.arithmetic}});
  return variants;
}

double share_right(const DamageReport& report, const Damage& damage) {
  if (report.labelled) return damage.score.accuracy();
  const Agreement agreement = compare(report.exact, damage.score);
  return 100.0 * static_cast<double>(agreement.same_prediction) / static_cast<double>(agreement.samples);
}

std::optional<Spread> spread_of(const DamageReport& report) {
  std::vector<double> shares;
  for (const DamageRow& row : report.rows)
    if (row.damage) shares.push_back(share_right(report, *row.damage));
  return shares.size() < 2 ? std::nullopt : std::optional(spread_of(shares));
}

DamageReport simulate_hardware(const Program& exact, const std::vector<HardwareVariant>& variants,
                               SampleStream& samples, const SimulateOptions& options) {
  std::vector<Variant> applied;
  for (const HardwareVariant& variant : variants)
    if (variant.variant) applied.push_back(*variant.variant);
  Simulated simulated = simulate(exact, applied, samples, options);
  DamageReport report{.labelled = simulated.labelled, .exact = std::move(simulated.exact), .rows = {}};
  std::size_t next = 0;
  for (const HardwareVariant& variant : variants) {
    report.rows.push_back({variant.name, variant.note, std::nullopt});
    if (variant.variant) report.rows.back().damage = std::move(simulated.damages[next++]);
  }
  return report;
}

}  // namespace octet
