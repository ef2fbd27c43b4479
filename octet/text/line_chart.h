// line_chart.h: lines over a number, as an SVG picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace octet {

struct LineChart {
  std::string title, x_name, y_name;
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;  // by ascending x
  };
  std::vector<Series> series;  // each has a point

  // The vertical axis reaches from 0, or from the smallest number, to the largest.
  std::string svg() const;
};

}  // namespace octet
