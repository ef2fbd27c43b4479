// analog_products.h: sums of products as an analog crossbar computes them.
//
// The products of a sum are dealt to tiles of `rows`, in the operator's order; each tile's sum is read by a converter,
// and what the converters say is added up exactly:
//
//   w'   = w + weight_noise * max|w| * n                      n normal, drawn once for each weight (random.h)
//   p    = Sum over the tile of x * w'                        in float64
//   lsb  = adc_range * 255 * max Sum over the tile |w| / 2^(adc_bits - 1)     the largest of the tile's columns
//   code = round_ties_even(clamp(p / lsb, -2^(adc_bits - 1), 2^(adc_bits - 1) - 1))
//   sum  = bias + round_ties_even(Sum over the tiles of code * lsb)           code * lsb is p without a converter
//
// x and w are less their zero points; 255 is the largest |x|.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "octet/spec/accumulator.h"

namespace octet {

class AnalogProducts {
 public:
  // `weights` are all lines that will come as b, each `depth` long.
  AnalogProducts(const Arithmetic& arithmetic, std::span<const std::int16_t> weights, std::int64_t depth);

  // As Int32Accumulator::add_products; b lies in the weights.
  void add_products(AccumulatorLines a, AccumulatorLines b, std::int64_t depth, std::int32_t* sums) const;

 private:
  double read(double sum, double lsb) const;

  AnalogArray array_;
  const std::int16_t* weights_;
  std::vector<float> noisy_;  // as weights
  std::vector<double> lsb_;   // of each tile
};

}  // namespace octet
