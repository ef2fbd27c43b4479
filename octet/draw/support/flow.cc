#include "octet/draw/support/flow.h"

#include <utility>

namespace octet {

Flow::Flow(const Picture& picture) : before(picture.nodes.size()), after(picture.nodes.size()) {
  for (const PictureWire& wire : picture.wires) {
    after[wire.from].push_back(wire.to);
    before[wire.to].push_back(wire.from);
  }
}

// Depth first, backward from the nodes without readers.
std::optional<std::vector<std::size_t>> order_of(const Flow& flow) {
  enum class State { kUnseen, kOpen, kDone };
  std::vector<State> states(flow.before.size(), State::kUnseen);
  std::vector<std::size_t> order;
  std::vector<std::pair<std::size_t, std::size_t>> path;  // a node, and how many of those before it were visited
  for (std::size_t end = 0; end < flow.after.size(); ++end) {
    if (!flow.after[end].empty()) continue;
    path.emplace_back(end, 0);
    states[end] = State::kOpen;
    while (!path.empty()) {
      auto& [node, visited] = path.back();
      if (visited == flow.before[node].size()) {
        states[node] = State::kDone;
        order.push_back(node);
        path.pop_back();
        continue;
      }
      const std::size_t next = flow.before[node][visited++];
      if (states[next] == State::kOpen) return std::nullopt;
      if (states[next] == State::kUnseen) {
        states[next] = State::kOpen;
        path.emplace_back(next, 0);
      }
    }
  }
  if (order.size() < flow.before.size()) return std::nullopt;
  return order;
}

}  // namespace octet
