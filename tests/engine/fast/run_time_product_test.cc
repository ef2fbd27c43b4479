// Products of two matrices that are both computed at run time.
#include "tests/engine/fast/kernel_case.h"
#include "tests/engine/fast/sum_case.h"

namespace octet::fast {
namespace {

// Random batches of both operands, one of which may serve the whole batch of the other; vectors too.
struct ProductShapes {
  Shape x, w, y;
};

ProductShapes random_shapes(KernelCase& c, bool transposed) {
  const std::int64_t most = c.number(0, 3) == 0 ? 200 : 40;
  const std::int64_t rows = c.number(1, most), depth = c.number(1, 70), columns = c.number(1, 90);
  ProductShapes shapes{{rows, depth}, transposed ? Shape{columns, depth} : Shape{depth, columns}, {rows, columns}};
  if (c.number(0, 5) == 0) shapes.x = {depth}, shapes.y = {columns};
  if (!transposed && c.number(0, 5) == 0) shapes.w = {depth}, shapes.y.pop_back();
  for (std::int64_t axes = c.number(0, 2); axes-- > 0;) {
    const std::int64_t count = c.number(2, 4), kind = c.number(0, 3);
    if (shapes.x.size() < 2 || shapes.w.size() < 2) break;
    shapes.x.insert(shapes.x.begin(), kind == 1 ? 1 : count);
    shapes.w.insert(shapes.w.begin(), kind == 2 ? 1 : count);
    shapes.y.insert(shapes.y.begin(), count);
  }
  return shapes;
}

TEST(RunTimeProduct, IsTheSumOfProductsWhateverTheShapes) {
  for (unsigned seed = 0; seed < 3 * kKernelCases; ++seed) {
    KernelCase c(seed);
    const bool transposed = c.coin();
    const auto [x, w, y] = random_shapes(c, transposed);
    const DType x_type = c.byte_type(), w_type = c.byte_type(), y_type = c.byte_type();
    work::MatrixProduct work{.x = c.given(x_type, x), .w = c.given(w_type, w), .w_transposed = transposed};
    work.sum = {.x_type = x_type,
                .x_zero_point = c.meaning(x_type).zero_point,
                .w_zero_points = {c.meaning(w_type).zero_point}};
    if (c.coin()) work.x_zero_point = c.given(x_type, {});
    if (c.number(0, 3) == 0) work.sum.bias = {static_cast<std::int32_t>(c.number(-100'000, 100'000))};
    const std::int64_t kind = c.number(0, 2);
    work.y = c.add(kind == 0 ? DType::kInt32 : kind == 1 ? DType::kFloat : y_type, y);
    if (kind == 1) {
      const ValueId scale = c.coin() ? c.given(DType::kFloat, {}) : kNoValue;
      work.epilogue = {
          work::ToFloat{{c.scale()}, scale, c.coin() ? std::vector{100 * c.scale()} : std::vector<float>()}};
    } else if (kind == 2) {
      work.epilogue = c.stages(y_type, work.y);
      work.epilogue.insert(work.epilogue.begin(), work::Requantize{{c.scale() / 16}, c.meaning(y_type), y_type});
    }
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(RunTimeProduct, PacksLargeBatchesInSeveralRounds) {
  KernelCase c(1);
  constexpr std::int64_t kMatrices = 5, kDepth = 301, kColumns = 260;  // 160 KB packed, of each
  work::MatrixProduct work{.x = c.given(DType::kUint8, {kMatrices, 3, kDepth}),
                           .y = c.add(DType::kInt32, {kMatrices, 3, kColumns}),
                           .w = c.given(DType::kInt8, {kMatrices, kDepth, kColumns})};
  work.sum = {.x_type = DType::kUint8, .x_zero_point = 7, .w_zero_points = {-3}};
  c.expect_kernel(work);
}

TEST(RunTimeProduct, IsLeftToTheOperationsWhereItIsOfAnotherForm) {
  KernelCase c(1);
  const ValueId x = c.given(DType::kUint8, {3, 3}), w = c.given(DType::kInt8, {3, 3}), y = c.add(DType::kInt32, {3, 3});
  const ValueId floats = c.given(DType::kFloat, {3, 3}), none = c.given(DType::kInt8, {3, 0}),
                empty = c.add(DType::kInt32, {3, 0});
  const work::Sum sum = {.x_type = DType::kUint8, .w_zero_points = {0}};
  EXPECT_TRUE(c.has_kernel(work::MatrixProduct{.x = x, .y = y, .w = w, .sum = sum}));
  EXPECT_FALSE(c.has_kernel(work::MatrixProduct{.x = x, .y = y, .w = w, .x_transposed = true, .sum = sum}));
  EXPECT_FALSE(c.has_kernel(work::MatrixProduct{.x = floats, .y = y, .w = w, .quantizes_x = true, .sum = sum}));
  EXPECT_FALSE(c.has_kernel(work::MatrixProduct{.x = x, .y = y, .w = floats, .sum = sum}));
  EXPECT_FALSE(c.has_kernel(work::MatrixProduct{.x = x, .y = empty, .w = none, .sum = sum}));
  EXPECT_FALSE(c.has_kernel(work::MatrixProduct{.x = x, .y = y, .w = kNoValue, .sum = sum}));
}

}  // namespace
}  // namespace octet::fast

namespace octet {
namespace {

// As attention has it: both operands are inputs.
TEST(RunTimeProduct, RunsWhereWeightsAreInputs) {
  SumCase made =
      sum_case("main (x, w) => (y) { y = QLinearMatMul (x, xs, xz, w, ws, wz, ys, yz) }",
               {value("x", DType::kUint8, symbolic({2, 3, 5, 8})), value("w", DType::kInt8, symbolic({2, 3, 8, 20}))},
               {{"xs", f(0.02F)}, {"xz", u8(131)}, {"ws", f(0.03F)}, {"wz", s8(-4)}, {"ys", f(0.05F)}, {"yz", u8(9)}});
  const std::vector<Tensor> x = extremes(DType::kUint8, {2, 3, 5, 8}), w = extremes(DType::kInt8, {2, 3, 8, 20});
  for (const Tensor& left : x)
    for (const Tensor& right : w) made.inputs.push_back({{"x", left}, {"w", right}});
  Kernels kernels;
  expect_the_reference(made, kernels);
  for (const fast::Simd& target : fast::simd_targets())
    EXPECT_EQ(kernels[target.name], std::set<std::string>{"pairs of int16, packed in each run"}) << target.name;
}

}  // namespace
}  // namespace octet
