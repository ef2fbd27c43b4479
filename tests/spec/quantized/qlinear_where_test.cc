#include "octet/spec/quantized/qlinear_where.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

Tensor bools(Shape shape, std::initializer_list<bool> elements) {
  return Tensor::from<bool>(std::move(shape), elements);
}

std::vector<Tensor> where_inputs() {
  return {bools({2, 1}, {true, false}), s8({2}, {-5, 5}), f32(1), s8(0), s8({}, {7}), f32(0.5F), s8(0), f32(1), s8(0)};
}

TEST(QLinearWhere, CopiesOrRescalesWhatItChooses) {
  const Tensor z = apply("QLinearWhere", {}, where_inputs());
  EXPECT_EQ(z.shape(), (Shape{2, 2}));
  EXPECT_EQ(values<std::int8_t>(z), (SignedBytes{-5, 5, 4, 4}));  // 3.5 to even
  EXPECT_EQ(values<std::int8_t>(apply("QLinearWhere", {}, where_inputs(), {.rounding = Rounding::kTowardZero})),
            (SignedBytes{-5, 5, 3, 3}));
}

TEST(QLinearWhere, KeepsZerosThatItChooses) {
  const Tensor z = apply("QLinearWhere", {}, with(where_inputs(), 1, s8({2}, {0, 0})));
  EXPECT_EQ(values<std::int8_t>(z), (SignedBytes{0, 0, 4, 4}));
}

TEST(QLinearWhere, ChecksItsConstraints) {
  const auto check = [](std::size_t index, Tensor tensor) {
    return refused("QLinearWhere", {}, with(where_inputs(), index, std::move(tensor)));
  };
  EXPECT_EQ(check(0, u8({1}, {1})), "qlinear_where_c1");
  EXPECT_EQ(check(4, u8({1}, {1})), "qlinear_where_c1");
  EXPECT_EQ(check(7, s8(1)), "qlinear_where_c1");
  EXPECT_EQ(check(5, f32({2}, {1, 1})), "qlinear_where_c2");
  EXPECT_EQ(check(1, s8({3}, {1, 2, 3})), "");
  EXPECT_EQ(check(4, s8({3}, {1, 2, 3})), "qlinear_where_c3");
}

}  // namespace
}  // namespace octet
