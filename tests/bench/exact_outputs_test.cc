#include "octet/bench/exact_outputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {
namespace {

ExactOutputs exactly(const Tensor& tensor) { return {{"y", {tensor, {}}}}; }

TEST(Equality, CountsElementsAndRows) {
  const Tensor exact = Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Equality found = equality(exactly(exact), {{"y", Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 0, 0, 0})}});
  EXPECT_EQ(found.elements, 6);
  EXPECT_EQ(found.equal_elements, 3);
  EXPECT_EQ(found.rows, 3);
  EXPECT_EQ(found.equal_rows, 1);
}

TEST(Equality, CountsNothingOfWhatIsMissingOrOfAnotherType) {
  const Tensor exact = Tensor::from<std::int8_t>({2}, {1, 2});
  for (const NamedTensors& other : {NamedTensors(), NamedTensors{{"y", Tensor::from<std::uint8_t>({2}, {1, 2})}}}) {
    const Equality found = equality(exactly(exact), other);
    EXPECT_EQ(found.elements, 2);
    EXPECT_EQ(found.equal_elements, 0);
    EXPECT_EQ(found.equal_rows, 0);
  }
}

TEST(Equality, TakesATensorWithoutDimensionsForOneRow) {
  const Equality found = equality(exactly(Tensor::scalar<float>(1)), {{"y", Tensor::scalar<float>(1)}});
  EXPECT_EQ(found.rows, 1);
  EXPECT_EQ(found.equal_rows, 1);
}

TEST(ExactOutputs, AllowTheRoundingOfTheLastFloatStepAndNoMore) {
  const Model model = model_from("main (x) => (y) { y = Softmax (x) }", {value("x", DType::kFloat, {{1, 2}})});
  const auto engine = make_engine("reference", lowered(model, Policy::kAsWritten));
  const ExactOutputs exact = exact_outputs(*engine, {{"x", Tensor::from<float>({1, 2}, {0, 0})}});
  const auto equal_to = [&](float value) {
    return equality(exact, {{"y", Tensor::from<float>({1, 2}, {value, 0.5F})}}).equal_elements;
  };
  EXPECT_EQ(equal_to(0.5F), 2);
  EXPECT_EQ(equal_to(std::nextafter(0.5F, 1.0F)), 2);
  EXPECT_EQ(equal_to(0.5001F), 1);
}

}  // namespace
}  // namespace octet
