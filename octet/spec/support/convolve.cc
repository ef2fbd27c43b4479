#include "octet/spec/support/convolve.h"

#include <algorithm>
#include <optional>
#include <span>

#include "octet/base/vectors.h"
#include "octet/spec/support/grain.h"

namespace octet {
namespace {

// Elements of a canvas, of all channels together, that stay in the cache.
constexpr std::int64_t kElements = 1 << 16;
// Output channels that are summed together: with two vectors of outputs they fill the 16 vector registers of x86-64.
constexpr std::int64_t kChannels = 6;

// Neighbouring outputs in one vector: where the first starts on the canvas and lies in the output, and how many there
// are.
struct OutputLanes {
  std::int64_t start, output, count;
};

// What the outputs of some channels are computed from.
template <typename T>
struct TileOperands {
  const T* canvas;
  const std::int64_t* reaches;  // [depth]
  std::int64_t depth;
  const T *w, *bias;  // [channel][depth]; [channel] or null
  T* y;               // channels are `y_stride` apart
  std::int64_t y_stride;
};

// A few vectors of outputs for kCount channels.
template <int kCount, typename V, int kVectors, typename T>
void sum_tile(const TileOperands<T>& of, const OutputLanes (&lanes)[kVectors]) {
  typename V::Type sums[kCount][kVectors] = {};
  for (std::int64_t k = 0; k < of.depth; ++k) {
    const T* x = of.canvas + of.reaches[k];
    typename V::Type elements[kVectors];
    unrolled<kVectors>([&](int v) { V::load(elements[v], x + lanes[v].start); });
    unrolled<kCount>([&](int m) {
      const T factor = of.w[m * of.depth + k];
      unrolled<kVectors>([&](int v) { V::multiply_add(sums[m][v], factor, elements[v]); });
    });
  }
  if (of.bias != nullptr)
    unrolled<kCount>([&](int m) { unrolled<kVectors>([&](int v) { V::add(sums[m][v], of.bias[m]); }); });
  unrolled<kVectors>([&](int v) {
    T* to = of.y + lanes[v].output;
    if (lanes[v].count == V::kLanes) {
      unrolled<kCount>([&](int m) { V::store(sums[m][v], to + m * of.y_stride); });
    } else {
      unrolled<kCount>([&](int m) {
        T all[V::kLanes];
        V::store(sums[m][v], all);
        std::copy_n(all, lanes[v].count, to + m * of.y_stride);
      });
    }
  });
}

template <int kCount, typename V, typename T>
void sum_channels(const TileOperands<T>& of, std::span<const OutputLanes> lanes) {
  constexpr int kVectors = kCount <= 2 ? 4 : 2;  // enough sums at once to hide how long an addition takes
  V::call([of, from = lanes.data(), count = lanes.size()] {
    for (std::size_t first = 0; first < count; first += kVectors) {
      OutputLanes tile[kVectors];  // what is missing at the end is a copy of the last
      unrolled<kVectors>([&](int v) { tile[v] = from[std::min(first + static_cast<std::size_t>(v), count - 1)]; });
      sum_tile<kCount, V, kVectors>(of, tile);
    }
  });
}

template <typename V, typename T>
void sum_channels(std::int64_t channels, const TileOperands<T>& of, std::span<const OutputLanes> lanes) {
  switch (channels) {
    case 1: return sum_channels<1, V>(of, lanes);
    case 2: return sum_channels<2, V>(of, lanes);
    case 3: return sum_channels<3, V>(of, lanes);
    case 4: return sum_channels<4, V>(of, lanes);
    case 5: return sum_channels<5, V>(of, lanes);
    default: return sum_channels<kChannels, V>(of, lanes);
  }
}

std::vector<ConvolutionAxis> slice_of_axes(std::vector<ConvolutionAxis> axes, std::int64_t first, std::int64_t count) {
  axes.front().first_output = first;
  axes.front().outputs = count;
  return axes;
}

// The outputs [first, first + count) along the first axis.
template <typename T>
class Slice {
 public:
  Slice(const std::vector<ConvolutionAxis>& axes, std::int64_t first, std::int64_t count, std::int64_t channels,
        int lanes)
      : canvas_(slice_of_axes(axes, first, count)), channels_(channels) {
    for (std::int64_t c = 0; c < channels; ++c)
      for (const std::int64_t reach : canvas_.reaches()) reaches_.push_back(c * canvas_.size() + reach);
    // The last vectors may read beyond the canvas, unused lanes.
    elements_.resize(static_cast<std::size_t>(channels * canvas_.size() + lanes));
    const std::int64_t row = axes.size() == 1 ? count : axes.back().outputs;
    std::int64_t output = first;
    for (std::size_t a = 1; a < axes.size(); ++a) output *= axes[a].outputs;
    for (const std::int64_t start : canvas_.starts()) {
      for (std::int64_t o = 0; o < row; o += lanes)
        lanes_.push_back({start + o, output + o, std::min<std::int64_t>(lanes, row - o)});
      output += row;
    }
  }

  const std::vector<std::int64_t>& reaches() const { return reaches_; }
  const std::vector<OutputLanes>& lanes() const { return lanes_; }

  const T* fill(const T* x, std::int64_t input_size) {
    for (std::int64_t c = 0; c < channels_; ++c)
      canvas_.place(x + c * input_size, elements_.data() + c * canvas_.size());
    return elements_.data();
  }

 private:
  Canvas canvas_;
  std::int64_t channels_;
  std::vector<std::int64_t> reaches_;
  std::vector<T> elements_;
  std::vector<OutputLanes> lanes_;
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// `total` in `parts` of nearly one size: where part `index` begins.
std::int64_t begin_of(std::int64_t index, std::int64_t parts, std::int64_t total) { return index * total / parts; }

}  // namespace

template <typename T>
void convolve(const ConvolutionSize& size, const std::vector<ConvolutionAxis>& axes, const T* x, const T* w,
              const T* bias, T* y, const Parallel& parallel) {
  std::int64_t outputs = 1, input_size = 1, depth = size.in_channels;
  for (const ConvolutionAxis& axis : axes) {
    outputs *= axis.outputs;
    input_size *= axis.input;
    depth *= axis.kernel;
  }
  const std::int64_t units = size.batch * size.groups;
  if (units * size.out_channels * outputs == 0) return;

  // As many slices as fit the cache, and keep all threads busy.
  const std::int64_t rows = axes.front().outputs, blocks = divide_up(size.out_channels, kChannels);
  const std::int64_t slices = std::min(rows, std::max({std::int64_t{1}, size.in_channels * input_size / kElements,
                                                       divide_up(parallel.threads(), units)}));
  const std::int64_t work = divide_up(outputs * size.out_channels * std::max<std::int64_t>(depth, 1), slices);

  with_widest_vector<T>([&]<typename V>() {
    parallel.for_each_block(slices * units, kWorkPerBlock / work, [&](std::int64_t begin, std::int64_t end) {
      std::optional<Slice<T>> slice;
      std::int64_t of_slice = -1;
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t unit = task % units, index = task / units;
        if (index != of_slice) {
          const std::int64_t first = begin_of(index, slices, rows);
          slice.emplace(axes, first, begin_of(index + 1, slices, rows) - first, size.in_channels, V::kLanes);
          of_slice = index;
        }
        const T* canvas = slice->fill(x + unit * size.in_channels * input_size, input_size);
        for (std::int64_t block = 0; block < blocks; ++block) {
          const std::int64_t m = begin_of(block, blocks, size.out_channels);
          const std::int64_t channel = unit % size.groups * size.out_channels + m;
          sum_channels<V, T>(begin_of(block + 1, blocks, size.out_channels) - m,
                             {.canvas = canvas,
                              .reaches = slice->reaches().data(),
                              .depth = depth,
                              .w = w + channel * depth,
                              .bias = bias == nullptr ? nullptr : bias + channel,
                              .y = y + (unit * size.out_channels + m) * outputs,
                              .y_stride = outputs},
                             slice->lanes());
        }
      }
    });
  });
}

template void convolve(const ConvolutionSize&, const std::vector<ConvolutionAxis>&, const float*, const float*,
                       const float*, float*, const Parallel&);
template void convolve(const ConvolutionSize&, const std::vector<ConvolutionAxis>&, const double*, const double*,
                       const double*, double*, const Parallel&);

}  // namespace octet
