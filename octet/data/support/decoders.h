// decoders.h: one format each.
//
// The C libraries leave by longjmp when something is wrong. attempt() is the one place that it lands in, and what it calls owns
// nothing: no destructor is jumped over.
#pragma once

#include <csetjmp>
#include <cstdint>

#include "octet/base/tensor.h"
#include "octet/system/read_file.h"

namespace octet {

// As decode_image, of a file that begins as the format does.
Tensor decode_jpeg(const FileBytes& file);
Tensor decode_png(const FileBytes& file);

// Room for an image. Throws kFormat for one without pixels, kLimit.
Tensor image_of_size(std::uint64_t width, std::uint64_t height, int channels);

// Whether `step`, which calls the library and has nothing to destroy, came to its end.
template <typename Step>
bool attempt(std::jmp_buf& jump, const Step& step) {
  if (setjmp(jump) != 0) return false;
  step();
  return true;
}

}  // namespace octet
