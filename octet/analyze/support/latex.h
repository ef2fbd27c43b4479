// latex.h: formulas as LaTeX, for GitHub.
#pragma once

#include <string>
#include <string_view>

namespace octet {

// "(x_scale * w_scale) / y_scale" as "(\mathrm{x\_scale} \cdot \mathrm{w\_scale}) / \mathrm{y\_scale}": names of
// several letters stand upright, functions (a name before a parenthesis) too, 2^-12 gets its braces, and what LaTeX
// reserves is escaped.
std::string latex(std::string_view formula);

}  // namespace octet
