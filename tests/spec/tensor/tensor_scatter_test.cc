#include "tests/support/run_operator.h"

namespace octet {
namespace {

using CacheRow = std::vector<float>;

Tensor reals(Shape shape, const CacheRow& elements) { return Tensor::from<float>(std::move(shape), elements); }
Tensor scattered(const AttributeList& attributes, const std::vector<Tensor>& inputs) {
  return run_operator("TensorScatter", 24, attributes, inputs)[0];
}
std::string scatter_refusal(const AttributeList& attributes, const std::vector<Tensor>& inputs) {
  return broken_constraint("TensorScatter", 24, attributes, inputs);
}

// Two sequences of three, one number each.
Tensor past_cache() { return reals({2, 3, 1}, {1, 2, 3, 4, 5, 6}); }

TEST(TensorScatter, WritesFromEachIndexOn) {
  const Tensor update = reals({2, 2, 1}, {10, 20, 30, 40});
  EXPECT_EQ(values<float>(scattered({}, {past_cache(), update})), (CacheRow{10, 20, 3, 30, 40, 6}));
  EXPECT_EQ(values<float>(scattered({}, {past_cache(), update, int64s({1, 0})})), (CacheRow{1, 10, 20, 30, 40, 6}));
}

TEST(TensorScatter, WrapsAroundWhenCircular) {
  const AttributeList circular = {{"mode", std::string("circular")}};
  EXPECT_EQ(values<float>(scattered(circular, {past_cache(), reals({2, 2, 1}, {10, 20, 30, 40}), int64s({2, 4})})),
            (CacheRow{20, 2, 10, 4, 30, 40}));
}

TEST(TensorScatter, TakesOtherAxesAndNothing) {
  EXPECT_EQ(values<float>(
                scattered({{"axis", 2L}}, {reals({1, 2, 2}, {1, 2, 3, 4}), reals({1, 2, 1}, {10, 20}), int64s({1})})),
            (CacheRow{1, 10, 3, 20}));
  EXPECT_EQ(values<float>(scattered({}, {past_cache(), Tensor(DType::kFloat, {2, 0, 1}), int64s({3, 0})})),
            values<float>(past_cache()));
  EXPECT_EQ(scattered({}, {Tensor(DType::kFloat, {2, 0, 1}), Tensor(DType::kFloat, {2, 0, 1})}).shape(),
            (Shape{2, 0, 1}));
}

TEST(TensorScatter, ChecksItsConstraints) {
  const Tensor update(DType::kFloat, {2, 2, 1});
  EXPECT_EQ(scatter_refusal({}, {past_cache(), Tensor(DType::kDouble, {2, 2, 1})}), "tensor_scatter_c1");
  EXPECT_EQ(scatter_refusal({}, {past_cache(), Tensor(DType::kFloat, {2, 4, 1})}), "tensor_scatter_c1");
  EXPECT_EQ(scatter_refusal({}, {past_cache(), Tensor(DType::kFloat, {1, 2, 1})}), "tensor_scatter_c1");
  EXPECT_EQ(scatter_refusal({{"axis", 0L}}, {past_cache(), update}), "tensor_scatter_c2");
  EXPECT_EQ(scatter_refusal({{"axis", 3L}}, {past_cache(), update}), "tensor_scatter_c2");
  EXPECT_EQ(scatter_refusal({{"mode", std::string("round")}}, {past_cache(), update}), "tensor_scatter_c3");
  EXPECT_EQ(scatter_refusal({}, {past_cache(), update, int64s({2, 0})}), "tensor_scatter_c3");
  EXPECT_EQ(scatter_refusal({{"mode", std::string("circular")}}, {past_cache(), update, int64s({-1, 0})}),
            "tensor_scatter_c3");
  EXPECT_EQ(scatter_refusal({}, {past_cache(), update, Tensor(DType::kInt32, {2})}), "tensor_scatter_c3");
}

}  // namespace
}  // namespace octet
