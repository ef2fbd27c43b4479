// residual_blocks.h: the parts of a picture that fork and join.
#pragma once

#include <cstddef>
#include <vector>

#include "octet/draw/picture.h"

namespace octet {

// For each addition that joins two paths from one value: the dot where that value forks, the addition, and everything
// between. The value is the last one that all paths from the network's inputs to the addition have in common. In the
// order of the additions; empty where nothing forks and joins, or wires run in a circle.
std::vector<std::vector<std::size_t>> residual_blocks(const Picture& picture);

// A frame around each of them, "residual block 1" and so on. Of blocks that share nodes, the first is framed.
void frame_residual_blocks(Picture& picture);

}  // namespace octet
