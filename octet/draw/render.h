// render.h: a picture as an image, laid out and drawn by Graphviz.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "octet/draw/layout.h"
#include "octet/draw/layout_program.h"
#include "octet/draw/picture.h"

namespace octet {

enum class ImageFormat { kSvg, kPng };

struct RenderLimits {
  std::chrono::milliseconds time = std::chrono::seconds(60);    // for all layouts that are tried together
  std::uint64_t memory = std::uint64_t{1} << 30;                // bytes, for each
  std::chrono::milliseconds to_draw = std::chrono::seconds(2);  // that the last layout has at least
};

struct Image {
  std::string bytes;  // of the file
  LayoutKind layout = LayoutKind::kFull;
  std::vector<std::string> notes;  // why it was not laid out in full
};

// What octet-layout (layout_program.h) is given to draw the picture in one layout.
LayoutJob layout_job(const Picture& picture, LayoutKind layout, ImageFormat format);

// An SVG does not say when and by which version it was made. Graphviz runs in a process of its own (layout_program.h): where it crashes,
// fails or exceeds a limit, the next easier layout is tried. Threads may call it at once. Throws kLimit for a picture of more than
// 2,000 nodes and forks, one that no layout can draw, or a PNG larger than its format allows, and kIo where octet-layout is missing.
Image render(const Picture& picture, ImageFormat format, const RenderLimits& limits = {});

}  // namespace octet
