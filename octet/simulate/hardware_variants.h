// hardware_variants.h: hardware that computes otherwise, named, simulated and counted row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octet/simulate/hardware_axes.h"
#include "octet/simulate/simulate.h"
#include "octet/simulate/spread.h"
#include "octet/simulate/unfused.h"

namespace octet {

// What is to be simulated.
struct HardwareVariant {
  std::string name;
  std::string note = {};                // why it does not apply
  std::optional<Variant> variant = {};  // only where it does
};

// The standard list of mistakes (pitfalls.h); one without use for this program has a note. Throws kUsage for a program without integer steps.
std::vector<HardwareVariant> pitfall_variants(const Program& exact, std::uint64_t seed);

// 8 bits after every node of the float model that `exact` was quantized from, with scales per channel where `exact` has them.
HardwareVariant unfused_variant(const Program& exact, const Model& float_model, SampleStream& samples,
                                UnfusedOptions options = {});
inline constexpr const char* kUnfusedName = "8 bits between Conv, BatchNormalization and Relu";

// The one setting that these options say, once for each seed. Throws kUsage for several settings.
std::vector<HardwareVariant> hardware_variants(const Program& exact, const std::vector<HardwareAxis>& axes,
                                               std::uint64_t seed);

// What became of a variant.
struct DamageRow {
  std::string name, note;
  std::optional<Damage> damage;  // nothing where it does not apply
};

struct DamageReport {
  bool labelled = true;  // without labels, scores say only what was predicted
  Score exact;
  std::vector<DamageRow> rows;  // one per variant
};

// Accuracy in percent, or without labels the share of samples with the prediction of the exact program.
double share_right(const DamageReport& report, const Damage& damage);
// Over all rows that apply; nothing for fewer than two.
std::optional<Spread> spread_of(const DamageReport& report);

// simulate() of those that apply.
DamageReport simulate_hardware(const Program& exact, const std::vector<HardwareVariant>& variants,
                               SampleStream& samples, const SimulateOptions& options = {});

}  // namespace octet
