// chart.h: what Octet's charts share: SVG pictures that read on light and dark pages.
#pragma once

#include <string>
#include <string_view>

namespace octet {

// The colour of series number `index`; after six they come again.
std::string_view chart_colour(std::size_t index);

// Text within SVG.
std::string svg_escaped(const std::string& text);

// The opening of a picture, its style and its title.
std::string chart_head(double width, double height, const std::string& title);

// One entry of a legend in the line under the title, at *x, which moves behind it.
std::string legend_entry(double& x, std::size_t index, const std::string& name);

// 1, 2 or 5 times a power of ten, so that a scale from 0 to `largest` has five lines or so.
double line_distance(double largest);

}  // namespace octet
