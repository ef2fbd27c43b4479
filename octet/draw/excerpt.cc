#include "octet/draw/excerpt.h"

#include <algorithm>
#include <deque>

#include "octet/base/fail.h"
#include "octet/draw/support/flow.h"
#include "octet/text/closest_names.h"

namespace octet {
namespace {

std::vector<std::size_t> neighbours(const Flow& flow, std::size_t node) {
  std::vector<std::size_t> result = flow.before[node];
  result.insert(result.end(), flow.after[node].begin(), flow.after[node].end());
  return result;
}

std::vector<std::size_t> named(const Picture& picture, std::string_view name) {
  std::vector<std::size_t> found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
    const PictureNode& node = picture.nodes[i];
    if (node.kind == NodeKind::kFork) continue;
    if (node.name == name) found.push_back(i);
    names.push_back(node.name);
  }
  if (found.empty())
    fail(ErrorCode::kUsage, "there is no node {}; the closest are {}", name, closest_names(name, names));
  return found;
}

}  // namespace

std::vector<PictureFrame> frames_of_part(const Picture& whole, const Picture& part,
                                         const std::vector<std::optional<std::size_t>>& places) {
  const auto is_drawn = [&](std::size_t node) {
    const NodeKind kind = part.nodes[node].kind;
    return kind != NodeKind::kFork && kind != NodeKind::kElsewhere;
  };
  std::vector<PictureFrame> frames;
  for (const PictureFrame& frame : whole.frames) {
    PictureFrame left{frame.title, {}};
    for (const std::size_t node : frame.nodes)
      if (places[node]) left.nodes.push_back(*places[node]);
    if (std::none_of(left.nodes.begin(), left.nodes.end(), is_drawn)) continue;
    const bool all = left.nodes.size() == frame.nodes.size() &&
                     std::none_of(left.nodes.begin(), left.nodes.end(),
                                  [&](std::size_t node) { return part.nodes[node].kind == NodeKind::kElsewhere; });
    if (!all) left.title += ", in part";
    frames.push_back(std::move(left));
  }
  return frames;
}

Picture excerpt(const Picture& picture, const std::vector<std::size_t>& nodes) {
  enum class Part { kOut, kNeighbour, kIn };
  const Flow flow(picture);
  std::vector<Part> parts(picture.nodes.size(), Part::kOut);
  for (const std::size_t node : nodes) parts[node] = Part::kIn;
  const auto completes = [&](std::size_t node) {
    const NodeKind kind = picture.nodes[node].kind;
    return kind == NodeKind::kFork || kind == NodeKind::kStored;
  };
  for (const std::size_t node : nodes)
    for (const std::size_t beside : neighbours(flow, node))
      if (completes(beside)) parts[beside] = Part::kIn;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i] == Part::kIn && picture.nodes[i].kind != NodeKind::kStored)
      for (const std::size_t beside : neighbours(flow, i))
        if (parts[beside] == Part::kOut) parts[beside] = Part::kNeighbour;

  Picture result{.title = picture.title, .remarks = picture.remarks, .direction = picture.direction};
  std::vector<std::optional<std::size_t>> places(picture.nodes.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == Part::kOut) continue;
    places[i] = result.nodes.size();
    const PictureNode& node = picture.nodes[i];
    result.nodes.push_back(parts[i] == Part::kIn
                               ? node
                               : PictureNode{.kind = NodeKind::kElsewhere, .name = node.name, .title = node.title});
  }
  for (const PictureWire& wire : picture.wires) {
    const bool drawn = (parts[wire.from] == Part::kIn && parts[wire.to] != Part::kOut) ||
                       (parts[wire.to] == Part::kIn && parts[wire.from] != Part::kOut);
    if (!drawn) continue;
    result.wires.push_back(wire);
    result.wires.back().from = *places[wire.from];
    result.wires.back().to = *places[wire.to];
  }
  result.frames = frames_of_part(picture, result, places);
  return result;
}

Picture excerpt_around(const Picture& picture, std::string_view name, int depth) {
  const Flow flow(picture);
  std::vector<std::size_t> found = named(picture, name);
  std::vector<int> distances(picture.nodes.size(), -1);
  for (const std::size_t node : found) distances[node] = 0;
  std::deque<std::size_t> waiting(found.begin(), found.end());
  while (!waiting.empty()) {
    const std::size_t node = waiting.front();
    waiting.pop_front();
    for (const std::size_t beside : neighbours(flow, node)) {
      const bool dot = picture.nodes[beside].kind == NodeKind::kFork;  // takes no step: its wires are one wire
      const int distance = distances[node] + (dot ? 0 : 1);
      if (distances[beside] >= 0 || distance > depth) continue;
      distances[beside] = distance;
      found.push_back(beside);
      if (dot)
        waiting.push_front(beside);
      else
        waiting.push_back(beside);
    }
  }
  return excerpt(picture, found);
}

}  // namespace octet
