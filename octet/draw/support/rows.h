// rows.h: a layout that needs no search: it takes no time and can't fail.
#pragma once

#include <vector>

#include "octet/draw/picture.h"

namespace octet {

// The middle of a node, in points; y grows upwards.
struct Place {
  double x = 0, y = 0;
};

// Each node in a row below all that it depends on; where wires run in a circle, in a row of its own.
std::vector<Place> places_in_rows(const Picture& picture);

}  // namespace octet
