#include "octet/text/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "octet/text/characters.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

constexpr std::size_t kShortLine = 100;

std::string one_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool is_list_of_plain_values(const Json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(), [](const Json& v) { return v.is_structured(); });
}

void append(std::string& text, const Json& value, std::size_t indent) {
  const bool plain = !value.is_structured() || value.empty() || is_list_of_plain_values(value);
  if (plain) {
    text += one_line(value);
    return;
  }
  // A report's outer levels are never short; trying them would print everything once per level.
  if (indent >= 4) {
    const std::string line = one_line(value);
    if (line.size() <= kShortLine) {
      text += line;
      return;
    }
  }
  const std::string margin(indent + 2, ' ');
  const bool object = value.is_object();
  text += object ? "{" : "[";
  bool first = true;
  for (const auto& item : value.items()) {
    text += first ? "\n" : ",\n";
    first = false;
    text += margin;
    if (object) text += one_line(item.key()) + ": ";
    append(text, item.value(), indent + 2);
  }
  text += '\n';
  text.append(indent, ' ');
  text += object ? '}' : ']';
}

// Hidden characters of its strings as JSON's own escapes: the same values, and nothing that a terminal acts on. Line
// breaks are the layout's.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char32_t point : decode_utf8(text)) {
    const auto value = static_cast<std::uint32_t>(point);
    if (point == U'\n' || !is_hidden(point))
      append_utf8(result, value);
    else if (value < 0x10000)
      result += fmt::format("\\u{:04x}", value);
    else  // a pair of surrogates
      result += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (value >> 10), 0xDC00 + (value & 0x3FF));
  }
  return result;
}

template <typename Real>
Json finite_or_name(Real value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return static_cast<double>(value);
}

}  // namespace

Json json_number(double value) { return finite_or_name(value); }

Json json_number(float value) {
  if (!std::isfinite(value)) return finite_or_name(value);
  // The double nearest to float32's shortest decimal prints as that decimal.
  std::array<char, 32> digits;
  const char* end = std::to_chars(digits.begin(), digits.end(), value).ptr;
  double shortest = 0;
  std::from_chars(digits.begin(), end, shortest);
  return shortest;
}

std::string json_text(const Json& value) {
  std::string text;
  append(text, value, 0);
  return escaped(text) + "\n";
}

}  // namespace octet
