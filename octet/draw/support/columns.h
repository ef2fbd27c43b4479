// columns.h: how a long chain of nodes is wrapped into columns, as text is into lines. Where wires lead right, columns are
// rows.
#pragma once

#include <cstddef>
#include <vector>

#include "octet/draw/picture.h"
#include "octet/draw/support/size.h"

namespace octet {

struct Columns {
  std::vector<std::size_t> of;  // the column of each node
  std::size_t count = 1;
  Size size;  // of the whole picture; no height where wires run in a circle
};

// As many columns as make the picture fit a screen best. A column ends where exactly one wire leads on, and never
// inside a frame or between a neighbour and another reader of what it reads. Sizes are estimated from the number of
// letters, so that the answer does not depend on fonts.
Columns columns_of(const Picture& picture);

}  // namespace octet
