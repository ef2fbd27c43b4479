#include "octet/spec/quantized/integer_convolution.h"

#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/taps.h"
#include "octet/spec/with_products.h"

namespace octet {
namespace {

// Output positions of a tile, at least and at most, and how many numbers they should read together to stay in the
// cache.
constexpr std::int64_t kFewest = 16, kMost = 64, kNumbers = 1 << 14;

// [slice][channel][element] as [slice][element][channel], less the zero points, those of the slices where there are
// several. Slices are `stride` apart, with zeros behind.
std::vector<std::int16_t> channels_last(const Tensor& tensor, const std::vector<std::int32_t>& zero_points,
                                        std::int64_t stride) {
  const std::int64_t slices = tensor.shape()[0], channels = tensor.shape()[1];
  std::vector<std::int16_t> result(static_cast<std::size_t>(slices * stride));
  if (tensor.size() == 0) return result;
  const std::int64_t elements = tensor.size() / (slices * channels);
  visit_8bit(tensor.dtype(), [&]<typename T>() {
    const T* from = tensor.as<T>().data();
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      const std::int32_t zero_point = one_or(zero_points, slice);
      for (std::int64_t c = 0; c < channels; ++c) {
        std::int16_t* to = result.data() + slice * stride + c;
        for (std::int64_t k = 0; k < elements; ++k, to += channels)
          *to = static_cast<std::int16_t>(*from++ - zero_point);
      }
    }
  });
  return result;
}

// The channels of one group at each pixel of an image, `stride` apart.
struct Pixels {
  const std::int16_t* numbers;
  std::int64_t stride, channels;
};

// What the taps of one output position read, [tap][channel]; tap t reads the pixel offsets[t * step], or padding.
void gather(const Pixels& pixels, const std::int64_t* offsets, std::int64_t taps, std::int64_t step,
            std::int16_t* patch) {
  for (std::int64_t t = 0, run; t < taps; t += run, patch += run * pixels.channels) {
    const std::int64_t first = offsets[t * step];
    run = 1;
    if (first < 0) {
      std::fill_n(patch, pixels.channels, std::int16_t{0});
      continue;
    }
    if (pixels.channels == pixels.stride)  // neighbouring pixels are one piece of memory
      while (t + run < taps && offsets[(t + run) * step] == first + run) ++run;
    std::copy_n(pixels.numbers + first * pixels.stride, run * pixels.channels, patch);
  }
}

}  // namespace

void convolve_integers(const IntegerConvolution& convolution, const Tensor& x, const Tensor& w,
                       const Arithmetic& arithmetic, const Parallel& parallel,
                       const std::function<void(const ConvolutionTile& tile)>& store) {
  const Taps taps(convolution.window, {x.shape().begin() + 2, x.shape().end()});
  if (w.size() == 0 || taps.windows() == 0) return;
  const std::int64_t channels = x.shape()[1], group_channels = w.shape()[1];
  const std::int64_t outputs = w.shape()[0], group_outputs = outputs / convolution.group;
  const std::int64_t depth = padded_length(group_channels * taps.taps());
  const std::vector<std::int16_t> pixels = channels_last(x, {convolution.x_zero_point}, channels * taps.input_size());
  const std::vector<std::int16_t> weights = channels_last(w, convolution.w_zero_points, depth);
  const std::int64_t positions = std::min(taps.windows(), std::clamp(kNumbers / depth, kFewest, kMost));
  const std::int64_t tiles = (taps.windows() + positions - 1) / positions;

  const WeightLines lines = {weights, depth, group_channels * taps.taps(), convolution.x_zero_point,
                             convolution.w_zero_points};
  const bool pairs = x.dtype() == DType::kUint8 && w.dtype() == DType::kInt8;
  with_products(arithmetic, lines, pairs, [&](const auto& accumulator) {
    const auto convolve = [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> offsets(static_cast<std::size_t>(taps.taps() * positions));
      std::vector<std::int16_t> patches(static_cast<std::size_t>(positions * depth));
      std::vector<std::int32_t> accumulators(static_cast<std::size_t>(outputs * positions));
      for (std::int64_t index = begin; index < end; ++index) {
        const std::int64_t image = index / tiles, first = index % tiles * positions;
        const std::int64_t count = std::min(positions, taps.windows() - first);
        taps.offsets(first, count, offsets.data());
        for (std::int64_t m = 0; m < outputs; ++m)
          std::fill_n(accumulators.data() + m * count, count,
                      convolution.bias.empty() ? 0 : convolution.bias[static_cast<std::size_t>(m)]);
        for (std::int64_t g = 0; g < convolution.group; ++g) {
          const Pixels source = {pixels.data() + image * taps.input_size() * channels + g * group_channels, channels,
                                 group_channels};
          for (std::int64_t p = 0; p < count; ++p)
            gather(source, offsets.data() + p, taps.taps(), count, patches.data() + p * depth);
          const std::int64_t m = g * group_outputs;
          accumulator.add_products({patches.data(), count, 1}, {weights.data() + m * depth, group_outputs, count},
                                   depth, accumulators.data() + m * count);
        }
        store({image, first, count, {accumulators.data(), static_cast<std::size_t>(outputs * count)}});
      }
    };
    parallel.for_each_block(x.shape()[0] * tiles, kWorkPerBlock / (depth * outputs * positions), convolve);
  });
}

}  // namespace octet
