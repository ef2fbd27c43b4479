// CumSum, Trilu, NonZero and Dropout.
#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(CumSum, AddsAlongTheAxis) {
  const Tensor x = counting<float>({2, 3}, 1);
  const auto sums = [&](std::int64_t axis, const AttributeList& attributes) {
    return values<float>(run_operator("CumSum", 14, attributes, {x, Tensor::scalar(axis)})[0]);
  };
  EXPECT_EQ(sums(1, {}), (Floats{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(sums(-2, {}), (Floats{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(sums(1, {{"exclusive", 1L}}), (Floats{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(sums(1, {{"reverse", 1L}}), (Floats{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(sums(1, {{"reverse", 1L}, {"exclusive", 1L}}), (Floats{5, 3, 0, 11, 6, 0}));
}

TEST(CumSum, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 3});
  EXPECT_EQ(broken_constraint("CumSum", 14, {}, {Tensor(DType::kBool, {2}), Tensor::scalar<std::int64_t>(0)}),
            "cum_sum_c1");
  EXPECT_EQ(broken_constraint("CumSum", 14, {}, {x, Tensor::scalar<std::int64_t>(2)}), "cum_sum_c2");
  EXPECT_EQ(broken_constraint("CumSum", 14, {}, {x, int64s({0, 1})}), "cum_sum_c2");
  EXPECT_EQ(broken_constraint("CumSum", 14, {}, {x, Tensor::scalar(0.0F)}), "cum_sum_c2");
}

TEST(Trilu, KeepsATriangle) {
  const Tensor x = counting<float>({2, 3}, 1);
  EXPECT_EQ(values<float>(run_operator("Trilu", 14, {}, {x})[0]), (Floats{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(values<float>(run_operator("Trilu", 14, {{"upper", 0L}}, {x, Tensor::scalar<std::int64_t>(1)})[0]),
            (Floats{1, 2, 0, 4, 5, 6}));
  EXPECT_EQ(values<float>(run_operator("Trilu", 14, {}, {x, Tensor::scalar(INT64_MIN)})[0]),
            (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(broken_constraint("Trilu", 14, {}, {Tensor(DType::kFloat, {2})}), "trilu_c1");
  EXPECT_EQ(broken_constraint("Trilu", 14, {}, {x, Tensor::scalar(0.0F)}), "trilu_c2");
  EXPECT_EQ(broken_constraint("Trilu", 14, {}, {x, int64s({0, 0})}), "trilu_c2");
}

TEST(NonZero, ListsIndices) {
  const Tensor y = run_operator("NonZero", 13, {}, {Tensor::from<float>({2, 2}, {0, 3, -1, 0})})[0];
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(y.to_ints(), (std::vector<std::int64_t>{0, 1, 1, 0}));
  EXPECT_EQ(run_operator("NonZero", 9, {}, {Tensor(DType::kBool, {3})})[0].shape(), (Shape{1, 0}));
  EXPECT_EQ(infer_operator("NonZero", 13, {}, {fact(DType::kFloat, SymbolicShape{2, 2})}).shape,
            (SymbolicShape{2, Dim()}));
  EXPECT_EQ(broken_constraint("NonZero", 13, {}, {Tensor(DType::kString, {1})}), "non_zero_c1");
}

TEST(Dropout, DropsNothing) {
  const Tensor x = counting<float>({2});
  const std::vector<Tensor> y = run_operator("Dropout", 13, {}, {x, Tensor::scalar(0.5F)}, 2);
  EXPECT_TRUE(y[0].identical(x));
  EXPECT_EQ(values<bool>(y[1]), (std::vector<bool>{true, true}));
  EXPECT_EQ(values<float>(run_operator("Dropout", 7, {{"ratio", 0.5F}}, {x}, 2)[1]), (Floats{1, 1}));
  const std::vector<Tensor> trained = run_operator("Dropout", 12, {}, {x, Tensor::scalar(0.0F), Tensor::scalar(true)});
  EXPECT_TRUE(trained[0].identical(x));
}

TEST(Dropout, RefusesToTrain) {
  const Tensor x = counting<float>({2}), yes = Tensor::scalar(true);
  for (const Tensor& ratio : {Tensor(), Tensor::scalar(0.5F)})
    EXPECT_EQ(failure_of([&] { run_operator("Dropout", 13, {}, {x, ratio, yes}); }).code(), ErrorCode::kUnsupported);
  EXPECT_EQ(broken_constraint("Dropout", 13, {}, {Tensor(DType::kInt32, {1})}), "dropout_c1");
}

}  // namespace
}  // namespace octet
