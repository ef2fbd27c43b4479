#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

TEST(MatMul, MultipliesMatrices) {
  const Tensor a = counting<float>({2, 3}), b = counting<float>({3, 2});
  EXPECT_EQ(values<float>(run_operator("MatMul", 13, {}, {a, b})[0]), (std::vector<float>{10, 13, 28, 40}));
}

TEST(MatMul, TreatsVectorsAsRowsAndColumns) {
  const Tensor v = Tensor::from<float>({3}, {1, 10, 100}), m = counting<float>({3, 2});
  const Tensor row = run_operator("MatMul", 1, {}, {v, m})[0];
  EXPECT_EQ(row.shape(), Shape{2});
  EXPECT_EQ(values<float>(row), (std::vector<float>{420, 531}));
  const Tensor dot = run_operator("MatMul", 9, {}, {v, v})[0];
  EXPECT_EQ(dot.shape(), Shape{});
  EXPECT_EQ(dot.number_at(0), 10101);
}

TEST(MatMul, BroadcastsLeadingDimensions) {
  const Tensor a = counting<float>({2, 1, 1, 2}), b = counting<float>({3, 2, 1});
  const Tensor y = run_operator("MatMul", 13, {}, {a, b})[0];
  EXPECT_EQ(y.shape(), (Shape{2, 3, 1, 1}));
  EXPECT_EQ(values<float>(y), (std::vector<float>{1, 3, 5, 3, 13, 23}));
  const Tensor one = run_operator("MatMul", 13, {}, {counting<float>({2, 2, 2}), counting<float>({2, 1})})[0];
  EXPECT_EQ(one.shape(), (Shape{2, 2, 1}));
  EXPECT_EQ(values<float>(one), (std::vector<float>{1, 3, 5, 7}));
}

TEST(MatMul, IntegersWrap) {
  const Tensor a = Tensor::from<std::int32_t>({1, 2}, {INT32_MAX, 2}), b = Tensor::from<std::int32_t>({2, 1}, {2, 3});
  EXPECT_EQ(values<std::int32_t>(run_operator("MatMul", 9, {}, {a, b})[0]), (std::vector<std::int32_t>{4}));
  const Tensor c = Tensor::from<std::int64_t>({1, 1}, {INT64_MIN}), d = Tensor::from<std::int64_t>({1, 1}, {3});
  EXPECT_EQ(values<std::int64_t>(run_operator("MatMul", 13, {}, {c, d})[0]), (std::vector<std::int64_t>{INT64_MIN}));
}

TEST(MatMul, OfNoColumnsIsZero) {
  const Tensor y = run_operator("MatMul", 13, {}, {Tensor(DType::kFloat, {2, 0}), Tensor(DType::kFloat, {0, 2})})[0];
  EXPECT_EQ(values<float>(y), (std::vector<float>(4, 0.0F)));
}

TEST(MatMul, SplitsTallProductsWithoutLosingRows) {
  // 300 rows are split into blocks of 256; 19 columns leave a partial panel. Row m is all m, so y = m * sum of b.
  const std::int64_t rows = 300, depth = 7, columns = 19;
  Tensor a(DType::kDouble, {rows, depth});
  double index = 0;
  for (double& element : a.mutable_as<double>()) element = std::floor(index++ / depth);
  const Tensor y = run_operator("MatMul", 13, {}, {a, counting<double>({depth, columns})})[0];
  for (std::int64_t m = 0; m < rows; ++m)
    for (std::int64_t n = 0; n < columns; ++n)
      EXPECT_EQ(y.number_at(m * columns + n), static_cast<double>(m * (columns * 21 + 7 * n)));
}

TEST(MatMul, SumsInOrderWhateverTheTiling) {
  std::mt19937 random(1);
  for (std::int64_t rows = 1; rows <= 13; ++rows)
    for (const std::int64_t columns : {1, 7, 8, 15, 16, 17, 33}) {
      Tensor a(DType::kFloat, {rows, 21}), b(DType::kFloat, {21, columns});
      for (Tensor* tensor : {&a, &b})
        for (float& element : tensor->mutable_as<float>()) element = std::normal_distribution<float>()(random);
      const Tensor y = run_operator("MatMul", 13, {}, {a, b})[0];
      for (std::int64_t m = 0; m < rows; ++m)
        for (std::int64_t n = 0; n < columns; ++n) {
          float sum = 0;
          for (std::int64_t k = 0; k < 21; ++k)
            sum = std::fma(a.as<float>()[static_cast<std::size_t>(m * 21 + k)],
                           b.as<float>()[static_cast<std::size_t>(k * columns + n)], sum);
          EXPECT_EQ(y.as<float>()[static_cast<std::size_t>(m * columns + n)], sum) << rows << " x " << columns;
        }
    }
}

TEST(MatMul, InfersWithSymbols) {
  const Dim n = Dim::symbol("N");
  const Fact a = fact(DType::kFloat, SymbolicShape{n, 4, 8}), b = fact(DType::kFloat, SymbolicShape{8, 5});
  EXPECT_EQ(infer_operator("MatMul", 13, {}, {a, b}).shape, (SymbolicShape{n, 4, 5}));
}

TEST(MatMul, ChecksItsConstraints) {
  const Tensor a = counting<float>({2, 3}), byte = counting<std::uint8_t>({1, 1});
  EXPECT_EQ(broken_constraint("MatMul", 13, {}, {a, counting<double>({3, 2})}), "matmul_c1");
  EXPECT_EQ(broken_constraint("MatMul", 13, {}, {byte, byte}), "matmul_c1");
  EXPECT_EQ(broken_constraint("MatMul", 13, {}, {a, counting<float>({2, 2})}), "matmul_c2");
  EXPECT_EQ(broken_constraint("MatMul", 13, {}, {a, Tensor::scalar(1.0F)}), "matmul_c2");
  EXPECT_EQ(broken_constraint("MatMul", 13, {}, {counting<float>({2, 1, 1}), counting<float>({3, 1, 1})}), "matmul_c2");
}

}  // namespace
}  // namespace octet
