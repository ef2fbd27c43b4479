#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "octet/base/fail.h"
#include "octet/data/support/decoders.h"

namespace octet {
namespace {

struct PngErrors {
  std::jmp_buf jump;
  std::array<char, 200> message;
};

[[noreturn]] void leave_png(png_structp png, png_const_charp message) {
  auto* errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  std::strncpy(errors->message.data(), message, errors->message.size() - 1);
  std::longjmp(errors->jump, 1);
}

// They are of what says nothing about pixels: profiles, comments, dates.
void pass_over_warnings(png_structp, png_const_charp) {}

struct PngSource {
  const std::byte* next;
  std::size_t left;
};

void take_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (count > source->left) png_error(png, "it ends too early");
  std::memcpy(to, source->next, count);
  source->next += count;
  source->left -= count;
}

class PngReader {
 public:
  PngReader() : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, leave_png, pass_over_warnings)) {
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      fail(ErrorCode::kLimit, "no memory to read a PNG file");
    }
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Tensor read(const FileBytes& file) {
    PngSource source{file.bytes.data(), file.bytes.size()};
    run([this, &source] {
      png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // image_of_size has the limits
      png_set_read_fn(png_, &source, take_bytes);
      png_read_info(png_, info_);
    });
    if (png_get_bit_depth(png_, info_) == 16)
      fail(ErrorCode::kUnsupported, "16 bits per channel; wanted 8, and which 8 of them is not said");
    const bool gray = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) == 0;
    Tensor image = image_of_size(png_get_image_width(png_, info_), png_get_image_height(png_, info_), gray ? 1 : 3);
    unsigned char* to = image.mutable_as<std::uint8_t>().data();
    const auto rows = static_cast<std::size_t>(image.shape()[0]), row_bytes = image.byte_size() / rows;
    run([this, to, rows, row_bytes] {
      png_set_packing(png_);
      png_set_palette_to_rgb(png_);
      png_set_expand_gray_1_2_4_to_8(png_);
      png_set_strip_alpha(png_);
      const int passes = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
      if (png_get_rowbytes(png_, info_) != row_bytes) png_error(png_, "its rows are not as long as its header says");
      for (int pass = 0; pass < passes; ++pass)
        for (std::size_t row = 0; row < rows; ++row) png_read_row(png_, to + row * row_bytes, nullptr);
      png_read_end(png_, nullptr);
    });
    return image;
  }

 private:
  template <typename Step>
  void run(const Step& step) {
    if (!attempt(errors_.jump, step)) fail(ErrorCode::kFormat, "broken PNG: {}", errors_.message.data());
  }

  PngErrors errors_{};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

Tensor decode_png(const FileBytes& file) { return PngReader().read(file); }

}  // namespace octet
