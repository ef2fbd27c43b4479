// The headers of libjpeg want <cstdio> before them.
#include <jpeglib.h>

#include <array>
#include <cstdio>
#include <optional>

#include "octet/base/fail.h"
#include "octet/base/memory_budget.h"
#include "octet/data/support/decoders.h"

namespace octet {
namespace {

// Scans refine a progressive image; files of a few bytes can have any number of them, each as much work as the first.
constexpr int kMostScans = 100;

struct JpegErrors {
  jpeg_error_mgr manager;  // first: libjpeg hands out its address
  std::jmp_buf jump;
  std::array<char, JMSG_LENGTH_MAX> message;
};

[[noreturn]] void give_up(j_common_ptr jpeg) {
  auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
  std::longjmp(errors->jump, 1);
}

void leave_jpeg(j_common_ptr jpeg) {
  jpeg->err->format_message(jpeg, reinterpret_cast<JpegErrors*>(jpeg->err)->message.data());
  give_up(jpeg);
}

// Warnings (level -1) are of data that is missing or wrong and would be made up.
void refuse_warnings(j_common_ptr jpeg, int level) {
  if (level < 0) leave_jpeg(jpeg);
}

void count_scans(j_common_ptr jpeg) {
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMostScans) return;
  auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
  std::snprintf(errors->message.data(), errors->message.size(), "it has more than %d scans", kMostScans);
  give_up(jpeg);
}

class JpegReader {
 public:
  JpegReader() {
    jpeg_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = leave_jpeg;
    errors_.manager.emit_message = refuse_warnings;
    progress_.progress_monitor = count_scans;
    run([this] { jpeg_create_decompress(&jpeg_); });
    jpeg_.progress = &progress_;
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  Tensor read(const FileBytes& file) {
    const auto* data = reinterpret_cast<const unsigned char*>(file.bytes.data());
    const auto size = static_cast<unsigned long>(file.bytes.size());
    run([this, data, size] {
      jpeg_mem_src(&jpeg_, data, size);
      jpeg_read_header(&jpeg_, TRUE);
    });
    if (jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK)
      fail(ErrorCode::kUnsupported, "its colours are CMYK, for print; wanted RGB or gray");
    const int channels = jpeg_.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    jpeg_.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    Tensor image = image_of_size(jpeg_.image_width, jpeg_.image_height, channels);
    const MemoryCharge held(coefficient_bytes());
    unsigned char* to = image.mutable_as<std::uint8_t>().data();
    const auto row_bytes = static_cast<std::size_t>(jpeg_.image_width) * static_cast<std::size_t>(channels);
    run([this, to, row_bytes] {
      jpeg_start_decompress(&jpeg_);
      while (jpeg_.output_scanline < jpeg_.output_height) {
        JSAMPROW row = to + jpeg_.output_scanline * row_bytes;
        jpeg_read_scanlines(&jpeg_, &row, 1);
      }
      jpeg_finish_decompress(&jpeg_);
    });
    return image;
  }

 private:
  template <typename Step>
  void run(const Step& step) {
    if (!attempt(errors_.jump, step)) fail(ErrorCode::kFormat, "broken JPEG: {}", errors_.message.data());
  }

  // What libjpeg keeps of an image in several scans: every coefficient.
  std::size_t coefficient_bytes() {
    if (!jpeg_has_multiple_scans(&jpeg_)) return 0;
    std::size_t bytes = 0;
    for (int i = 0; i < jpeg_.num_components; ++i)
      bytes += std::size_t{jpeg_.comp_info[i].width_in_blocks} * jpeg_.comp_info[i].height_in_blocks * sizeof(JBLOCK);
    return bytes;
  }

  jpeg_decompress_struct jpeg_{};
  jpeg_progress_mgr progress_{};
  JpegErrors errors_{};
};

}  // namespace

Tensor decode_jpeg(const FileBytes& file) { return JpegReader().read(file); }

}  // namespace octet
