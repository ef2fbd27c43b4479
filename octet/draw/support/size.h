// size.h: how much room things take, in pixels, estimated from the number of letters: the same whatever the fonts.
// Width and height are those of a picture whose wires lead down; where they lead right, the two change places: width is
// across the wires, height along them.
#pragma once

#include "octet/draw/picture.h"

namespace octet {

struct Size {
  double width = 0, height = 0;
};

inline Size turned(const Size& size, Direction direction) {
  return direction == Direction::kRight ? Size{size.height, size.width} : size;
}

Size size_of(const PictureNode& node, Direction direction);

// The size of the text of a wire, and of the space for the wire itself.
Size size_of(const PictureWire& wire, Direction direction);

}  // namespace octet
