#include "octet/draw/support/columns.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "octet/draw/support/flow.h"
#include "octet/draw/support/size.h"

namespace octet {
namespace {

constexpr Size kScreen = {1400, 750};  // the caption takes the rest
constexpr double kGap = 20, kGutter = 30;

// Nodes that stay together: between two places where the picture may be cut. A rank is a row of nodes, with the wires
// that lead to it.
struct Segment {
  std::vector<std::size_t> nodes;
  std::vector<Size> ranks;

  double height() const {
    return std::accumulate(ranks.begin(), ranks.end(), 0.0,
                           [](double sum, const Size& rank) { return sum + rank.height; });
  }
};

std::vector<Segment> segments_of(const Picture& picture, const Flow& flow, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> frame(picture.nodes.size(), 0);  // 0: none
  for (std::size_t f = 0; f < picture.frames.size(); ++f)
    for (const std::size_t node : picture.frames[f].nodes) frame[node] = f + 1;
  std::vector<std::size_t> left;  // of each frame, nodes still to come
  left.push_back(0);
  for (const PictureFrame& f : picture.frames) left.push_back(f.nodes.size());

  std::vector<Segment> segments(1);
  std::ptrdiff_t crossing = 0, open = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t node = order[i];
    segments.back().nodes.push_back(node);
    crossing +=
        static_cast<std::ptrdiff_t>(flow.after[node].size()) - static_cast<std::ptrdiff_t>(flow.before[node].size());
    if (frame[node] > 0) {
      if (left[frame[node]] == picture.frames[frame[node] - 1].nodes.size()) ++open;
      if (--left[frame[node]] == 0) --open;
    }
    const bool leads_on = picture.nodes[node].kind != NodeKind::kElsewhere || !flow.after[node].empty();
    if (crossing == 1 && open == 0 && leads_on && i + 1 < order.size()) segments.emplace_back();
  }
  return segments;
}

void measure(Segment& segment, const Picture& picture, const Flow& flow, const std::vector<Size>& wires) {
  std::unordered_map<std::size_t, std::size_t> ranks;
  for (const std::size_t node : segment.nodes) {
    std::size_t rank = 0;
    for (const std::size_t before : flow.before[node])
      if (const auto found = ranks.find(before); found != ranks.end()) rank = std::max(rank, found->second + 1);
    ranks[node] = rank;
    segment.ranks.resize(std::max(segment.ranks.size(), rank + 1));
    const Size own = size_of(picture.nodes[node], picture.direction);
    segment.ranks[rank].width += std::max(own.width, wires[node].width) + kGap;
    segment.ranks[rank].height = std::max(segment.ranks[rank].height, own.height + wires[node].height);
  }
}

// Fills column after column up to `height`.
std::vector<std::size_t> packed(const std::vector<Segment>& segments, double height) {
  std::vector<std::size_t> columns;
  double filled = 0;
  for (const Segment& segment : segments) {
    const bool starts = columns.empty() || filled + segment.height() > height;
    columns.push_back(columns.empty() ? 0 : columns.back() + (starts ? 1 : 0));
    filled = (starts ? 0 : filled) + segment.height();
  }
  return columns;
}

// Ranks go through all columns; the first holds the wires that come from the column before.
Size size_of_columns(const std::vector<Segment>& segments, const std::vector<std::size_t>& columns) {
  std::vector<double> widths(columns.back() + 1), heights;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 && columns[i] != columns[i - 1]) rank = 1;
    for (const Size& size : segments[i].ranks) {
      heights.resize(std::max(heights.size(), rank + 1));
      heights[rank] = std::max(heights[rank], size.height);
      widths[columns[i]] = std::max(widths[columns[i]], size.width);
      ++rank;
    }
  }
  return {std::accumulate(widths.begin(), widths.end(), kGutter * static_cast<double>(columns.back())),
          std::accumulate(heights.begin(), heights.end(), 0.0)};
}

}  // namespace

Columns columns_of(const Picture& picture) {
  const Flow flow(picture);
  Columns result{.of = std::vector<std::size_t>(picture.nodes.size(), 0)};
  const std::optional<std::vector<std::size_t>> order = order_of(flow);
  if (!order || order->empty()) return {std::move(result.of), 1, {kScreen.width / 2, 0}};

  std::vector<Size> wires(picture.nodes.size());  // the largest that comes in
  for (const PictureWire& wire : picture.wires) {
    const Size size = size_of(wire, picture.direction);
    wires[wire.to].width = std::max(wires[wire.to].width, size.width);
    wires[wire.to].height = std::max(wires[wire.to].height, size.height);
  }
  std::vector<Segment> segments = segments_of(picture, flow, *order);
  double tallest = 0;
  for (Segment& segment : segments) {
    measure(segment, picture, flow, wires);
    tallest = std::max(tallest, segment.height());
  }

  const Size screen = turned(kScreen, picture.direction);
  double best = std::numeric_limits<double>::infinity(), height = 0;
  for (const Segment& segment : segments) height += segment.height();
  std::vector<std::size_t> chosen;
  for (; height >= tallest; height *= 0.9) {
    const std::vector<std::size_t> columns = packed(segments, height);
    const Size size = size_of_columns(segments, columns);
    const double across = size.width / screen.width, down = size.height / screen.height;
    const double scale = std::max(across, down) + std::min(across, down) / 4;
    if (scale >= best) continue;
    best = scale;
    chosen = columns;
    result.size = turned(size, picture.direction);
    if (across <= 1 && down <= 1) break;
  }
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (const std::size_t node : segments[i].nodes) result.of[node] = chosen[i];
  result.count = chosen.back() + 1;
  return result;
}

}  // namespace octet
