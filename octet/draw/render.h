// render.h: a picture as an image, laid out and drawn by Graphviz.
#pragma once

#include <string>

#include "octet/draw/picture.h"

namespace octet {

enum class ImageFormat { kSvg, kPng };

// The bytes of the file. An SVG says nothing of when and by which version it was made. Graphviz keeps state of its own:
// calls from several threads wait for one another. Throws kLimit for a picture that it could not lay out in reasonable
// time, or a PNG beyond what that format's writer can hold, and kUnsupported with the reason when Graphviz fails.
std::string render(const Picture& picture, ImageFormat format);

}  // namespace octet
