#include "octet/base/vectorize.h"

#include <gtest/gtest.h>

#include <vector>

namespace octet {
namespace {

// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11; a fused multiply-add would keep the last term.
TEST(Vectorized, NeverFusesMultiplyAndAdd) {
  const std::vector<float> x(100, 1 + 0x1p-12F);
  std::vector<float> y(x.size(), 1);
  vectorized([from = x.data(), to = y.data(), count = x.size()] {
    for (std::size_t k = 0; k < count; ++k) to[k] = from[k] * from[k] - (1 + 0x1p-11F);
  });
  EXPECT_EQ(y, std::vector<float>(x.size()));
}

}  // namespace
}  // namespace octet
