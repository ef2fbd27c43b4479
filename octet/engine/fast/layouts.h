// layouts.h: the layouts of a plan's values, and how one becomes the other.
#pragma once

#include <vector>

#include "octet/engine/fast/kernel.h"
#include "octet/program/layouts.h"

namespace octet::fast {

// By ValueId: type, shape and layout of every value whose type and shape are known. Kernels that want the other layout
// get copies in it.
std::vector<Operand> lay_out(const Program& program);

// From one layout into the other, of elements of any size.
void change_layout(const Simd& simd, const Operand& operand, Layout from, const std::byte* x, std::byte* y);

}  // namespace octet::fast
