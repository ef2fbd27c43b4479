#include "octet/spec/quantized/integer_convolution.h"

#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/accumulator.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/taps.h"

namespace octet {
namespace {

// Multiply-adds that are worth a thread.
constexpr std::int64_t kWorkPerBlock = 1 << 16;

// The tensor less its zero points; those of the first axis, where there are several.
std::vector<std::int16_t> widened(const Tensor& tensor, const std::vector<std::int32_t>& zero_points) {
  std::vector<std::int16_t> result(static_cast<std::size_t>(tensor.size()));
  const std::int64_t slice = tensor.size() / std::max<std::int64_t>(tensor.shape()[0], 1);
  visit_8bit(tensor.dtype(), [&]<typename T>() {
    const T* from = tensor.as<T>().data();
    std::int16_t* to = result.data();
    for (std::int64_t first = 0; first < tensor.shape()[0]; ++first) {
      const std::int32_t zero_point = one_or(zero_points, first);
      for (std::int64_t k = 0; k < slice; ++k) *to++ = static_cast<std::int16_t>(*from++ - zero_point);
    }
  });
  return result;
}

}  // namespace

void convolve_integers(const IntegerConvolution& convolution, const Tensor& x, const Tensor& w,
                       const Arithmetic& arithmetic, const Parallel& parallel,
                       const std::function<void(std::int64_t image, std::int64_t position,
                                                std::span<const std::int32_t> accumulators)>& store) {
  if (w.size() == 0) return;  // no output channels
  const Taps taps(convolution.window, {x.shape().begin() + 2, x.shape().end()}, Taps::Direction::kForward);
  const std::vector<std::int16_t> pixels = widened(x, {convolution.x_zero_point});
  const std::vector<std::int16_t> weights = widened(w, convolution.w_zero_points);
  const std::int64_t channels = w.shape()[1], outputs = w.shape()[0], outputs_per_group = outputs / convolution.group;
  const std::int64_t depth = channels * taps.taps(), plane = taps.input_size();

  with_accumulator(arithmetic, [&](auto accumulator) {
    parallel.for_each_block(
        x.shape()[0] * taps.windows(), kWorkPerBlock / (depth * outputs), [&](std::int64_t begin, std::int64_t end) {
          std::vector<std::int64_t> offsets(static_cast<std::size_t>(taps.taps()));
          std::vector<std::int16_t> patch(static_cast<std::size_t>(depth));
          std::vector<std::int32_t> accumulators(static_cast<std::size_t>(outputs));
          for (std::int64_t index = begin; index < end; ++index) {
            const std::int64_t image = index / taps.windows(), position = index % taps.windows();
            taps.offsets(position, 1, offsets.data());
            for (std::int64_t g = 0; g < convolution.group; ++g) {
              const std::int16_t* channel = pixels.data() + (image * convolution.group + g) * channels * plane;
              std::int16_t* to = patch.data();
              for (std::int64_t c = 0; c < channels; ++c, channel += plane)
                for (const std::int64_t offset : offsets) *to++ = offset < 0 ? std::int16_t{0} : channel[offset];
              for (std::int64_t m = g * outputs_per_group; m < (g + 1) * outputs_per_group; ++m) {
                const auto output = static_cast<std::size_t>(m);
                const std::int32_t start = convolution.bias.empty() ? 0 : convolution.bias[output];
                accumulators[output] = accumulator.dot(start, patch.data(), weights.data() + m * depth, depth);
              }
            }
            store(image, position, accumulators);
          }
        });
  });
}

}  // namespace octet
