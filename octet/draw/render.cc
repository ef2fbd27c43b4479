#include "octet/draw/render.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/draw/dot_text.h"
#include "octet/draw/layout_program.h"
#include "octet/draw/support/titles.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

constexpr std::int64_t kMostNodes = 2000;

// Comments hold the version of Graphviz, and the names of nodes once more.
std::string without_comments(std::string_view svg) {
  constexpr std::string_view kOpen = "<!--", kClose = "-->\n";
  std::string result;
  for (;;) {
    const std::size_t open = svg.find(kOpen), close = svg.find(kClose, open == svg.npos ? 0 : open);
    if (open == svg.npos || close == svg.npos) break;
    result += svg.substr(0, open);
    svg.remove_prefix(close + kClose.size());
  }
  return result += svg;
}

std::string_view loss_of(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::kFull: break;
    case LayoutKind::kPlain: return "in one column, without frames and with straight wires";
    case LayoutKind::kRows: return "row by row, without frames and with straight wires that may cross nodes";
  }
  return "in full";
}

using DrawingClock = std::chrono::steady_clock;

// Of what is left: the last layout has all of it, and each before it half. The last one has nothing to search for, and is
// not given up while it draws.
std::chrono::milliseconds time_for(LayoutKind layout, DrawingClock::time_point end, const RenderLimits& limits) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - DrawingClock::now());
  return layout == LayoutKind::kRows ? std::max(left, limits.to_draw) : left / 2;
}

}  // namespace

std::string_view name(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::kFull: break;
    case LayoutKind::kPlain: return "plain";
    case LayoutKind::kRows: return "rows";
  }
  return "full";
}

LayoutJob layout_job(const Picture& picture, LayoutKind layout, ImageFormat format) {
  return {.dot = dot_text(picture, layout),
          .engine = layout == LayoutKind::kRows ? "nop" : "dot",
          .format = format == ImageFormat::kPng ? "png" : "svg"};
}

Image render(const Picture& picture, ImageFormat format, const RenderLimits& limits) {
  if (const auto nodes = static_cast<std::int64_t>(picture.nodes.size()); nodes > kMostNodes)
    fail(ErrorCode::kLimit, "the picture has {} nodes and forks, and Graphviz lays out {} in reasonable time",
         grouped(nodes), grouped(kMostNodes));
  const std::filesystem::path program = find_layout_program();
  std::string trouble;
  const DrawingClock::time_point end = DrawingClock::now() + limits.time;
  for (const LayoutKind layout : {LayoutKind::kFull, LayoutKind::kPlain, LayoutKind::kRows}) {
    LayoutResult result =
        run_layout(program, layout_job(picture, layout, format), {time_for(layout, end, limits), limits.memory});
    if (!result.image) {
      trouble += fmt::format("{}the {} layout: {}", trouble.empty() ? "" : "; ", name(layout), result.trouble);
      continue;
    }
    Image image{std::move(*result.image), layout, {}};
    if (format == ImageFormat::kSvg) image.bytes = with_titles(without_comments(image.bytes), picture);
    if (layout != LayoutKind::kFull)
      image.notes.push_back(fmt::format("laid out {}, because Graphviz failed in {}", loss_of(layout), trouble));
    return image;
  }
  fail(ErrorCode::kLimit, "Graphviz can't lay out the picture: {}", trouble);
}

}  // namespace octet
