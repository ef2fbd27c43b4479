// The threshold t in [-t, t] whose quantization, in 128 steps on either side of 0, loses the least information: the
// Kullback-Leibler divergence
//
//   D(P || Q) = sum P log(P / Q)
//
// of P, the histogram within [-t, t] with everything beyond gathered in its outermost bins, from Q, the histogram
// within [-t, t] averaged over the non-empty bins of each step. Zeros are left out: every quantization has them
// exactly, and the peak that a Relu makes of them would outweigh all else. The method of TensorRT, as ONNX Runtime's
// quantizer has it too, on a finer histogram.
#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/quantize/calibrate.h"

namespace octet {
namespace {

constexpr int kSteps = 256;
constexpr int kCoarse = 2048;  // bins: enough to tell thresholds apart

std::vector<double> coarsened(const Histogram& histogram) {
  const std::vector<std::uint64_t> fine = histogram.counts();
  std::vector<double> counts(kCoarse, 0.0);
  for (int i = 0; i < Histogram::kBins; ++i)
    counts[static_cast<std::size_t>(i / (Histogram::kBins / kCoarse))] +=
        static_cast<double>(fine[static_cast<std::size_t>(i)]);
  counts[kCoarse / 2] -= static_cast<double>(histogram.zeros());
  return counts;
}

double divergence(const std::vector<double>& counts, int half) {
  const int begin = kCoarse / 2 - half, end = kCoarse / 2 + half, width = end - begin;
  const auto at = [&](int i) { return counts[static_cast<std::size_t>(i)]; };
  std::vector<double> p(counts.begin() + begin, counts.begin() + end);
  for (int i = 0; i < begin; ++i) p.front() += at(i);
  for (int i = end; i < kCoarse; ++i) p.back() += at(i);

  std::vector<double> q(p.size(), 0.0);
  for (int step = 0; step < kSteps; ++step) {
    const int first = begin + width * step / kSteps, last = begin + width * (step + 1) / kSteps;
    double sum = 0;
    int filled = 0;
    for (int i = first; i < last; ++i) {
      sum += at(i);
      filled += at(i) > 0;
    }
    for (int i = first; i < last; ++i)
      if (at(i) > 0) q[static_cast<std::size_t>(i - begin)] = sum / filled;
  }

  double total_p = 0, total_q = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    total_p += p[i];
    total_q += q[i];
  }
  if (total_q == 0) return std::numeric_limits<double>::infinity();
  // Where clipped numbers fall into a bin that is empty by itself, Q is 0: a trace keeps the logarithm finite.
  constexpr double kTrace = 1e-4;
  double result = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0) result += p[i] / total_p * std::log(p[i] / total_p / (std::max(q[i], kTrace) / total_q));
  return result;
}

}  // namespace

Range entropy_range(const Histogram& histogram) {
  const Range seen = histogram.seen();
  if (histogram.bin_width() == 0) return seen;
  const std::vector<double> counts = coarsened(histogram);
  const double width = histogram.bin_width() * (Histogram::kBins / kCoarse);
  const double largest = static_cast<double>(std::max(-seen.min, seen.max));
  const int reach = std::clamp(static_cast<int>(largest / width) + 1, kSteps / 2, kCoarse / 2);  // holds all numbers
  int best = reach;
  double least = std::numeric_limits<double>::infinity();
  for (int half = kSteps / 2; half <= reach; ++half) {
    const double candidate = divergence(counts, half);
    if (candidate < least) {
      least = candidate;
      best = half;
    }
  }
  const auto threshold = static_cast<float>(best * width);
  return {std::max(seen.min, -threshold), std::min(seen.max, threshold)};
}

}  // namespace octet
