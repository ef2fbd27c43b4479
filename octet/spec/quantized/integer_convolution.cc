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

// The pixels that the taps of one output position read, looked up for several positions at a time.
class Offsets {
 public:
  explicit Offsets(const Taps& taps)
      : taps_(taps),
        table_(static_cast<std::size_t>(taps.taps() * kPositions)),
        here_(static_cast<std::size_t>(taps.taps())) {}

  // One per tap; -1 in padding. Positions are cheapest in ascending order.
  std::span<const std::int64_t> at(std::int64_t position) {
    if (position < first_ || position >= first_ + count_) {
      first_ = position;
      count_ = std::min(kPositions, taps_.windows() - position);
      taps_.offsets(first_, count_, table_.data());
    }
    const std::int64_t* column = table_.data() + (position - first_);
    for (std::int64_t& offset : here_) {
      offset = *column;
      column += count_;
    }
    return here_;
  }

 private:
  static constexpr std::int64_t kPositions = 64;

  const Taps& taps_;
  std::int64_t first_ = 0, count_ = 0;
  std::vector<std::int64_t> table_, here_;
};

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
    const auto convolve = [&](std::int64_t begin, std::int64_t end) {
      Offsets offsets(taps);
      std::vector<std::int16_t> patch(static_cast<std::size_t>(depth));
      std::vector<std::int32_t> accumulators(static_cast<std::size_t>(outputs));
      for (std::int64_t index = begin; index < end; ++index) {
        const std::int64_t image = index / taps.windows(), position = index % taps.windows();
        const std::span<const std::int64_t> here = offsets.at(position);
        for (std::int64_t g = 0; g < convolution.group; ++g) {
          const std::int16_t* channel = pixels.data() + (image * convolution.group + g) * channels * plane;
          std::int16_t* to = patch.data();
          for (std::int64_t c = 0; c < channels; ++c, channel += plane)
            for (const std::int64_t offset : here) *to++ = offset < 0 ? std::int16_t{0} : channel[offset];
          for (std::int64_t m = g * outputs_per_group; m < (g + 1) * outputs_per_group; ++m) {
            const auto output = static_cast<std::size_t>(m);
            const std::int32_t start = convolution.bias.empty() ? 0 : convolution.bias[output];
            accumulators[output] = accumulator.dot(start, patch.data(), weights.data() + m * depth, depth);
          }
        }
        store(image, position, accumulators);
      }
    };
    parallel.for_each_block(x.shape()[0] * taps.windows(), kWorkPerBlock / (depth * outputs), convolve);
  });
}

}  // namespace octet
