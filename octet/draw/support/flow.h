// flow.h: the wires of a picture as a graph.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "octet/draw/picture.h"

namespace octet {

// The neighbours of each node: one entry for each wire.
struct Flow {
  std::vector<std::vector<std::size_t>> before, after;

  explicit Flow(const Picture& picture);
};

// All nodes in an order in which every wire goes forward and each node stands right before the first that needs it.
// Nothing when wires run in a circle.
std::optional<std::vector<std::size_t>> order_of(const Flow& flow);

}  // namespace octet
