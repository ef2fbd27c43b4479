#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> mean_inputs() { return {s8({2, 3}, {4, 5, 9, -128, 127, 7}), f32(0.5F), s8(4), f32(0.25F), s8(4)}; }

TEST(QLinearReduceMean, IsTheMeanOfRealsQuantized) {
  const Tensor y = apply("QLinearReduceMean", {{"axes", ints({1})}, {"keepdims", 0L}}, mean_inputs());
  EXPECT_EQ(y.shape(), (Shape{2}));
  EXPECT_EQ(values<std::int8_t>(y), (SignedBytes{8, 0}));  // means 1 and -1: 4 and -4 steps
  const Tensor all = apply("QLinearReduceMean", {}, with(mean_inputs(), 4, Tensor()));
  EXPECT_EQ(all.shape(), (Shape{1, 1}));
  EXPECT_EQ(values<std::int8_t>(all), (SignedBytes{0}));
}

TEST(QLinearReduceMean, RoundsTiesToEvenAndSaturates) {
  const auto mean = [](int a, int b, float y_scale) {
    return apply(
               "QLinearReduceMean", {},
               {u8({2}, {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)}), f32(1), Tensor(), f32(y_scale)})
        .int_at(0);
  };
  EXPECT_EQ(mean(2, 3, 1), 2);
  EXPECT_EQ(mean(3, 4, 1), 4);
  EXPECT_EQ(mean(200, 200, 0.5F), 255);
}

TEST(QLinearReduceMean, InfersWhatItCan) {
  std::vector<Fact> facts;
  for (const Tensor& input : mean_inputs()) facts.push_back(Fact::of(input));
  facts[0] = fact(DType::kInt8, SymbolicShape{Dim::symbol("N"), 3, 4});
  EXPECT_EQ(text(inferred("QLinearReduceMean", {{"axes", ints({-1})}}, facts)), "int8[N,3,1]");
}

TEST(QLinearReduceMean, ChecksItsConstraints) {
  EXPECT_EQ(refused("QLinearReduceMean", {}, mean_inputs()), "");
  EXPECT_EQ(refused("QLinearReduceMean", {}, with(mean_inputs(), 0, f32({1}, {1}))), "qlinear_reduce_mean_c1");
  EXPECT_EQ(refused("QLinearReduceMean", {}, with(mean_inputs(), 4, u8(4))), "qlinear_reduce_mean_c1");
  EXPECT_EQ(refused("QLinearReduceMean", {}, with(mean_inputs(), 1, f32({2}, {1, 1}))), "qlinear_reduce_mean_c2");
  EXPECT_EQ(refused("QLinearReduceMean", {{"axes", ints({2})}}, mean_inputs()), "qlinear_reduce_mean_c3");
}

}  // namespace
}  // namespace octet
