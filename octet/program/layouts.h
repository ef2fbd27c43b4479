// layouts.h: which values have their channels last in memory, [N, spatial..., C] of what is declared as [N, C, spatial...].
#pragma once

#include <functional>
#include <vector>

#include "octet/program/program.h"

namespace octet {

// Whether [N, C, spatial...] and [N, spatial..., C] are the same order in memory: one pixel, one channel, or no spatial axes.
bool layouts_coincide(const Shape& shape);

// How values are stored for those who run the steps.
struct LayoutRules {
  // Whether a step that wants the other layout gets a copy in it. Otherwise a value has its channels last only where every
  // step that reads or makes it takes that, and inputs and outputs of the program have the declared layout.
  bool copies = false;
  // Whether a step whose work does not tell runs in any layout.
  std::function<bool(const Step&)> takes_any;
};

// By ValueId. Convolutions and pools want their channels last, and what works element by element follows its operands, so
// that nothing is transposed in between. Values whose shape is not known, constants, inputs of the program and values
// without an image (fewer than three dimensions) have the declared layout.
std::vector<bool> channels_last(const Program& program, const LayoutRules& rules);

// Whether the step computes each element of its results from the same element of its inputs, and single numbers: then it
// runs in any layout, with or without a kernel.
bool runs_in_any_layout(const Program& program, const Step& step);

}  // namespace octet
