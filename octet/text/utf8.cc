#include "octet/text/utf8.h"

#include <fmt/core.h>

#include "octet/text/characters.h"

namespace octet {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_code_point(std::uint32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

struct Sequence {
  std::size_t length;  // of the bytes that make up the code point; 1 where they do not
  char32_t code_point;
};

Sequence first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {1, kReplacement};
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {1, kReplacement};
    value = value << 6 | (next & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || !is_code_point(value)) return {1, kReplacement};
  return {length, value};
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const Sequence sequence = first(text);
    points += sequence.code_point;
    text.remove_prefix(sequence.length);
  }
  return points;
}

void append_utf8(std::string& text, std::uint32_t value) {
  if (!is_code_point(value)) value = kReplacement;
  const auto push = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (value < 0x80) {
    push(value);
  } else if (value < 0x800) {
    push(0xC0 | value >> 6);
    push(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    push(0xE0 | value >> 12);
    push(0x80 | (value >> 6 & 0x3F));
    push(0x80 | (value & 0x3F));
  } else {
    push(0xF0 | value >> 18);
    push(0x80 | (value >> 12 & 0x3F));
    push(0x80 | (value >> 6 & 0x3F));
    push(0x80 | (value & 0x3F));
  }
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char32_t point : decode_utf8(text)) {
    const auto value = static_cast<std::uint32_t>(point);
    if (!is_hidden(point))
      append_utf8(result, value);
    else if (point == U'\n')
      result += "\\n";
    else if (value < 0x100)
      result += fmt::format("\\x{:02x}", value);
    else if (value < 0x10000)
      result += fmt::format("\\u{:04x}", value);
    else
      result += fmt::format("\\U{:08x}", value);
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t end = text.find('\n');
    result += printable(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace octet
