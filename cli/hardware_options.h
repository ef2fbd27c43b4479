// hardware_options.h: the options that say how a piece of hardware computes.
#pragma once

#include "cli/parser.h"
#include "octet/simulate/hardware_axes.h"

namespace octet::cli {

void add_hardware_options(CommandLine line, HardwareOptions& options);

// Says what happens beyond the bits of --accumulator where that was left open.
void note_overflow(const HardwareOptions& options);

// Why --seed is not used where is_random() says no.
inline constexpr const char* kNoLots = "nothing is drawn by lot without --rounding stochastic or --weight-noise";

}  // namespace octet::cli
