// DequantizeLinear along the last axis.
#include "tests/spec/random_rows.h"

namespace octet {
namespace {

TEST(DequantizedRows, AreDequantizedWithParametersOfTheirOwn) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const std::int64_t rows = random.number(1, 9), columns = random.number(2, 70);
    const Tensor x = random.integers<std::int8_t>({rows, columns}), zero = random.integers<std::int8_t>({columns}),
                 scale = random.floats({columns});
    Tensor wanted(DType::kFloat, x.shape());
    for (std::int64_t k = 0; k < x.size(); ++k) {
      const auto c = static_cast<std::size_t>(k % columns);
      wanted.mutable_as<float>()[static_cast<std::size_t>(k)] =
          static_cast<float>(x.as<std::int8_t>()[static_cast<std::size_t>(k)] - zero.as<std::int8_t>()[c]) *
          scale.as<float>()[c];
    }
    EXPECT_TRUE(same_bits(run_operator("DequantizeLinear", 19, {{"axis", 1L}}, {x, scale, zero})[0], wanted)) << seed;
  }
}

}  // namespace
}  // namespace octet
