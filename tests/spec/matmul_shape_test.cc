#include "octet/spec/matmul_shape.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {
namespace {

std::string product_shape(const SymbolicShape& a, const SymbolicShape& b) {
  return to_string(infer_matmul(a, b, "label").value());
}

TEST(MatMulShape, FollowsNumpy) {
  EXPECT_EQ(product_shape({2, 3}, {3, 4}), "[2,4]");
  EXPECT_EQ(product_shape({3}, {3, 4}), "[4]");
  EXPECT_EQ(product_shape({2, 3}, {3}), "[2]");
  EXPECT_EQ(product_shape({3}, {3}), "[]");
  EXPECT_EQ(product_shape({5, 1, 2, 3}, {7, 3, 4}), "[5,7,2,4]");
  EXPECT_EQ(product_shape({Dim::symbol("N"), 2, Dim()}, {3, 4}), "[N,2,4]");
}

TEST(MatMulShape, IsUnknownWithoutBothOperands) {
  EXPECT_FALSE(infer_matmul(std::nullopt, SymbolicShape{3, 4}, "label"));
  EXPECT_FALSE(infer_matmul(SymbolicShape{3, 4}, std::nullopt, "label"));
}

TEST(MatMulShape, RefusesWhatDoesNotFit) {
  EXPECT_THROW(product_shape({2, 3}, {4, 5}), Error);
  EXPECT_THROW(product_shape({2, 2, 3}, {3, 3, 5}), Error);
  EXPECT_THROW(product_shape({}, {3, 5}), Error);
}

TEST(MatMulLayout, FindsTheMatricesOfEachBatch) {
  const MatMulLayout layout({2, 1, 4, 3}, {5, 3, 6});
  EXPECT_EQ(layout.m, 4);
  EXPECT_EQ(layout.k, 3);
  EXPECT_EQ(layout.n, 6);
  EXPECT_EQ(layout.batches, 10);
  EXPECT_EQ(layout.operands(7).a, 1);
  EXPECT_EQ(layout.operands(7).b, 2);
  EXPECT_EQ(MatMulLayout({3}, {3}).m, 1);
  EXPECT_EQ(MatMulLayout({3}, {3}).n, 1);
}

}  // namespace
}  // namespace octet
