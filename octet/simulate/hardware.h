// hardware.h: what a piece of hardware does otherwise than the exact integer program.
//
// Part of it is another Arithmetic; the rest is another program: the same steps with other constants. Nothing applies to
// QuantizeLinear and DequantizeLinear at the border, which are the host's.
#pragma once

#include "octet/program/program.h"
#include "octet/spec/arithmetic.h"

namespace octet {

struct Hardware {
  Arithmetic arithmetic;
  bool half_scales = false;          // scales are stored as float16
  bool uncorrected = false;          // sums of raw bytes times weights: x_zero_point is never subtracted
  bool pads_with_zero_byte = false;  // padding reads as the byte 0, not as x's zero point
  bool first_scale_for_all = false;  // of the weights: that of channel 0
};

// The program as the hardware computes it. Throws kUsage for a switch that changes nothing, saying why: it would look
// harmless.
Program on_hardware(Program program, const Hardware& hardware);

}  // namespace octet
