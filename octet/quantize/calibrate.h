// calibrate.h: the ranges of activations, observed while samples stream by. Memory does not grow with their number.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/quantize/histogram.h"
#include "octet/quantize/parameters.h"

namespace octet {

enum class Calibration {
  kMinMax,         // the smallest and the largest number ever seen
  kMovingAverage,  // the mean over samples of each sample's smallest and largest number
  kPercentile,     // what remains when (100 - percentile) / 2 percent are cut off at either end
  kEntropy,        // [-t, t], cut to what was seen, with the smallest Kullback-Leibler divergence of 128 steps
  kSquaredError,   // the range whose quantization has the smallest mean squared error
};

// "minmax", "moving-average", "percentile", "entropy", "mse". Throws kUsage for another name.
Calibration calibration_named(std::string_view name);
std::string_view name(Calibration calibration);

struct CalibrationOptions {
  Calibration method = Calibration::kMinMax;
  double percentile = 99.999;
  Encoding encoding;  // what kSquaredError optimizes for
};
// "mse", "percentile 99.999".
std::string to_string(const CalibrationOptions& options);

// Throws kUsage for a percentile that is not more than 50 and at most 100.
void check_percentile(double percentile);

// Samples that run together, by their numbers from 0 on.
struct SampleSpan {
  std::int64_t first, count;
};

class Calibrator {
 public:
  // Each tensor by `options`, but for those that `others` have.
  Calibrator(const std::set<std::string>& tensors, const CalibrationOptions& options,
             const std::map<std::string, CalibrationOptions>& others = {});

  // The values of some samples, along the first axis; nothing for a tensor that is not among those to observe. Threads
  // may call it at once, in any order of the samples: the ranges depend on neither. Throws kModel for NaN, naming
  // the tensor.
  void observe(const std::string& tensor, const Tensor& values, const SampleSpan& samples);

  // Tensors never observed are absent, and so are samples that have others missing before them. A tensor that was
  // infinite in any sample has a range with an infinite end, whatever the method.
  std::map<std::string, Range> ranges() const;

 private:
  // The range of each row along the first axis.
  struct Rows {
    SampleSpan samples;
    std::vector<Range> ranges;
  };
  struct Seen {
    CalibrationOptions options;
    std::mutex mutex;
    Range range;
    double sum_min = 0, sum_max = 0;  // over rows, in the order of the samples: float sums depend on it
    std::int64_t rows = 0, samples = 0;
    std::map<std::int64_t, Rows> waiting;  // by the first sample, for those before it
    Histogram histogram;

    void add(Rows rows_of_samples);
  };

  std::map<std::string, Seen> seen_;
};

// The range that each histogram method chooses.
Range percentile_range(const Histogram& histogram, double percentile);
Range entropy_range(const Histogram& histogram);
Range squared_error_range(const Histogram& histogram, const Encoding& encoding);

}  // namespace octet
