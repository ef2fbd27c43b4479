// Softmax and LogSoftmax of rows and columns beside their formulas.
#include <cmath>

#include "octet/spec/ort_exp.h"
#include "tests/spec/random_rows.h"

namespace octet {
namespace {

Floats softmax_of(const Floats& x, bool logarithm) {
  float greatest = std::numeric_limits<float>::lowest(), lanes[8] = {};
  for (const float value : x) greatest = std::max(greatest, value);
  Floats y;
  for (const float value : x) y.push_back(ort_exp_of_negative(value - greatest));
  for (std::size_t k = 0; k < y.size(); ++k) lanes[k % 8] += y[k];
  const float sum = ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = logarithm ? (x[k] - greatest) - std::log(sum) : y[k] * (1 / sum);
  return y;
}

TEST(SoftmaxRows, AreNormalizedBySoftmax) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const Reduced of = random_reduced(random);
    const Tensor x = random.floats({of.before, of.length, of.after}, seed % 4 == 0, seed % 3 == 0);
    for (const bool logarithm : {false, true}) {
      Tensor wanted(DType::kFloat, x.shape());
      for (std::int64_t output = 0; output < of.before * of.after; ++output) {
        const Floats y = softmax_of(of.elements<float>(x, output), logarithm);
        for (std::int64_t k = 0; k < of.length; ++k)
          wanted.mutable_as<float>()[static_cast<std::size_t>((output / of.after * of.length + k) * of.after +
                                                              output % of.after)] = y[static_cast<std::size_t>(k)];
      }
      EXPECT_TRUE(same_bits(run_operator(logarithm ? "LogSoftmax" : "Softmax", 13, {{"axis", 1L}}, {x})[0], wanted))
          << seed;
    }
  }
}

}  // namespace
}  // namespace octet
