#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Products = std::vector<float>;

AttributeList equation(const char* text) { return {{"equation", std::string(text)}}; }
Tensor einsum(const char* text, const std::vector<Tensor>& inputs) {
  return run_operator("Einsum", 12, equation(text), inputs)[0];
}
Products summed(const char* text, const std::vector<Tensor>& inputs) { return values<float>(einsum(text, inputs)); }
Tensor square() { return Tensor::from<float>({2, 2}, {1, 2, 3, 4}); }
Tensor other() { return Tensor::from<float>({2, 2}, {5, 6, 7, 8}); }

TEST(Einsum, MultipliesMatrices) {
  EXPECT_EQ(summed("ij,jk->ik", {square(), other()}), (Products{19, 22, 43, 50}));
  EXPECT_EQ(summed("ij,jk", {square(), other()}), (Products{19, 22, 43, 50}));
  EXPECT_EQ(summed(" ij , jk -> ki ", {square(), other()}), (Products{19, 43, 22, 50}));
  EXPECT_EQ(summed("ij,kj->ik", {square(), other()}), (Products{17, 23, 39, 53}));
  EXPECT_EQ(summed("ij,jk,kl->il", {square(), other(), square()}), (Products{85, 126, 193, 286}));
}

TEST(Einsum, SumsTransposesAndTakesDiagonals) {
  EXPECT_EQ(summed("ij->ji", {square()}), (Products{1, 3, 2, 4}));
  EXPECT_EQ(summed("ji", {square()}), (Products{1, 3, 2, 4}));
  EXPECT_EQ(summed("ij->", {square()}), (Products{10}));
  EXPECT_EQ(summed("ii->i", {square()}), (Products{1, 4}));
  EXPECT_EQ(summed("ii", {square()}), (Products{5}));
  EXPECT_EQ(summed("ij,k->i", {square(), Tensor::from<float>({3}, {1, 1, 2})}), (Products{12, 28}));
}

TEST(Einsum, MultipliesWithoutASum) {
  const Tensor a = Tensor::from<float>({2}, {2, 3}), b = Tensor::from<float>({2}, {5, 7});
  EXPECT_EQ(summed("i,j->ij", {a, b}), (Products{10, 14, 15, 21}));
  EXPECT_EQ(summed("i,i->i", {a, b}), (Products{10, 21}));
}

TEST(Einsum, TakesTheAxesThatAreLeft) {
  const Tensor batch = Tensor::from<float>({2, 1, 2}, {1, 2, 3, 4});
  const Tensor y = einsum("...ij,...jk->...ik", {batch, other()});
  EXPECT_EQ(y.shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(values<float>(y), (Products{19, 22, 43, 50}));
  EXPECT_EQ(summed("...j->...", {batch}), (Products{3, 7}));
  EXPECT_EQ(summed("i...->...", {batch}), (Products{4, 6}));
}

TEST(Einsum, RepeatsAxesOfLengthOne) {
  const Tensor row = Tensor::from<float>({1, 2}, {10, 100});
  EXPECT_EQ(summed("ij,ij->ij", {square(), row}), (Products{10, 200, 30, 400}));
}

TEST(Einsum, WrapsIntegersAndKnowsEmptySums) {
  const Tensor bytes = Tensor::from<std::int8_t>({2}, {100, 1});
  EXPECT_EQ(values<std::int8_t>(einsum("i,i->", {bytes, Tensor::from<std::int8_t>({2}, {3, 0})})),
            (std::vector<std::int8_t>{44}));
  EXPECT_EQ(summed("ij,jk->ik", {Tensor(DType::kFloat, {1, 0}), Tensor(DType::kFloat, {0, 2})}), (Products{0, 0}));
}

TEST(Einsum, InfersSymbolicShapes) {
  const Dim n = Dim::symbol("N");
  const Fact y =
      infer_operator("Einsum", 12, equation("bij,bjk->bik"),
                     {fact(DType::kFloat, SymbolicShape{n, 3, 4}), fact(DType::kFloat, SymbolicShape{n, 4, 5})});
  EXPECT_EQ(y.shape, (SymbolicShape{n, 3, 5}));
}

TEST(Einsum, ChecksItsConstraints) {
  const auto broken = [](const char* text, const std::vector<Tensor>& inputs) {
    return broken_constraint("Einsum", 12, equation(text), inputs);
  };
  EXPECT_EQ(broken("ij->ij", {Tensor(DType::kBool, {2, 2})}), "einsum_c1");
  EXPECT_EQ(broken("ij,ij", {square(), Tensor(DType::kDouble, {2, 2})}), "einsum_c1");
  EXPECT_EQ(broken_constraint("Einsum", 12, {}, {square()}), "einsum_c2");
  for (const char* text : {"ij,jk", "i", "ijk", "i1", "i.j", "ij->k", "ij->ii", "...i...", "ij-"})
    EXPECT_EQ(broken(text, {square()}), "einsum_c2") << text;
  EXPECT_EQ(broken("ij", {square(), square()}), "einsum_c2");
  EXPECT_EQ(broken("ij,jk->ik", {square(), Tensor(DType::kFloat, {3, 2})}), "einsum_c3");
}

}  // namespace
}  // namespace octet
