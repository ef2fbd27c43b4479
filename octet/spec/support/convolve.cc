#include "octet/spec/support/convolve.h"

#include <algorithm>
#include <vector>

#include "octet/spec/support/product.h"

namespace octet {
namespace {

// Multiply-adds that are worth a thread.
constexpr std::int64_t kWorkPerBlock = 1 << 16;

// The input elements that one panel of output positions reads: [channel][tap][position], as multiply_panel wants them.
template <typename T>
class Patches {
 public:
  explicit Patches(const Taps& taps, std::int64_t channels)
      : taps_(taps),
        channels_(channels),
        offsets_(static_cast<std::size_t>(taps.taps() * kPanel<T>)),
        adjacent_(static_cast<std::size_t>(taps.taps())),
        panel_(static_cast<std::size_t>(channels * taps.taps() * kPanel<T>)) {}

  // Looks up where positions [first, first + kPanel) read; those beyond the last repeat it.
  void move_to(std::int64_t first, std::int64_t count) {
    taps_.offsets(first, count, offsets_.data());
    for (std::int64_t t = taps_.taps(); t-- > 0;) {  // spreads rows of `count` to rows of kPanel, from the end
      std::int64_t* row = offsets_.data() + t * kPanel<T>;
      std::copy_backward(offsets_.data() + t * count, offsets_.data() + (t + 1) * count, row + count);
      std::fill(row + count, row + kPanel<T>, row[count - 1]);
      bool adjacent = row[0] >= 0;
      for (std::int64_t p = 1; p < kPanel<T>; ++p) adjacent = adjacent && row[p] == row[0] + p;
      adjacent_[static_cast<std::size_t>(t)] = adjacent;
    }
  }

  const T* gather(const T* x) {
    T* to = panel_.data();
    for (std::int64_t c = 0; c < channels_; ++c, x += taps_.input_size()) {
      const std::int64_t* from = offsets_.data();
      for (std::int64_t t = 0; t < taps_.taps(); ++t, from += kPanel<T>, to += kPanel<T>) {
        if (adjacent_[static_cast<std::size_t>(t)])
          std::copy_n(x + from[0], kPanel<T>, to);
        else
          for (std::int64_t p = 0; p < kPanel<T>; ++p) to[p] = from[p] < 0 ? T(0) : x[from[p]];
      }
    }
    return panel_.data();
  }

 private:
  const Taps& taps_;
  std::int64_t channels_;
  std::vector<std::int64_t> offsets_;
  std::vector<char> adjacent_;  // the positions of a tap are neighbours in the input
  std::vector<T> panel_;
};

}  // namespace

template <typename T>
void convolve(const ConvolutionSize& size, const Taps& taps, const T* x, const T* w, const T* bias, T* y,
              const Parallel& parallel) {
  const std::int64_t depth = size.in_channels * taps.taps();
  const std::int64_t panels = (taps.windows() + kPanel<T> - 1) / kPanel<T>;
  const std::int64_t work = size.groups * size.out_channels * std::max<std::int64_t>(depth, 1) * kPanel<T>;
  if (work == 0) return;
  parallel.for_each_block(size.batch * panels, kWorkPerBlock / work, [&](std::int64_t begin, std::int64_t end) {
    Patches<T> patches(taps, size.in_channels);
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t image = block / panels, first = block % panels * kPanel<T>;
      const std::int64_t count = std::min(kPanel<T>, taps.windows() - first);
      patches.move_to(first, count);
      for (std::int64_t g = 0; g < size.groups; ++g) {
        const std::int64_t group = image * size.groups + g;
        const T* panel = patches.gather(x + group * size.in_channels * taps.input_size());
        const auto weights = Matrix<T>::row_major(w + g * size.out_channels * depth, size.out_channels, depth);
        T* out = y + group * size.out_channels * taps.windows() + first;
        multiply_panel(weights, panel, count, out, taps.windows());
        if (bias == nullptr) continue;
        for (std::int64_t m = 0; m < size.out_channels; ++m)
          for (std::int64_t p = 0; p < count; ++p) out[m * taps.windows() + p] += bias[g * size.out_channels + m];
      }
    }
  });
}

template void convolve(const ConvolutionSize&, const Taps&, const float*, const float*, const float*, float*,
                       const Parallel&);
template void convolve(const ConvolutionSize&, const Taps&, const double*, const double*, const double*, double*,
                       const Parallel&);

}  // namespace octet
