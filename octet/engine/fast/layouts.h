// layouts.h: which values stand with their channels last.
#pragma once

#include <vector>

#include "octet/engine/fast/kernel.h"

namespace octet::fast {

// By ValueId: type, shape and layout of every value whose type and shape are known. What convolutions and pools make and
// read has its channels last, and so has what is computed of that element by element: nothing is transposed but at the borders.
std::vector<Operand> lay_out(const Program& program);

// Whether the step computes each element of its results from the same element of its inputs, and single numbers: then it
// runs in any layout, by its operations too.
bool runs_in_any_layout(const Program& program, const Step& step);

// From one layout into the other, of elements of any size.
void change_layout(const Simd& simd, const Operand& operand, Layout from, const std::byte* x, std::byte* y);

}  // namespace octet::fast
