// Where with every way of broadcasting.
#include "tests/spec/random_rows.h"

namespace octet {
namespace {

TEST(ChosenRows, AreChosenByConditions) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const std::int64_t rows = random.number(1, 9), columns = random.number(1, 70);
    const auto shape = [&] {
      return Shape{random.number(0, 1) == 0 ? 1 : rows, random.number(0, 1) == 0 ? 1 : columns};
    };
    const Tensor a = random.floats(shape(), false, true), b = random.floats(shape(), false, true);
    Tensor condition(DType::kBool, shape());
    for (bool& chooses : condition.mutable_as<bool>()) chooses = random.number(0, 1) == 0;
    const Shape of_all = {std::max({a.shape()[0], b.shape()[0], condition.shape()[0]}),
                          std::max({a.shape()[1], b.shape()[1], condition.shape()[1]})};
    const auto at = [](const Tensor& tensor, std::int64_t i, std::int64_t j) {
      const Shape& from = tensor.shape();
      return static_cast<std::size_t>((from[0] == 1 ? 0 : i) * from[1] + (from[1] == 1 ? 0 : j));
    };
    Tensor wanted(DType::kFloat, of_all);
    for (std::int64_t i = 0; i < of_all[0]; ++i)
      for (std::int64_t j = 0; j < of_all[1]; ++j)
        wanted.mutable_as<float>()[at(wanted, i, j)] =
            condition.as<bool>()[at(condition, i, j)] ? a.as<float>()[at(a, i, j)] : b.as<float>()[at(b, i, j)];
    EXPECT_TRUE(same_bits(run_operator("Where", 16, {}, {condition, a, b})[0], wanted)) << seed;
  }
}

}  // namespace
}  // namespace octet
