#include "octet/draw/support/titles.h"

#include <charconv>
#include <optional>

#include "octet/draw/support/markup.h"
#include "octet/text/table.h"
#include "octet/text/utf8.h"

namespace octet {
namespace {

constexpr std::size_t kLongestTitle = 300;

// The number that stands behind a prefix.
std::optional<std::size_t> number_behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// `id` is the element's, `own` what Graphviz calls it: as dot_text() has named them.
std::string title_of(const Picture& picture, std::string_view id, std::string_view own) {
  if (own == "octet") return picture.title;
  if (const auto wire = number_behind(id, "w"); wire && *wire < picture.wires.size()) return picture.wires[*wire].name;
  if (const auto frame = number_behind(own, "cluster_frame"); frame && *frame - 1 < picture.frames.size())
    return picture.frames[*frame - 1].title;
  if (const auto node = number_behind(own, "n"); node && *node < picture.nodes.size())
    return picture.nodes[*node].name.empty() ? picture.nodes[*node].title : picture.nodes[*node].name;
  return {};
}

}  // namespace

std::string with_titles(std::string_view svg, const Picture& picture) {
  constexpr std::string_view kOpen = "<title>", kClose = "</title>\n", kGroup = "<g id=\"";
  std::string result;
  for (;;) {
    const std::size_t open = svg.find(kOpen), close = svg.find(kClose, open == svg.npos ? 0 : open);
    if (open == svg.npos || close == svg.npos) break;
    const std::size_t group = svg.rfind(kGroup, open);
    const std::string_view id = group == svg.npos ? "" : svg.substr(group + kGroup.size());
    result += svg.substr(0, open);
    const std::string title =
        title_of(picture, id.substr(0, id.find('"')), svg.substr(open + kOpen.size(), close - open - kOpen.size()));
    if (!title.empty()) {
      result += kOpen;
      result += xml_escaped(shorten(printable(title), kLongestTitle));
      result += kClose;
    }
    svg.remove_prefix(close + kClose.size());
  }
  return result += svg;
}

}  // namespace octet
