#include "octet/draw/support/markup.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "octet/draw/support/style.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

constexpr std::string_view kTable = R"(<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">)";
constexpr char kSpace[] = R"(<TD WIDTH="4"></TD>)";  // keeps text off a wire or a badge

constexpr std::size_t kLongestNodeTitle = 60;  // "convolution 3×3, stride 2, group 192, dynamic 8 bits" fits

std::string faint(const std::string& markup) {
  return fmt::format(R"(<FONT COLOR="{}">{}</FONT>)", kFaintColour, markup);
}

// Names come from files, and may be as long as they please.
std::string short_text(std::string_view text, std::size_t most = 44) { return escaped(shorten(printable(text), most)); }

std::string badge_cell(std::string_view text) {
  return fmt::format(R"(<TD CELLPADDING="1" BGCOLOR="{}"><FONT COLOR="#ffffff" POINT-SIZE="7">{}</FONT></TD>)",
                     kBadgeColour, short_text(text));
}

std::string row(const std::string& cells) { return "<TR>" + cells + "</TR>"; }
std::string cell(const std::string& markup) { return R"(<TD ALIGN="LEFT">)" + markup + "</TD>"; }

std::string line_row(const PictureLine& line) {
  if (line.badge.empty()) return row(cell(short_text(line.text)));
  return row(
      cell(fmt::format("{}{}</TABLE>", kTable, row(cell(short_text(line.text)) + kSpace + badge_cell(line.badge)))));
}

std::string swatch(const NodeStyle& style, bool dashed) {
  return fmt::format(R"(<TD BORDER="1" FIXEDSIZE="TRUE" WIDTH="22" HEIGHT="13" BGCOLOR="{}" COLOR="{}"{}></TD>)",
                     style.fill, style.line, dashed ? R"( STYLE="dashed")" : "");
}

std::string stroke(const WireStyle& style) {
  return fmt::format(R"(<TD SIDES="B" BORDER="{}" STYLE="{}" COLOR="{}" FIXEDSIZE="TRUE" WIDTH="22" HEIGHT="8"></TD>)",
                     style.width > 2 ? 3 : 2, style.stroke, style.line);
}

// A sample beside what it means.
std::string entry(const std::string& sample, std::string_view text) {
  return cell(fmt::format("{}{}</TABLE>", kTable, row(sample))) + cell(escaped(text));
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char32_t point : decode_utf8(printable(text))) {
    switch (point) {
      case U'&': result += "&amp;"; break;
      case U'<': result += "&lt;"; break;
      case U'>': result += "&gt;"; break;
      case U'"': result += "&quot;"; break;
      case 0xFFFE:
      case 0xFFFF: result += "\uFFFD"; break;
      default: append_utf8(result, point);
    }
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : xml_escaped(text)) result += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return result;
}

std::string wire_markup(const PictureWire& wire) {
  std::string rows;
  for (const PictureLine& line : wire.lines)
    rows += row(kSpace + cell(short_text(line.text)) + (line.badge.empty() ? "" : badge_cell(line.badge)));
  return fmt::format("{}{}</TABLE>", kTable, rows);
}

std::string node_markup(const PictureNode& node) {
  std::string rows =
      row(cell(fmt::format("<B>{}</B>", short_text(node.title.empty() ? "?" : node.title, kLongestNodeTitle))));
  if (!node.name.empty() && node.name != node.title) rows += row(cell(faint(short_text(node.name))));
  for (const PictureLine& line : node.lines) rows += line_row(line);
  return fmt::format("{}{}</TABLE>", kTable, rows);
}

std::string caption_markup(const Picture& picture, double width) {
  std::set<NodeKind> nodes;
  std::set<WireKind> wires;
  bool floating = false, badges = false;
  const auto has_badge = [](const PictureLine& line) { return !line.badge.empty(); };
  for (const PictureNode& node : picture.nodes) {
    nodes.insert(node.kind);
    floating = floating || node.floating;
    badges = badges || std::any_of(node.lines.begin(), node.lines.end(), has_badge);
  }
  for (const PictureWire& wire : picture.wires) {
    wires.insert(wire.kind);
    badges = badges || std::any_of(wire.lines.begin(), wire.lines.end(), has_badge);
  }
  std::vector<std::string> entries;
  for (const NodeKind kind : nodes)
    if (kind != NodeKind::kFork)
      entries.push_back(entry(swatch(style_of(kind), kind == NodeKind::kElsewhere), name(kind)));
  if (floating) entries.push_back(entry(swatch({"#ffffff", kTextColour, "box"}, true), "computes on floats"));
  for (const WireKind kind : wires) entries.push_back(entry(stroke(style_of(kind)), name(kind)));
  if (badges) entries.push_back(entry(badge_cell("n scales"), "per channel"));
  constexpr double kEntry = 130, kLetter = 6;  // roughly, in pixels; a row as wide as what stands above and below it
  std::size_t letters = picture.title.size() * 4 / 3;
  for (const std::string& remark : picture.remarks) letters = std::max(letters, remark.size());
  const double room = std::max(std::min(width, 7 * kEntry), kLetter * static_cast<double>(letters));
  const auto per_row = static_cast<std::size_t>(std::clamp(room / kEntry, 2.0, 7.0));
  const auto wide = [&](const std::string& markup) {
    return row(fmt::format(R"(<TD COLSPAN="{}" ALIGN="LEFT">{}</TD>)", 2 * per_row, markup));
  };
  std::string rows = wide(fmt::format(R"(<FONT POINT-SIZE="12"><B>{}</B></FONT>)", short_text(picture.title, 90)));
  for (std::size_t i = 0; i < entries.size(); i += per_row) {
    std::string cells;
    for (std::size_t k = i; k < std::min(i + per_row, entries.size()); ++k) cells += entries[k];
    rows += row(cells);
  }
  for (const std::string& remark : picture.remarks) rows += wide(faint(escaped(remark)));
  return fmt::format(R"(<TABLE BORDER="1" COLOR="#d0d7de" CELLBORDER="0" CELLSPACING="2" CELLPADDING="2">{}</TABLE>)",
                     rows);
}

}  // namespace octet
