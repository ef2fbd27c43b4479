// bar_chart.h: groups of bars as an SVG picture that reads on light and dark pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace octet {

struct BarChart {
  std::string title, unit;
  std::vector<std::string> series;  // one bar of each in every group; at most six
  struct Group {
    std::string name;
    std::vector<std::optional<double>> values;  // one per series
  };
  std::vector<Group> groups;

  std::string svg() const;
};

}  // namespace octet
