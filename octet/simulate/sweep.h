// sweep.h: hardware with every combination of some properties, simulated on samples; as CSV, JSON and a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "octet/simulate/damage_report.h"
#include "octet/simulate/hardware_axes.h"
#include "octet/simulate/simulate.h"
#include "octet/simulate/spread.h"

namespace octet {

struct Sweep {
  std::vector<HardwareAxis> axes;
  std::vector<HardwareSetting> settings;  // every combination, the last axis changing fastest
  Simulated simulated;                    // a damage for each of them

  const HardwareChoice& choice(std::size_t setting, std::size_t axis) const {
    return axes[axis].choices[settings[setting].choices[axis]];
  }
};

// Of the settings that differ from this one in the seed alone: accuracy in percent, or without labels the share of samples with
// the prediction of the exact program.
Spread spread_over_seeds(const Sweep& sweep, std::size_t setting);
bool has_seeds(const Sweep& sweep);

// Throws kUsage for no axes, for too many combinations, and for a property that changes nothing in this program.
Sweep sweep(const Program& exact, std::vector<HardwareAxis> axes, std::uint64_t seed, SampleStream& samples,
            const SimulateOptions& options = {});

// One row per setting; RFC 4180 with lines that end in \n.
std::string sweep_csv(const Sweep& sweep, const Program& exact);

// docs/schemas/sweep.schema.json
std::string sweep_json(const Sweep& sweep, const Program& exact, const SimulationSource& source);

// The first swept axis of numbers. Throws kUsage where there is none.
std::size_t plotted_axis(const std::vector<HardwareAxis>& axes);
// Accuracy over the plotted axis, a line for every combination of the others, as SVG. Requires labels.
std::string sweep_picture(const Sweep& sweep);

}  // namespace octet
