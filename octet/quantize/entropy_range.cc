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

double times_log(double p) { return p > 0 ? p * std::log(p) : 0; }

// The divergence for every threshold, from running sums over the bins. With T the sum of P, and of Q that of the counts
// within [-t, t],
//
//   D = (sum P log P - sum P log Q) / T - log T + log(sum Q)
//
// where P log P is that of the counts but for the outermost bins, and Q is one number for all filled bins of a step.
class Divergence {
 public:
  explicit Divergence(const std::vector<double>& counts) : counts_(counts) {
    for (const double count : counts) {
      below_.push_back(below_.back() + count);
      entropy_.push_back(entropy_.back() + times_log(count));
      filled_.push_back(filled_.back() + (count > 0 ? 1 : 0));
    }
  }

  // The divergence for the threshold `half` bins from the middle.
  double at(int half) const {
    const int begin = kCoarse / 2 - half, end = kCoarse / 2 + half;
    const double total = below_.back(), inside = sum(below_, begin, end);
    if (inside == 0) return std::numeric_limits<double>::infinity();
    double result = sum(entropy_, begin, end);
    for (int step = 0; step < kSteps; ++step) {
      const Step of(*this, begin, end - begin, step);
      if (of.filled > 0) result -= of.sum * std::log(of.sum / of.filled);
    }
    result += gathered(begin, sum(below_, 0, begin), Step(*this, begin, end - begin, 0));
    result += gathered(end - 1, sum(below_, end, kCoarse), Step(*this, begin, end - begin, kSteps - 1));
    return result / total - std::log(total) + std::log(inside);
  }

 private:
  struct Step {
    Step(const Divergence& of, int begin, int width, int step) {
      const int first = begin + width * step / kSteps, last = begin + width * (step + 1) / kSteps;
      sum = Divergence::sum(of.below_, first, last);
      filled = Divergence::sum(of.filled_, first, last);
    }
    double sum, filled;
  };

  static double sum(const std::vector<double>& running, int begin, int end) {
    return running[static_cast<std::size_t>(end)] - running[static_cast<std::size_t>(begin)];
  }

  // What an outermost bin adds to the sum when `beyond` numbers are gathered in it.
  double gathered(int bin, double beyond, const Step& step) const {
    // Where clipped numbers fall into a bin that is empty by itself, Q is 0: a trace keeps the logarithm finite.
    constexpr double kTrace = 1e-4;
    const double count = counts_[static_cast<std::size_t>(bin)];
    return times_log(count + beyond) - times_log(count) -
           beyond * std::log(count > 0 ? step.sum / step.filled : kTrace);
  }

  const std::vector<double>& counts_;
  std::vector<double> below_ = {0}, entropy_ = {0}, filled_ = {0};  // running sums: counts, P log P, bins not empty
};

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
  const Divergence divergence(counts);
  for (int half = kSteps / 2; half <= reach; ++half) {
    const double candidate = divergence.at(half);
    if (candidate < least - 1e-12) {  // more than rounding
      least = candidate;
      best = half;
    }
  }
  const auto threshold = static_cast<float>(best * width);
  return {std::max(seen.min, -threshold), std::min(seen.max, threshold)};
}

}  // namespace octet
