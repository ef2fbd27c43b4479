// Exported C on networks of one step, with the numbers on which its writers' rarer lines show: exceptions, wide sums, tables of
// channels, windows at the border.
#include <limits>

#include "octet/export/c_source.h"
#include "octet/spec/random.h"
#include "tests/export/compiled_c.h"
#include "tests/program/networks.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

Program lowered_case(const std::string& text, std::vector<Value> inputs, const Constants& constants, int opset = 13) {
  Model model = network(text, std::move(inputs), constants, opset);
  for (Node& node : model.graph.nodes)
    if (node.op_type.starts_with("QLinear") || node.op_type == "QGemm") node.domain = "com.microsoft";
  return lowered(std::move(model), Policy::kExact);
}

// Every tensor is the reference engine's. `wanted`: what the C must have for the case to be one.
void expect_equal_in_c(const Program& program, const NamedTensors& inputs, const std::string& wanted,
                       const std::string& flags = "-O1 -march=native") {
  EXPECT_NE(c_source(program).source.contents.find(wanted), std::string::npos) << wanted;
  const std::unique_ptr<const Engine> engine = compiled(program, flags);
  ASSERT_TRUE(engine);
  const NamedTensors values = all_values(program, inputs);
  for (const auto& [name, tensor] : engine->run(inputs, {.keep_all = true}))
    EXPECT_TRUE(tensor.identical(values.at(name))) << name;
}

// All pairs of bytes: a, and with `second` b.
Tensor all_bytes(const Shape& shape, bool second) {
  Tensor tensor(DType::kInt8, shape);
  for (std::size_t k = 0; k < 65536; ++k)
    tensor.mutable_as<std::int8_t>()[k] = static_cast<std::int8_t>((second ? k % 256 : k / 256) - 128);
  return tensor;
}

Tensor random_bytes(const Shape& shape) {
  Tensor tensor(DType::kInt8, shape);
  std::uint64_t seed = 1;
  for (std::int8_t& byte : tensor.mutable_as<std::int8_t>())
    byte = static_cast<std::int8_t>((seed = mix(seed)) % 256 - 128);
  return tensor;
}

Tensor random_numbers(const Shape& shape) {
  Tensor tensor(DType::kFloat, shape);
  std::uint64_t seed = 2;
  for (float& number : tensor.mutable_as<float>()) number = static_cast<float>(2 * uniform(seed = mix(seed)) - 1);
  return tensor;
}

// Through int32 and its low bits, as the standard's kernel has it, not as C converts: that is undefined out of range.
TEST(CCast, OfNumbersThatDoNotFitBytes) {
  const Program program =
      lowered_case("main (x) => (y) { y = Cast <to: int = 2> (x) }", {value("x", DType::kFloat, SymbolicShape{6})}, {});
  expect_equal_in_c(
      program, {{"x", Tensor::from<float>({6}, {-1, 300, std::numeric_limits<float>::quiet_NaN(), 255.9F, -0.5F, 7})}},
      "whole_number(");
}

class CPairs : public testing::TestWithParam<std::tuple<const char*, float, float, float, const char*>> {};

TEST_P(CPairs, AllOfThem) {
  if (kSanitized) return;  // minutes for their constants, which the spec's tests search for, too
  const auto [op, a, b, y, wanted] = GetParam();
  const Program program = lowered_case(
      std::string("main (a, b) => (y) { y = ") + op + " (a, as, az, b, bs, bz, ys, yz) }",
      {value("a", DType::kInt8, SymbolicShape{256, 256}), value("b", DType::kInt8, SymbolicShape{256, 256})},
      {{"as", f(a)}, {"az", s8(3)}, {"bs", f(b)}, {"bz", s8(-7)}, {"ys", f(y)}, {"yz", s8(-27)}});
  expect_equal_in_c(program, {{"a", all_bytes({256, 256}, false)}, {"b", all_bytes({256, 256}, true)}}, wanted);
}

INSTANTIATE_TEST_SUITE_P(Parameters, CPairs,
                         testing::Values(std::tuple("QLinearAdd", 0.0373F, 0.756F, 0.5428F, "except_pair("),
                                         std::tuple("QLinearAdd", 0.233F, 0.3072F, 0.8748F,
                                                    "shift_down(left"),  // a sum of more than 32 bits
                                         std::tuple("QLinearMul", 0.8958F, 0.4285F, 22.785354F, "except_all(")));

// Accumulators from -16384 to 16383, each of them; two are exceptions.
TEST(CSums, OfOneChannelHaveTheirExceptions) {
  const Program program = lowered_case("main (x) => (y) { y = QGemm (x, xs, xz, w, ws, wz, c, ys, yz) }",
                                       {value("x", DType::kInt8, SymbolicShape{65536, 2})},
                                       {{"xs", f(0.0093199F)},
                                        {"xz", s8(0)},
                                        {"w", Tensor::from<std::int8_t>({2, 1}, {1, 127})},
                                        {"ws", f(1)},
                                        {"wz", s8(0)},
                                        {"c", Tensor::from<std::int32_t>({1}, {0})},
                                        {"ys", f(1)},
                                        {"yz", s8(-99)}});
  Tensor x(DType::kInt8, {65536, 2});
  const Tensor first = all_bytes({65536}, false), second = all_bytes({65536}, true);
  for (std::size_t k = 0; k < 65536; ++k) {
    x.mutable_as<std::int8_t>()[2 * k] = first.as<std::int8_t>()[k];
    x.mutable_as<std::int8_t>()[2 * k + 1] = second.as<std::int8_t>()[k];
  }
  expect_equal_in_c(program, {{"x", x}}, "except_all(");
}

// The square of 1 + 2^-12 lies halfway between two floats: what was added before it says to which of them it is rounded.
TEST(CSums, OfFloatsRoundOnceWithoutAFusedMultiplyAdd) {
  constexpr float kRoot = 1 + 0x1p-12F, kTiny = 0x1p-30F;
  const Program program =
      lowered_case("main (x) => (y) { y = MatMul (x, w) }", {value("x", DType::kFloat, SymbolicShape{4, 2})},
                   {{"w", Tensor::from<float>({2, 1}, {kTiny, kRoot})}});
  const NamedTensors inputs = {
      {"x", Tensor::from<float>({4, 2}, {kTiny, kRoot, -kTiny, kRoot, kTiny, -kRoot, -kTiny, -kRoot})}};
  constexpr float kBelow = 1 + 0x1p-11F, kAbove = 1 + 0x1p-11F + 0x1p-23F;
  EXPECT_EQ(all_values(program, inputs).at("y"), Tensor::from<float>({4, 1}, {kAbove, kBelow, -kBelow, -kAbove}));
  for (const char* flags : {"-O1", "-O1 -march=native"}) expect_equal_in_c(program, inputs, "fused(", flags);
}

// Rows of random bytes and one of equal bytes, along an axis and over all that follow it; every output step is 1/256.
TEST(CSoftmax, OfBytesIsTheTablesSum) {
  for (const char* attributes :
       {"axis: int = 1, opset: int = 13", "axis: int = -1, opset: int = 13", "axis: int = 1, opset: int = 12"}) {
    const Program program =
        lowered_case(std::string("main (x) => (y) { y = QLinearSoftmax <") + attributes + "> (x, xs, xz, ys, yz) }",
                     {value("x", DType::kInt8, SymbolicShape{5, 7, 11})},
                     {{"xs", f(0.05F)}, {"xz", s8(3)}, {"ys", f(1.0F / 256)}, {"yz", s8(-128)}});
    Tensor x = random_bytes({5, 7, 11});
    std::fill_n(x.mutable_as<std::int8_t>().begin(), 77, std::int8_t{127});
    expect_equal_in_c(program, {{"x", x}}, "table[255 - (max - from[");
  }
}

// A row of one element at 1/256: e * 256 is infinite, and ONNX Runtime converts that before it saturates.
TEST(CSoftmax, RefusesExponentialsThatOverflow) {
  const Program program =
      lowered_case("main (x) => (y) { y = QLinearSoftmax <axis: int = 1, opset: int = 13> (x, xs, xz, ys, yz) }",
                   {value("x", DType::kInt8, SymbolicShape{5, 1})},
                   {{"xs", f(0.05F)}, {"xz", s8(3)}, {"ys", f(1.0F / 256)}, {"yz", s8(-128)}});
  try {
    c_source(program);
    FAIL() << "it was written";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("exponentials times 1 / y_scale overflow float32"), std::string::npos)
        << error.what();
  }
}

TEST(CTables, OfChannelsAreTheirOwn) {
  const Program program = lowered_case(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n t = PRelu (a, k)\n y = QuantizeLinear (t, ys, yz) }",
      {value("x", DType::kInt8, SymbolicShape{1, 3, 16, 16})},
      {{"s", f(0.5F)},
       {"z", s8(3)},
       {"k", Tensor::from<float>({3, 1, 1}, {0.5F, -2, 0.1F})},
       {"ys", f(0.75F)},
       {"yz", s8(-5)}});
  expect_equal_in_c(program, {{"x", random_bytes({1, 3, 16, 16})}}, "tables[channel]");
}

TEST(CSums, OfDynamicDepthwiseConvolutionsSubtractTheZeroPoint) {
  const Program program = lowered_case(
      "main (x) => (y) { q, s, z = DynamicQuantizeLinear (x)\n"
      " y = ConvInteger <group: int = 3, pads: ints = [1, 1, 1, 1]> (q, w, z) }",
      {value("x", DType::kFloat, SymbolicShape{1, 3, 7, 6})}, {{"w", random_bytes({3, 1, 3, 3})}});
  expect_equal_in_c(program, {{"x", random_numbers({1, 3, 7, 6})}}, "ConvInteger");
}

TEST(CPools, DivideByTheTapsThatCount) {
  for (const char* attributes : {"pads: ints = [1, 0, 1, 1]", "pads: ints = [1, 0, 1, 1], count_include_pad: int = 1",
                                 "strides: ints = [2, 2], ceil_mode: int = 1, pads: ints = [0, 1, 1, 1], "
                                 "count_include_pad: int = 1"}) {
    SCOPED_TRACE(attributes);
    const std::string window = std::string("AveragePool <kernel_shape: ints = [3, 2], ") + attributes + "> ";
    const Program bytes = lowered_case("main (x) => (y) { y = QLinear" + window + "(x, xs, xz, ys, yz) }",
                                       {value("x", DType::kInt8, SymbolicShape{1, 2, 6, 7})},
                                       {{"xs", f(0.5F)}, {"xz", s8(-3)}, {"ys", f(0.6F)}, {"yz", s8(9)}});
    expect_equal_in_c(bytes, {{"x", random_bytes({1, 2, 6, 7})}}, "mean over the window");
    const Program real = lowered_case("main (x) => (y) { y = " + window + "(x) }",
                                      {value("x", DType::kFloat, SymbolicShape{1, 2, 6, 7})}, {}, 19);
    expect_equal_in_c(real, {{"x", random_numbers({1, 2, 6, 7})}}, "mean over the window");
  }
}

// As ONNX Runtime on x86 does: a mean beyond int32 gives the lowest byte, not the highest.
TEST(CPools, ConvertToInt32BeforeTheySaturate) {
  const Program program =
      lowered_case("main (x) => (y) { y = QLinearAveragePool <kernel_shape: ints = [1, 2]> (x, xs, xz, ys, yz) }",
                   {value("x", DType::kInt8, SymbolicShape{1, 1, 1, 3})},
                   {{"xs", f(1)}, {"xz", s8(0)}, {"ys", f(0x1p-30F)}, {"yz", s8(9)}});
  const NamedTensors inputs = {{"x", Tensor::from<std::int8_t>({1, 1, 1, 3}, {1, 1, 4})}};
  EXPECT_EQ(all_values(program, inputs).at("y"), Tensor::from<std::int8_t>({1, 1, 1, 2}, {127, -128}));
  expect_equal_in_c(program, inputs, "round_saturating(");
}

}  // namespace
}  // namespace octet
