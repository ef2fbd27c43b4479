#include "octet/text/table.h"

#include <algorithm>
#include <map>
#include <set>

#include "octet/text/utf8.h"

namespace octet {
namespace {

constexpr std::size_t kColumnGap = 2, kIndent = 2;

// The narrowest column in which a text wraps without breaking a word; all but the first may have to be indented.
std::size_t width_of_words(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t word = display_width(std::string_view(text).substr(begin, end - begin));
    widest = std::max(widest, (begin > 0 ? kIndent : 0) + word);
    begin = end + 1;
  }
  return widest;
}

// At most `width` columns, what is between the first `head` of them and the rest replaced by "…". The width of text that may be
// cut is that of its characters where all have one column; others are cut in the middle.
std::string cut_behind(const std::string& text, std::size_t width, std::size_t head) {
  if (text.size() <= width || display_width(text) != text.size()) return shorten(text, width);
  return text.substr(0, head) + "…" + text.substr(text.size() - (width - 1 - head));
}

// The texts of a column as they are shown: each loses its middle, or, where several would look alike, another part by which they
// differ.
std::map<std::string, std::string> shortened(const std::vector<std::vector<std::string>>& rows, std::size_t column,
                                             std::size_t width) {
  std::map<std::string, std::set<std::string>> alike;  // texts by what is shown of them
  for (const auto& row : rows) alike[shorten(row[column], width)].insert(row[column]);
  std::map<std::string, std::string> shown;
  for (const auto& [text, same] : alike) {
    for (const std::string& one : same) shown[one] = text;
    for (std::size_t head = width; same.size() > 1 && head-- > 0;) {
      std::set<std::string> parts;
      for (const std::string& one : same) parts.insert(cut_behind(one, width, head));
      if (parts.size() < same.size()) continue;
      for (const std::string& one : same) shown[one] = cut_behind(one, width, head);
      break;
    }
  }
  return shown;
}

// Continuation lines of a row are indented.
std::size_t indent_of(std::size_t line) { return line > 0 ? kIndent : 0; }

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = printable(column.title);
}

void Table::add(std::vector<std::string> row) {
  row.resize(columns_.size());
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

// Each column as wide as its longest text or its title, 0 where no row has a text.
std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = 0;
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    widths.push_back(width > 0 ? std::max(width, display_width(columns_[i].title)) : 0);
  }
  return widths;
}

// Down to which a column may shrink: a text that wraps keeps its words whole.
std::size_t Table::least_width(std::size_t column, std::size_t natural) const {
  const Column& c = columns_[column];
  if (c.fit == Fit::kWhole) return natural;
  std::size_t least = std::max(c.least, display_width(c.title));
  if (c.fit == Fit::kWrap)
    for (const auto& row : rows_) least = std::max(least, width_of_words(row[column]));
  return std::min(least, natural);
}

std::vector<Table::Line> Table::lines(const std::vector<std::size_t>& natural, std::size_t width) const {
  std::vector<Line> result(1);
  std::size_t used = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (natural[i] == 0) continue;
    const std::size_t least = least_width(i, natural[i]);
    if (width > 0 && used > 0 && used + kColumnGap + least > width) {
      result.emplace_back();
      used = 0;
    }
    used += (result.back().empty() ? indent_of(result.size() - 1) : kColumnGap) + least;
    result.back().push_back(i);
  }
  return result;
}

// While the line is too long, the widest of its columns that may be cut gives way; at last a column that is too wide for
// a line of its own.
void Table::shrink(const Line& line, std::size_t width, std::vector<std::size_t>& room) const {
  std::size_t total = (line.size() - 1) * kColumnGap;
  std::vector<std::size_t> least(columns_.size());
  for (const std::size_t i : line) total += room[i], least[i] = least_width(i, room[i]);
  while (total > width) {
    std::size_t widest = columns_.size();
    for (const std::size_t i : line)
      if (room[i] > least[i] && (widest == columns_.size() || room[i] > room[widest])) widest = i;
    if (widest == columns_.size()) break;
    --room[widest];
    --total;
  }
  if (line.size() == 1) room[line[0]] = std::min(room[line[0]], width);
}

std::string Table::text(std::size_t width) const {
  std::vector<std::size_t> room = natural_widths();
  const std::vector<Line> layout = lines(room, width);
  for (std::size_t l = 0; l < layout.size(); ++l)
    if (width > 0 && !layout[l].empty()) shrink(layout[l], width - std::min(width, indent_of(l)), room);

  std::map<std::size_t, std::map<std::string, std::string>> shown;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].fit == Fit::kShorten) shown[i] = shortened(rows_, i, room[i]);

  std::string result;
  // What stands beside one another, each text in as many lines as it takes.
  const auto add_texts = [&](std::size_t l, const std::vector<std::vector<std::string>>& texts) {
    std::size_t height = 0;
    for (const auto& text : texts) height = std::max(height, text.size());
    for (std::size_t h = 0; h < height; ++h) {
      std::string line(indent_of(l), ' ');
      for (std::size_t c = 0; c < texts.size(); ++c) {
        const std::string text = h < texts[c].size() ? texts[c][h] : std::string();
        const std::size_t column = layout[l][c], used = display_width(text);
        const std::string padding(room[column] - std::min(room[column], used), ' ');
        if (c > 0) line.append(kColumnGap, ' ');
        line += columns_[column].right ? padding + text : text + padding;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      result += line + "\n";
    }
  };
  const auto add_row = [&](const auto& cell_at, bool titles) {
    for (std::size_t l = 0; l < layout.size(); ++l) {
      std::vector<std::vector<std::string>> texts;
      bool any = false;
      for (const std::size_t i : layout[l]) {
        const std::string& cell = cell_at(i);
        any = any || !cell.empty();
        texts.push_back(columns_[i].fit == Fit::kShorten && !titles ? std::vector{shown[i].at(cell)}
                                                                    : wrap(cell, width > 0 ? room[i] : 0, kIndent));
      }
      if (any) add_texts(l, texts);
    }
  };

  add_row([&](std::size_t i) -> const std::string& { return columns_[i].title; }, true);
  for (const auto& row : rows_) add_row([&](std::size_t i) -> const std::string& { return row[i]; }, false);
  return result;
}

}  // namespace octet
