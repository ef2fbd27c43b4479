// noise.h: how far numbers are from those that they stand for, summed up while they stream by.
//
//   SQNR         10 log10( sum of wanted^2 / sum of (found - wanted)^2 ), in dB
//   cosine       sum of wanted * found / sqrt( sum of wanted^2 * sum of found^2 )
//   mean error   mean of found - wanted: the bias
//
// All sums are in float64, element after element: they do not depend on how samples are batched. Without noise the SQNR is
// infinite, also where there is no signal; noise without a signal is minus infinity. The cosine of zeros is 1 with zeros and
// 0 with anything else. Elements that are NaN in both, or the same infinity, say nothing and are left out; one that is not
// finite on one side alone, or another infinity, is broken: the SQNR is minus infinity then, the largest error infinite,
// and the cosine and the mean error are those of the others.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "octet/base/tensor.h"

namespace octet {

// Numbers outside are clipped by the type that holds them, by more than its rounding would change them.
struct Limits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

// "31.42" of a ratio in dB; "exact" where there is no noise, "-inf" where there is nothing else.
std::string decibels(double ratio);

class Noise {
 public:
  // Both tensors have the same shape, with floating-point or integer elements.
  void add(const Tensor& wanted, const Tensor& found, const Limits& limits = {});

  std::int64_t elements() const { return finite_ + broken_; }  // that were compared
  std::int64_t broken() const { return broken_; }
  std::int64_t clipped() const { return clipped_; }  // wanted numbers beyond the limits
  double largest() const { return largest_; }        // error
  double sqnr() const;
  double cosine() const;
  double mean_error() const;

 private:
  void add(double wanted, double found, const Limits& limits);

  std::int64_t finite_ = 0, broken_ = 0, clipped_ = 0;
  double signal_ = 0, noise_ = 0, product_ = 0, found_ = 0, error_ = 0, largest_ = 0;
};

}  // namespace octet
