#include "octet/verify/float_tolerance.h"

#include <gtest/gtest.h>

#include <limits>

#include "octet/engine/reference_engine.h"
#include "tests/program/networks.h"

namespace octet {
namespace {

// x of 16 bits by 3, -3 and 1: the first two products cancel.
TEST(FloatTolerance, IsThatOfTheWholeSumWhereBytesAreJoined) {
  const Model model =
      network("main (x) => (y) { a = DequantizeLinear (x, s)\n w = DequantizeLinear (wq, s)\n y = MatMul (a, w) }",
              {value("x", DType::kUint16, SymbolicShape{1, 3})},
              {{"s", f(0.5F)}, {"wq", Tensor::from<std::int8_t>({3, 1}, {3, -3, 1})}}, 21);
  const ReferenceEngine engine(lowered(model, Policy::kExact), {.threads = 1});
  const NamedTensors values =
      engine.run({{"x", Tensor::from<std::uint16_t>({1, 3}, {60000, 60000, 4})}}, {.keep_all = true});
  const Program& program = engine.program();
  const Step& join = program.steps.back();
  const Tensor& y = values.at("y");
  EXPECT_EQ(y.as<float>()[0], 1);  // 4 * 0.25
  const auto bound = [&](bool sums_in_float) {
    return float_tolerances(program, join, values, y, sums_in_float, engine.parallel())[0];
  };
  // (3 + 16) 2^-23 * 0.25 * 7 * 65535
  EXPECT_DOUBLE_EQ(bound(true), 19 * 0x1p-23 * 0.25 * 7 * 65535);
  EXPECT_LT(bound(false), 1e-5);
}

// Whatever the other side has there would be near an infinity.
TEST(FloatTolerance, IsNoneWhereASumIsInfinite) {
  const Model model = network("main (x) => (y) { y = MatMul (x, w) }", {value("x", DType::kFloat, SymbolicShape{2, 2})},
                              {{"w", Tensor::from<float>({2, 1}, {1, 2})}});
  const ReferenceEngine engine(lowered(model, Policy::kExact), {.threads = 1});
  const float infinity = std::numeric_limits<float>::infinity();
  NamedTensors values = {{"x", Tensor::from<float>({2, 2}, {infinity, 1, 3, 1})}};
  values.merge(engine.run(values));
  const std::vector<double> bounds = float_tolerances(engine.program(), engine.program().steps.back(), values,
                                                      values.at("y"), true, engine.parallel());
  EXPECT_EQ(bounds, (std::vector<double>{0, (2 + 16) * 0x1p-23 * 5}));
}

}  // namespace
}  // namespace octet
