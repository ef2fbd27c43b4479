#include <gtest/gtest.h>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(Concat, JoinsAlongTheAxis) {
  const Tensor a = counting<float>({2, 2}), b = counting<float>({2, 1}, 10);
  EXPECT_EQ(values<float>(run_operator("Concat", 13, {{"axis", 1L}}, {a, b})[0]), (Floats{0, 1, 10, 2, 3, 11}));
  EXPECT_EQ(values<float>(run_operator("Concat", 11, {{"axis", -2L}}, {a, counting<float>({1, 2}, 10)})[0]),
            (Floats{0, 1, 2, 3, 10, 11}));
  EXPECT_EQ(values<float>(run_operator("Concat", 1, {}, {a, b})[0]), (Floats{0, 1, 10, 2, 3, 11}));
  EXPECT_EQ(values<float>(run_operator("Concat", 13, {{"axis", 0L}}, {Tensor(DType::kFloat, {0, 2}), a})[0]),
            (Floats{0, 1, 2, 3}));
}

TEST(Concat, MovesAnyType) {
  const Tensor y = run_operator("Concat", 13, {{"axis", 0L}},
                                {Tensor::from_strings({1}, {"a"}), Tensor::from_strings({2}, {"b", "c"})})[0];
  EXPECT_EQ(y.strings(), (std::vector<std::string>{"a", "b", "c"}));
  const Tensor complex(DType::kComplex128, {1});
  EXPECT_EQ(run_operator("Concat", 13, {{"axis", 0L}}, {complex, complex})[0].byte_size(), 32U);
}

TEST(Concat, InfersWhatItCan) {
  const Dim n = Dim::symbol("N");
  const Fact a = fact(DType::kFloat, SymbolicShape{n, 2, Dim()}), b = fact(DType::kFloat, SymbolicShape{Dim(), 3, 5});
  EXPECT_EQ(infer_operator("Concat", 13, {{"axis", 1L}}, {a, b}).shape, (SymbolicShape{n, 5, 5}));
  EXPECT_EQ(infer_operator("Concat", 13, {{"axis", 1L}}, {fact(DType::kFloat, std::nullopt), b}).shape,
            (SymbolicShape{Dim(), Dim(), 5}));
}

TEST(Concat, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2, 3});
  EXPECT_EQ(broken_constraint("Concat", 13, {{"axis", 0L}}, {x, Tensor(DType::kDouble, {2, 3})}), "concat_c1");
  EXPECT_EQ(broken_constraint("Concat", 13, {}, {x, x}), "concat_c2");
  EXPECT_EQ(broken_constraint("Concat", 13, {{"axis", 2L}}, {x, x}), "concat_c2");
  EXPECT_EQ(broken_constraint("Concat", 13, {{"axis", 0L}}, {x, Tensor(DType::kFloat, {2, 4})}), "concat_c3");
  EXPECT_EQ(broken_constraint("Concat", 13, {{"axis", 0L}}, {x, Tensor(DType::kFloat, {2})}), "concat_c3");
}

TEST(Split, CutsIntoEqualPieces) {
  const std::vector<Tensor> y = run_operator("Split", 13, {{"axis", 1L}}, {counting<float>({2, 4})}, 2);
  EXPECT_EQ(values<float>(y[0]), (Floats{0, 1, 4, 5}));
  EXPECT_EQ(values<float>(y[1]), (Floats{2, 3, 6, 7}));
}

TEST(Split, TakesLengthsFromInputOrAttribute) {
  const Tensor x = counting<float>({5}), lengths = int64s({2, 0, 3});
  for (const auto& y :
       {run_operator("Split", 13, {}, {x, lengths}, 3), run_operator("Split", 2, {{"split", ints({2, 0, 3})}}, {x}, 3),
        run_operator("Split", 1, {}, {x, lengths}, 3)}) {
    EXPECT_EQ(values<float>(y[0]), (Floats{0, 1}));
    EXPECT_EQ(values<float>(y[1]), Floats());
    EXPECT_EQ(values<float>(y[2]), (Floats{2, 3, 4}));
  }
}

TEST(Split, CutsEqualPiecesWithoutLengthsInEveryOpset) {
  for (const int opset : {1, 2, 11, 13, 18}) {
    const std::vector<Tensor> y = run_operator("Split", opset, {}, {counting<float>({6})}, 2);
    EXPECT_EQ(values<float>(y[0]), (Floats{0, 1, 2})) << opset;
    EXPECT_EQ(values<float>(y[1]), (Floats{3, 4, 5})) << opset;
  }
}

TEST(Split, LeavesAShorterLastPieceSinceOpset18) {
  const std::vector<Tensor> y = run_operator("Split", 18, {{"num_outputs", 3L}}, {counting<float>({7})}, 3);
  EXPECT_EQ(values<float>(y[0]), (Floats{0, 1, 2}));
  EXPECT_EQ(values<float>(y[2]), (Floats{6}));
}

TEST(Split, InfersWhatItCan) {
  const Dim n = Dim::symbol("N");
  const Fact x = fact(DType::kFloat, SymbolicShape{n, 6});
  EXPECT_EQ(infer_operator("Split", 13, {{"axis", 1L}}, {x}, 2, 1).shape, (SymbolicShape{n, 3}));
  EXPECT_EQ(infer_operator("Split", 13, {{"axis", 0L}}, {x}, 2, 1).shape, (SymbolicShape{Dim(), 6}));
  EXPECT_EQ(infer_operator("Split", 13, {{"axis", 0L}}, {x}, 1).shape, (SymbolicShape{n, 6}));
}

TEST(Split, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {5});
  EXPECT_EQ(broken_constraint("Split", 13, {{"axis", 1L}}, {x}, 1), "split_c1");
  EXPECT_EQ(broken_constraint("Split", 13, {}, {x, int64s({2, 2})}, 2), "split_c2");
  EXPECT_EQ(broken_constraint("Split", 13, {}, {x, int64s({6, -1})}, 2), "split_c2");
  EXPECT_EQ(broken_constraint("Split", 13, {}, {x, int64s({5})}, 2), "split_c2");
  EXPECT_EQ(broken_constraint("Split", 18, {{"num_outputs", 3L}}, {x}, 2), "split_c3");
  EXPECT_EQ(broken_constraint("Split", 13, {}, {x}, 2), "split_c4");
  EXPECT_EQ(broken_constraint("Split", 18, {{"num_outputs", 4L}}, {x}, 4), "split_c4");
}

}  // namespace
}  // namespace octet
