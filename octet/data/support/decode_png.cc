#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

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

// Whether chunks of pixels come behind the end of the image, which libpng passes over: `rest` begins at a chunk.
bool has_more_pixels(PngSource rest) {
  constexpr std::size_t kHead = 8, kChecksum = 4;
  while (rest.left >= kHead) {
    const auto* head = reinterpret_cast<png_const_bytep>(rest.next);
    const std::size_t length = png_get_uint_32(head);
    if (length > 0 && std::memcmp(head + 4, "IDAT", 4) == 0) return true;
    if (std::memcmp(head + 4, "IEND", 4) == 0 || rest.left - kHead < length + kChecksum) return false;
    rest.next += kHead + length + kChecksum;
    rest.left -= kHead + length + kChecksum;
  }
  return false;
}

class PngReader {
 public:
  // Warnings are errors: they are of data that is missing, wrong or left over, and pixels would be made up.
  PngReader() : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, leave_png, leave_png)) {
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
      // Profiles, comments and dates are skipped, and may be wrong: pixels do not depend on them. Checksums are checked.
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
      png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
      png_set_read_fn(png_, &source, take_bytes);
      png_read_info(png_, info_);
    });
    if (png_get_bit_depth(png_, info_) == 16)
      fail(ErrorCode::kUnsupported, "16 bits per channel; wanted 8, and which 8 of them is not said");
    const bool gray = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) == 0;
    const bool indexed = png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE;
    Tensor image = image_of_size(png_get_image_width(png_, info_), png_get_image_height(png_, info_), gray ? 1 : 3);
    const std::span<std::uint8_t> pixels = image.mutable_as<std::uint8_t>();
    const auto rows = static_cast<std::size_t>(image.shape()[0]), row_bytes = image.byte_size() / rows;
    // Indices take the last third of their row.
    unsigned char* to = pixels.data() + (indexed ? row_bytes / 3 * 2 : 0);
    run([this, &source, to, rows, row_bytes, indexed] {
      png_set_packing(png_);
      if (!indexed) png_set_expand_gray_1_2_4_to_8(png_);
      png_set_strip_alpha(png_);
      png_set_check_for_invalid_index(png_, 0);  // look_up_colors does it
      const int passes = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
      if (png_get_rowbytes(png_, info_) != (indexed ? row_bytes / 3 : row_bytes))
        png_error(png_, "its rows are not as long as its header says");
      for (int pass = 0; pass < passes; ++pass)
        for (std::size_t row = 0; row < rows; ++row) png_read_row(png_, to + row * row_bytes, nullptr);
      if (has_more_pixels(source)) png_error(png_, "IDAT: Too much image data");
      png_read_end(png_, nullptr);
    });
    if (indexed)
      for (std::size_t row = 0; row < rows; ++row) look_up_colors(pixels.subspan(row * row_bytes, row_bytes));
    return image;
  }

 private:
  template <typename Step>
  void run(const Step& step) {
    if (!attempt(errors_.jump, step)) fail(ErrorCode::kFormat, "broken PNG: {}", errors_.message.data());
  }

  // In place: the last third of the row holds indices. A color never covers an index not yet looked up. libpng does not look
  // for indices beyond the palette where it looks up colors itself.
  void look_up_colors(std::span<std::uint8_t> row) {
    png_colorp palette = nullptr;
    int colors = 0;
    png_get_PLTE(png_, info_, &palette, &colors);
    const std::size_t width = row.size() / 3;
    for (std::size_t x = 0; x < width; ++x) {
      const int index = row[2 * width + x];
      if (index >= colors)
        fail(ErrorCode::kFormat, "broken PNG: a pixel has color {} of a palette of {}, counted from 0", index, colors);
      const png_color color = palette[index];
      row[3 * x] = color.red;
      row[3 * x + 1] = color.green;
      row[3 * x + 2] = color.blue;
    }
  }

  PngErrors errors_{};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

Tensor decode_png(const FileBytes& file) { return PngReader().read(file); }

}  // namespace octet
