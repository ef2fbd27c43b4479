// step_fields.h: the description of a step of the accelerator: one table for the words that Octet writes and for the
// Verilog that takes them apart (hardware/octet_accelerator.v).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "octet/export/accelerator.h"

namespace octet {

// As wide as a count or an address of the network: the parameter FIELD_BITS of hardware/octet_accelerator.v.
inline constexpr int kFieldBits = 0;

// One number of a description. Negative numbers wrap to its bits.
struct StepField {
  std::string_view name;  // in Verilog
  int bits;               // or kFieldBits
  bool is_signed;
  std::int64_t (*value)(const Accelerator& accelerator, const AcceleratorStep& step);
};

// The highest bits of a description come first.
std::span<const StepField> step_fields();

// The wires of the fields and their assignment, as hardware/octet_accelerator.v has them; a test holds that file to it.
std::string step_fields_verilog();

}  // namespace octet
