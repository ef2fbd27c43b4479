// Max, Min, Sum and Mean of any number of inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

std::vector<Tensor> three() {
  return {Tensor::from<float>({2}, {1, 8}), Tensor::from<float>({2}, {5, 2}), Tensor::from<float>({2}, {3, 2})};
}

TEST(Variadic, FoldsAllInputs) {
  EXPECT_EQ(values<float>(run_operator("Max", 13, {}, three())[0]), (Floats{5, 8}));
  EXPECT_EQ(values<float>(run_operator("Min", 13, {}, three())[0]), (Floats{1, 2}));
  EXPECT_EQ(values<float>(run_operator("Sum", 13, {}, three())[0]), (Floats{9, 12}));
  EXPECT_EQ(values<float>(run_operator("Mean", 13, {}, three())[0]), (Floats{3, 4}));
}

TEST(Variadic, TakesOneInput) {
  for (const char* name : {"Max", "Min", "Sum", "Mean"})
    EXPECT_EQ(values<float>(run_operator(name, 6, {}, {three()[0]})[0]), (Floats{1, 8})) << name;
}

TEST(Variadic, Broadcasts) {
  const Tensor column = counting<float>({2, 1}), row = counting<float>({3}), ten = Tensor::scalar(10.0F);
  EXPECT_EQ(values<float>(run_operator("Sum", 8, {}, {column, row, ten})[0]), (Floats{10, 11, 12, 11, 12, 13}));
}

TEST(Variadic, ExtremesOfNaNAreNaN) {
  const Tensor a = Tensor::from<float>({2}, {std::numeric_limits<float>::quiet_NaN(), 1});
  const Tensor b = Tensor::from<float>({2}, {1, std::numeric_limits<float>::quiet_NaN()});
  for (const char* name : {"Max", "Min"})
    for (const float value : values<float>(run_operator(name, 13, {}, {a, b})[0]))
      EXPECT_TRUE(std::isnan(value)) << name;
}

TEST(Variadic, ComparesIntegersOfAnyWidth) {
  const Tensor a = Tensor::scalar<std::uint64_t>(18446744073709551615U), b = Tensor::scalar<std::uint64_t>(1);
  EXPECT_EQ(run_operator("Max", 13, {}, {a, b})[0].as<std::uint64_t>()[0], 18446744073709551615U);
  EXPECT_EQ(run_operator("Min", 13, {}, {a, b})[0].as<std::uint64_t>()[0], 1U);
}

TEST(Variadic, ChecksTypesAndShapes) {
  for (const char* name : {"Max", "Min", "Sum", "Mean"}) {
    const auto& constraints = find_operator("", name)->constraints;
    EXPECT_EQ(broken_constraint(name, 13, {}, {Tensor(DType::kFloat, {2}), Tensor(DType::kDouble, {2})}),
              constraints[0].label);
    EXPECT_EQ(broken_constraint(name, 13, {}, {Tensor(DType::kFloat, {2}), Tensor(DType::kFloat, {3})}),
              constraints[1].label);
  }
  EXPECT_EQ(broken_constraint("Mean", 13, {}, {Tensor(DType::kInt32, {2})}), "mean_c1");
}

}  // namespace
}  // namespace octet
