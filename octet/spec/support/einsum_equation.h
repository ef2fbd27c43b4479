// einsum_equation.h: the equations of Einsum, "bij,bjk->bik".
//
// A term has a letter per axis of its input, the same letter for axes that walk together; "..." stands for as many axes
// as are left. Behind "->" stand the axes of the result; letters that are not there are summed over. Without "->" the
// result has the axes of "...", then the letters that occur once, in alphabetical order. Spaces do not count.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace octet {

using AxisLabels = std::vector<int>;  // letters as their codes; the axes of "..." as -1 for the last, -2 before it, ...

struct EinsumEquation {
  std::vector<AxisLabels> inputs;
  AxisLabels output;
};

// The equation for inputs of these ranks. Throws kConstraint with `label` where the two do not fit, or the equation
// can't be read.
EinsumEquation parse_einsum(std::string_view equation, const std::vector<std::size_t>& ranks, std::string_view label);

}  // namespace octet
