// pixel_form.h: how the byte p of an image becomes a model's float32 input.
#pragma once

#include <optional>
#include <vector>

namespace octet {

// Mean and deviation are one number, or one per channel.
struct PixelForm {
  std::optional<float> divisor;  // p / divisor: 255 for [0, 1], which nothing means too; 1 for 0..255
  std::vector<float> mean;       // then minus mean and divided by deviation; empty: neither
  std::vector<float> deviation;
  bool asked_for = false;  // then samples without bytes are refused: it would be passed over in silence

  bool operator==(const PixelForm&) const = default;
};

}  // namespace octet
