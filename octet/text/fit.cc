#include "octet/text/fit.h"

#include "octet/text/characters.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

std::string encode(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) append_utf8(text, point);
  return text;
}

std::size_t columns(std::u32string_view points) {
  std::size_t sum = 0;
  for (const char32_t point : points) sum += static_cast<std::size_t>(columns_of(point));
  return sum;
}

// How many of the first points, and how many of the last, fit into `width` columns.
std::size_t fitting_head(std::u32string_view points, std::size_t width) {
  std::size_t count = 0;
  for (std::size_t sum = 0; count < points.size(); ++count) {
    sum += static_cast<std::size_t>(columns_of(points[count]));
    if (sum > width) break;
  }
  return count;
}
std::size_t fitting_tail(std::u32string_view points, std::size_t width) {
  std::size_t count = 0;
  for (std::size_t sum = 0; count < points.size(); ++count) {
    sum += static_cast<std::size_t>(columns_of(points[points.size() - 1 - count]));
    if (sum > width) break;
  }
  return count;
}

}  // namespace

std::size_t display_width(std::string_view text) { return columns(decode_utf8(text)); }

std::string shorten(const std::string& text, std::size_t width) {
  const std::u32string points = decode_utf8(text);
  if (width == 0 || columns(points) <= width) return text;
  const std::u32string_view all = points;
  const std::size_t tail = width / 2, head = width - 1 - tail;
  return encode(all.substr(0, fitting_head(all, head))) + "…" +
         encode(all.substr(all.size() - fitting_tail(all, tail)));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::u32string points = decode_utf8(text);
  std::u32string_view rest = points;
  std::vector<std::string> lines;
  std::string margin;
  for (;;) {
    const std::size_t fitting = width == 0 ? rest.size() : fitting_head(rest, width - margin.size());
    if (fitting == rest.size()) break;
    std::size_t cut = rest.rfind(U' ', fitting);
    if (cut == std::u32string_view::npos || rest.find_first_not_of(U' ') > cut) cut = fitting > 0 ? fitting : 1;
    lines.push_back(margin + encode(rest.substr(0, cut)));
    rest.remove_prefix(cut);
    if (rest.starts_with(U' ')) rest.remove_prefix(1);
    if (width > 2 * indent) margin.assign(indent, ' ');
  }
  lines.push_back(margin + encode(rest));
  return lines;
}

}  // namespace octet
