// size.h: how much room things take, in pixels, estimated from the number of letters: the same whatever the fonts.
#pragma once

#include "octet/draw/picture.h"

namespace octet {

struct Size {
  double width = 0, height = 0;
};

Size size_of(const PictureNode& node);

// Of its lines, and the room that the wire itself wants.
Size size_of(const PictureWire& wire);

}  // namespace octet
