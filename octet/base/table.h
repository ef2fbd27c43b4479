// table.h: rows of text in aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace octet {

class Table {
 public:
  enum class Fit {
    kWhole,    // never cut
    kShorten,  // a long text loses its middle: "features/…/conv_12"
    kWrap,     // continues on the next line; for the last column
  };
  struct Column {
    std::string title;
    Fit fit = Fit::kWhole;
    bool right = false;      // aligned, for numbers
    std::size_t least = 12;  // no narrower, however long the line becomes
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One text per column; what is missing is empty.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }

  // Titles and rows, two spaces between columns, no line longer than `width` where the columns' fits allow it; columns
  // in which no row has a text are left out. A width of 0 cuts nothing.
  std::string text(std::size_t width) const;

 private:
  std::vector<std::size_t> widths(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// At most `width` characters, the middle replaced by "…".
std::string shorten(const std::string& text, std::size_t width);

}  // namespace octet
