// row_chart.h: one bar in each row, a long name before it and its value behind, as an SVG picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace octet {

struct RowChart {
  std::string title, unit;
  struct Row {
    std::string name;
    std::optional<double> value;  // not below 0; nothing: `text` alone
    std::string text;             // behind the bar
  };
  std::vector<Row> rows;

  std::string svg() const;
};

}  // namespace octet
