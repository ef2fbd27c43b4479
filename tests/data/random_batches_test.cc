#include <gtest/gtest.h>

#include "octet/data/model_inputs.h"
#include "tests/support/failure.h"
#include "tests/support/models.h"

namespace octet {
namespace {

Model model_with_input(std::vector<Dim> shape) {
  Model model;
  model.graph.inputs.push_back(value("x", DType::kUint8, SymbolicShape(std::move(shape))));
  return model;
}

TEST(RandomBatches, MakesOneOfEachSize) {
  const auto batches = random_batches(model_with_input({Dim::symbol("N"), Dim(3)}), {1, 4}, 1);
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].at("x").shape(), (Shape{1, 3}));
  EXPECT_EQ(batches[1].at("x").shape(), (Shape{4, 3}));
}

TEST(RandomBatches, BindsSymbolsToOneWithoutSizes) {
  const auto batches = random_batches(model_with_input({Dim::symbol("N"), Dim::symbol("M")}), {}, 1);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches[0].at("x").shape(), (Shape{1, 1}));
}

TEST(RandomBatches, RefusesSizesWhereNoFirstDimensionIsASymbol) {
  const Error error = failure_of([] { random_batches(model_with_input({Dim(2), Dim(3)}), {4}, 1); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
}

}  // namespace
}  // namespace octet
