// calibrate.h: the ranges of activations, observed while samples stream by. Memory does not grow with their number.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "octet/base/parallel.h"
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

class Calibrator {
 public:
  Calibrator(std::set<std::string> tensors, const CalibrationOptions& options);

  const std::set<std::string>& tensors() const { return tensors_; }
  // A batch of samples along the first axis. Throws kModel for NaN and infinities, naming the tensor.
  void observe(const std::string& tensor, const Tensor& values);
  // Many tensors of one batch.
  void observe(const std::map<std::string, Tensor>& values, const Parallel& parallel);

  // Tensors never observed are absent.
  std::map<std::string, Range> ranges() const;

 private:
  struct Seen {
    Range range;
    double sum_min = 0, sum_max = 0;
    std::int64_t samples = 0;
    Histogram histogram;
  };

  void see(Seen& seen, const std::string& tensor, const Tensor& values) const;

  std::set<std::string> tensors_;
  CalibrationOptions options_;
  std::map<std::string, Seen> seen_;
};

// The range that each histogram method chooses.
Range percentile_range(const Histogram& histogram, double percentile);
Range entropy_range(const Histogram& histogram);
Range squared_error_range(const Histogram& histogram, const Encoding& encoding);

}  // namespace octet
