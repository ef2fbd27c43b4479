// layout.h: how a picture is laid out. What is best at it may take too long, or crash; each of these is easier than the
// one before.
#pragma once

#include <string_view>

namespace octet {

enum class LayoutKind {
  kFull,   // Graphviz decides, with columns, frames and curved wires
  kPlain,  // Graphviz decides; one column, no frames, straight wires
  kRows,   // each node in a row below all that it depends on; Graphviz only draws
};
inline constexpr int kLayoutKindCount = 3;
// "full", "plain", "rows".
std::string_view name(LayoutKind kind);

}  // namespace octet
