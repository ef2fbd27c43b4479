// table.h: rows of text in aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "octet/text/fit.h"

namespace octet {

class Table {
 public:
  enum class Fit {
    kWhole,    // as it is, where a line can hold it
    kShorten,  // a long text loses its middle: "features/…/conv_12"
    kWrap,     // continues on the next line, at spaces
  };
  struct Column {
    std::string title;
    Fit fit = Fit::kWhole;
    bool right = false;      // aligned, for numbers
    std::size_t least = 12;  // columns of the terminal that a text which may be cut keeps
  };

  explicit Table(std::vector<Column> columns);

  // One text per column; what is missing is empty.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }

  // Titles and rows, two spaces between columns, no line longer than `width`; columns in which no row has a text are
  // left out. Where the columns do not fit beside one another, the last ones of every row go to a line of their own,
  // indented, and so do their titles. A width of 0 cuts nothing.
  std::string text(std::size_t width) const;

 private:
  using Line = std::vector<std::size_t>;  // the columns that stand beside one another

  std::vector<std::size_t> natural_widths() const;
  std::size_t least_width(std::size_t column, std::size_t natural) const;
  std::vector<Line> lines(const std::vector<std::size_t>& natural, std::size_t width) const;
  void shrink(const Line& line, std::size_t width, std::vector<std::size_t>& room) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace octet
