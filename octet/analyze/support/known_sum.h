// known_sum.h: what is known before the run of the products that a step adds up.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "octet/program/program.h"
#include "octet/spec/interval.h"

namespace octet {

// bias[o] + Sum (x - zx) * (w[o, k] - w_zero_point[o]). Vectors have one element for all channels or one for each.
struct KnownSum {
  DType x_type = DType::kUndefined;  // integers
  Interval x_zero_points;            // that zx can be: one, or what the type has where it is computed
  Tensor weights;                    // [channels, products], by input channel of the group, then by tap
  std::int64_t inputs = 1;           // input channels of the group
  std::vector<std::int32_t> w_zero_points;
  std::vector<std::int32_t> bias;                // none, or one for all or each
  const work::Requantize* requantize = nullptr;  // what makes 8 bits of the sum, if anything does
};

class KnownSums {
 public:
  // The program outlives it.
  explicit KnownSums(const Program& program);

  // Nothing where the step adds up no products of integers, or its weights, their zero points or its bias come at run time.
  std::optional<KnownSum> of(const Step& step) const;

 private:
  std::optional<KnownSum> of_sum(const Step& step, const work::Sum& sum) const;
  std::optional<KnownSum> of_dequantized(const Step& step) const;
  // Whether it is in units of the sum: x's scale times w's, without a zero point.
  bool add_bias(const work::Dequantize& x, const work::Dequantize& w, const work::Dequantize& bias,
                KnownSum& sum) const;
  // The integers behind a float, where they are dequantized.
  const work::Dequantize* behind(ValueId value) const;
  const Tensor& constant(ValueId value) const { return program_.values[value].constant; }

  const Program& program_;
  std::map<ValueId, const work::Dequantize*> dequantized_;
};

}  // namespace octet
