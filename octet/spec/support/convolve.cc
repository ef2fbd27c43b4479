#include "octet/spec/support/convolve.h"

#include <algorithm>
#include <array>
#include <vector>

#include "octet/base/vectorize.h"

namespace octet {
namespace {

// Multiply-adds that are worth a thread.
constexpr std::int64_t kWorkPerBlock = 1 << 16;
// Output positions that are computed side by side, in whole vectors and at most, and how many elements they should read
// together to stay in the cache.
constexpr std::int64_t kVector = 16, kPositions = 64, kElements = 1 << 16;

// What `count` output positions read: [channel][tap][position].
template <typename T>
class Patches {
 public:
  Patches(const Taps& taps, std::int64_t channels, std::int64_t positions)
      : taps_(taps),
        channels_(channels),
        offsets_(static_cast<std::size_t>(taps.taps() * positions)),
        elements_(static_cast<std::size_t>(channels * taps.taps() * positions)) {}

  // Looks up where positions [first, first + count) read.
  void move_to(std::int64_t first, std::int64_t count) {
    taps_.offsets(first, count, offsets_.data());
    runs_.clear();
    for (std::int64_t t = 0; t < taps_.taps(); ++t)
      for (std::int64_t p = 0; p < count; p += runs_.back().count)
        runs_.push_back(run_at(offsets_.data() + t * count + p, count - p));
  }

  const T* gather(const T* x) {
    T* to = elements_.data();
    for (std::int64_t c = 0; c < channels_; ++c, x += taps_.input_size())
      for (const Run& run : runs_) {
        if (run.offset < 0)
          std::fill_n(to, run.count, T(0));
        else if (run.step == 1)
          std::copy_n(x + run.offset, run.count, to);
        else
          for (std::int64_t p = 0; p < run.count; ++p) to[p] = x[run.offset + p * run.step];
        to += run.count;
      }
    return elements_.data();
  }

 private:
  // Positions that read elements at a constant distance, or padding (offset -1).
  struct Run {
    std::int64_t offset, step, count;
  };

  // The longest one at the beginning of `offsets`.
  static Run run_at(const std::int64_t* offsets, std::int64_t count) {
    Run run = {offsets[0], 0, 1};
    if (count > 1 && (offsets[0] < 0) == (offsets[1] < 0)) run.step = offsets[1] - offsets[0];
    while (run.count < count && (offsets[run.count] < 0) == (run.offset < 0) &&
           offsets[run.count] == run.offset + run.count * run.step)
      ++run.count;
    return run;
  }

  const Taps& taps_;
  std::int64_t channels_;
  std::vector<std::int64_t> offsets_;
  std::vector<Run> runs_;
  std::vector<T> elements_;
};

// sums[p] = Sum_k w[k] * x[k][p], over k in order; the rows of x are `count` long.
template <typename T>
void sum_rows(const T* w, const T* x, std::int64_t depth, std::int64_t count, std::array<T, kPositions>& sums) {
  std::fill_n(sums.data(), count, T(0));
  std::int64_t k = 0;
  for (; k + 4 <= depth; k += 4, w += 4, x += 4 * count)  // so that the sums are read and written once for four rows
    for (std::int64_t p = 0; p < count; ++p) {
      const auto at = static_cast<std::size_t>(p);
      sums[at] = sums[at] + w[0] * x[p] + w[1] * x[count + p] + w[2] * x[2 * count + p] + w[3] * x[3 * count + p];
    }
  for (; k < depth; ++k, ++w, x += count)
    for (std::int64_t p = 0; p < count; ++p) sums[static_cast<std::size_t>(p)] += *w * x[p];
}

}  // namespace

template <typename T>
void convolve(const ConvolutionSize& size, const Taps& taps, const T* x, const T* w, const T* bias, T* y,
              const Parallel& parallel) {
  const std::int64_t depth = size.in_channels * taps.taps(), windows = taps.windows();
  if (size.groups * size.out_channels * windows == 0) return;
  const std::int64_t fitting = kElements / std::max<std::int64_t>(depth, 1) / kVector * kVector;
  const std::int64_t positions = std::min(windows, std::clamp(fitting, kVector, kPositions));
  const std::int64_t tiles = (windows + positions - 1) / positions;
  const std::int64_t work = size.groups * size.out_channels * std::max<std::int64_t>(depth, 1) * positions;
  parallel.for_each_block(size.batch * tiles, kWorkPerBlock / work, [&](std::int64_t begin, std::int64_t end) {
    Patches<T> patches(taps, size.in_channels, positions);
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const std::int64_t image = tile / tiles, first = tile % tiles * positions;
      const std::int64_t count = std::min(positions, windows - first);
      patches.move_to(first, count);
      for (std::int64_t g = 0; g < size.groups; ++g) {
        const std::int64_t group = image * size.groups + g;
        const T* patch = patches.gather(x + group * size.in_channels * taps.input_size());
        T* out = y + group * size.out_channels * windows + first;
        vectorized([=] {
          std::array<T, kPositions> sums;
          for (std::int64_t m = 0; m < size.out_channels; ++m) {
            const std::int64_t channel = g * size.out_channels + m;
            sum_rows(w + channel * depth, patch, depth, count, sums);
            const T last = bias == nullptr ? T(0) : bias[channel];
            for (std::int64_t p = 0; p < count; ++p) out[m * windows + p] = sums[static_cast<std::size_t>(p)] + last;
          }
        });
      }
    }
  });
}

template void convolve(const ConvolutionSize&, const Taps&, const float*, const float*, const float*, float*,
                       const Parallel&);
template void convolve(const ConvolutionSize&, const Taps&, const double*, const double*, const double*, double*,
                       const Parallel&);

}  // namespace octet
