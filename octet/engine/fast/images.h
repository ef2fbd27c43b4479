// images.h: whether a program computes each image of a batch from that image alone.
#pragma once

#include <cstdint>
#include <optional>

#include "octet/program/program.h"

namespace octet::fast {

// How many images the program works on, where every input has as many along its first axis; 1 elsewhere. Its shapes are known.
std::int64_t images_of(const Program& program);

// The same program for `images` of its images. Nothing unless it is proven that images do not meet: every value that is not a
// constant has them along its first axis, and no step computes an element from another image than its own, or from a
// constant that differs from image to image. The steps' work is kept, so what depends on shapes (which operand is added
// first) is as it was. `operations_differ` says of a step that its operations may not run on such a part, its work may.
struct Part {
  Program program;
  std::vector<bool> operations_differ;  // by step
};
std::optional<Part> part_of(const Program& program, std::int64_t images);

}  // namespace octet::fast
