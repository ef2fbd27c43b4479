// pages.h: a picture too large to look at, cut into several.
#pragma once

#include <vector>

#include "octet/draw/picture.h"

namespace octet {

// The picture itself where it is at most 400 nodes and forks, and roughly 6,000 pixels wide and high; else pages that are,
// in the order of the flow, cut where the fewest wires lead on and if possible not inside a frame. A wire to another page
// ends in a node that names the page and the tensor, and goes on from one of that name. A picture whose wires run in a
// circle is not cut, and where so many wires lead on everywhere that no page is small enough, nodes alone count. Throws
// kLimit beyond 20 pages.
std::vector<Picture> pages_of(const Picture& picture);

}  // namespace octet
