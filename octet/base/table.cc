#include "octet/base/table.h"

#include <algorithm>

#include "octet/base/utf8.h"

namespace octet {
namespace {

constexpr std::size_t kGap = 2, kIndent = 2;

std::string encode(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) append_utf8(text, point);
  return text;
}

// Lines of at most `width` characters, broken at spaces where there are any, all but the first indented. 0: one line.
std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::u32string rest = decode_utf8(text);
  std::vector<std::string> lines;
  while (width > 0 && rest.size() > width) {
    std::size_t cut = rest.rfind(U' ', width);
    if (cut == std::u32string::npos || cut <= kIndent) cut = width;
    lines.push_back(encode(rest.substr(0, cut)));
    rest.erase(0, cut + (rest[cut] == U' ' ? 1 : 0));
    rest.insert(0, kIndent, U' ');
  }
  lines.push_back(encode(rest));
  return lines;
}

}  // namespace

std::string shorten(const std::string& text, std::size_t width) {
  const std::u32string points = decode_utf8(text);
  if (points.size() <= width || width == 0) return text;
  const std::size_t tail = width / 2, head = width - 1 - tail;
  return encode(points.substr(0, head)) + "…" + encode(points.substr(points.size() - tail));
}

void Table::add(std::vector<std::string> row) {
  row.resize(columns_.size());
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

// Each column as wide as its longest text, 0 where there is none; then, while the line is too long, the widest column
// that may be cut gives way.
std::vector<std::size_t> Table::widths(std::size_t width) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    result.push_back(0);
    for (const auto& row : rows_) result[i] = std::max(result[i], decode_utf8(row[i]).size());
    if (result[i] > 0) result[i] = std::max(result[i], decode_utf8(columns_[i].title).size());
  }
  if (width == 0) return result;
  for (;;) {
    std::size_t line = 0;
    for (const std::size_t column : result)
      if (column > 0) line += (line > 0 ? kGap : 0) + column;
    if (line <= width) return result;
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool gives = columns_[i].fit != Fit::kWhole && result[i] > columns_[i].least;
      if (gives && (widest == columns_.size() || result[i] > result[widest])) widest = i;
    }
    if (widest == columns_.size()) return result;
    --result[widest];
  }
}

std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> room = widths(width);
  std::string result;
  const auto add_line = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (room[i] == 0) continue;
      const std::string cell = cell_at(i);
      const std::string padding(room[i] - std::min(room[i], decode_utf8(cell).size()), ' ');
      if (!line.empty()) line.append(kGap, ' ');
      line += columns_[i].right ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  };

  if (std::any_of(columns_.begin(), columns_.end(), [](const Column& column) { return !column.title.empty(); }))
    add_line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].fit == Fit::kWrap)
        cells.push_back(wrap(row[i], width ? room[i] : 0));
      else
        cells.push_back({shorten(row[i], room[i])});
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t line = 0; line < lines; ++line)
      add_line([&](std::size_t i) { return line < cells[i].size() ? cells[i][line] : std::string(); });
  }
  return result;
}

}  // namespace octet
