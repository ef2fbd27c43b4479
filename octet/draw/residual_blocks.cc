#include "octet/draw/residual_blocks.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/draw/support/flow.h"

namespace octet {
namespace {

// Positions in the order stand for nodes; 0 stands for all inputs together, so positions count from 1.
class Dominators {
 public:
  Dominators(const Picture& picture, const Flow& flow, const std::vector<std::size_t>& order)
      : order_(order), positions_(order.size()), above_(order.size() + 1, kNowhere) {
    for (std::size_t p = 1; p <= order.size(); ++p) positions_[order[p - 1]] = p;
    for (std::size_t p = 1; p <= order.size(); ++p) {
      const std::size_t node = order[p - 1];
      if (flow.before[node].empty() && picture.nodes[node].kind == NodeKind::kBorder) above_[p] = 0;
      for (const std::size_t before : flow.before[node])
        if (is_computed(before))
          above_[p] = above_[p] == kNowhere ? positions_[before] : common(above_[p], positions_[before]);
    }
  }

  // Whether a node depends on the inputs.
  bool is_computed(std::size_t node) const { return above_[positions_[node]] != kNowhere; }
  // The last node that every path from the inputs to this one passes before it.
  std::optional<std::size_t> above(std::size_t node) const {
    const std::size_t p = above_[positions_[node]];
    return p == 0 || p == kNowhere ? std::nullopt : std::optional(order_[p - 1]);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  std::size_t common(std::size_t a, std::size_t b) const {
    while (a != b) (a > b ? a : b) = above_[std::max(a, b)];
    return a;
  }

  const std::vector<std::size_t>& order_;
  std::vector<std::size_t> positions_, above_;
};

// Everything from which `last` is reached without passing `first`, and the two of them.
std::vector<std::size_t> between(const Flow& flow, std::size_t first, std::size_t last) {
  std::vector<bool> seen(flow.before.size());
  seen[first] = seen[last] = true;
  std::vector<std::size_t> found = {last};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const std::size_t before : flow.before[found[i]])
      if (!seen[before]) {
        seen[before] = true;
        found.push_back(before);
      }
  found.push_back(first);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::vector<std::size_t>> residual_blocks(const Picture& picture) {
  const Flow flow(picture);
  const std::optional<std::vector<std::size_t>> order = order_of(flow);
  if (!order) return {};
  const Dominators dominators(picture, flow, *order);
  const auto computed = [&](std::size_t node) { return dominators.is_computed(node); };
  std::vector<std::vector<std::size_t>> blocks;
  for (const std::size_t node : *order) {
    const std::vector<std::size_t>& before = flow.before[node];
    if (!picture.nodes[node].adds || std::count_if(before.begin(), before.end(), computed) < 2) continue;
    const std::optional<std::size_t> fork = dominators.above(node);
    if (!fork) continue;
    std::vector<std::size_t> block = between(flow, *fork, node);
    if (std::count_if(block.begin(), block.end(), computed) < 3) continue;  // x + x
    if (picture.nodes[*fork].kind != NodeKind::kFork) std::erase(block, *fork);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void frame_residual_blocks(Picture& picture) {
  const std::vector<std::vector<std::size_t>> blocks = residual_blocks(picture);
  std::vector<bool> framed(picture.nodes.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (std::any_of(blocks[i].begin(), blocks[i].end(), [&](std::size_t node) { return framed[node]; })) continue;
    for (const std::size_t node : blocks[i]) framed[node] = true;
    picture.frames.push_back({fmt::format("residual block {}", i + 1), blocks[i]});
  }
}

}  // namespace octet
