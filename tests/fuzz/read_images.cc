// Bytes become an image (JPEG or PNG) that can be resized and taken as an input, or an octet::Error; and a list of labels.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "octet/data/image_form.h"
#include "octet/data/labels.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace octet;
  const MemoryBudget budget(std::int64_t{64} << 20);
  try {
    const Tensor image = decode_image({std::as_bytes(std::span(data, size)), nullptr});
    const auto [width, height] = size_of_image(image);
    if (image.byte_size() != static_cast<std::size_t>(width * height * image.shape()[2]) ||
        budget.used() < width * height)
      std::abort();
    const ImageForm form{.size = ImageSize{7, 5}, .crop = ImageSize{4, 5}, .bgr = true};
    if (image_input(image, form, {.channels_last = true, .channels = 3}).shape() != Shape{5, 4, 3}) std::abort();
  } catch (const Error&) {
  }
  for (const bool commas : {false, true}) try {
      std::vector<std::string> labels;
      for (const LabelledFile& file : parse_label_list({reinterpret_cast<const char*>(data), size}, commas))
        labels.push_back(file.label);
      if (class_numbers(labels).size() != labels.size()) std::abort();
    } catch (const Error&) {
    }
  return 0;
}
