// Sums of products of 16 bits: what is on integers, and that every engine adds up the very numbers.
#include <gtest/gtest.h>

#include <set>

#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "tests/program/networks.h"
#include "tests/program/work_evaluator.h"
#include "tests/support/engines.h"

namespace octet {
namespace {

template <typename T>
Tensor spread(const Shape& shape, std::int64_t factor) {
  Tensor tensor = Tensor::uninitialized(dtype_of<T>(), shape);
  for (std::size_t k = 0; k < tensor.mutable_as<T>().size(); ++k)
    tensor.mutable_as<T>()[k] = static_cast<T>(static_cast<std::int64_t>(k + 1) * factor);
  return tensor;
}

std::string reason_of(const Program& program, std::string_view output) {
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      if (program.values[operation.outputs[0]].name == output) return step.reason;
  return "";
}

std::set<DType> joined_types(const Program& program) {
  std::set<DType> types;
  for (const Step& step : program.steps)
    if (step.reason.starts_with("joins"))
      for (const Operation& operation : step.operations)
        if (operation.op->name == "Add") types.insert(program.values[operation.outputs[0]].dtype);
  return types;
}

TEST(WideSums, JoinTheSumsOfTheBytes) {
  const Model model = network(
      "main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear (wq, ws)\n y = MatMul (a, w) }",
      {value("x", DType::kInt16, SymbolicShape{2, 3})},
      {{"xs", f(0.5F)},
       {"xz", Tensor::scalar<std::int16_t>(5)},
       {"wq", Tensor::from<std::int8_t>({3, 2}, {1, -2, 3, 127, -128, 7})},
       {"ws", f(0.25F)}},
      21);
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(operators_of(program), (Names{"Cast", "Add", "Div", "Cast", "Mod", "Cast", "MatMulInteger", "MatMulInteger",
                                          "Mul", "Add", "Cast", "Mul"}));
  const Tensor x = Tensor::from<std::int16_t>({2, 3}, {-32768, 32767, 1, 0, 255, -256});
  const Tensor y = run_every_engine(program, {{"x", x}}).at("y");
  EXPECT_TRUE(y.identical(Tensor::from<float>({2, 2}, {8253.125F, 528286.5F, 4269.125F, 3741.625F})));
}

// Each step of the program from its work alone, and by a kernel.
void expect_work_and_kernels(const Program& program, const NamedTensors& inputs) {
  NamedTensors all = ReferenceEngine(program).run(inputs, {.keep_all = true});
  all.insert(inputs.begin(), inputs.end());
  for (const Step& step : program.steps) {
    EXPECT_EQ(step.opaque, "") << step.name;
    TensorsById given;
    for (const ValueId input : inputs_of(program, step)) given[input] = all.at(program.values[input].name);
    const TensorsById found = evaluate_work(step.work, program.values, given);
    for (const ValueId output : outputs_of(program, step))
      EXPECT_TRUE(found.at(output).identical(all.at(program.values[output].name))) << step.name;
  }
  for (const StepKernel& step : FastEngine(program, {.threads = 2}).kernels())
    EXPECT_FALSE(step.kernel.starts_with("by its operations")) << step.step << ": " << step.kernel;
}

// [1, 4, 3, 3] * [4, 2, 3, 3] in two groups, padded by x's zero point, against loops over the file's own integers.
template <typename X, typename W>
void expect_convolution(std::int64_t x_zero_point, std::int64_t w_zero_point, DType joined) {
  const Tensor x = spread<X>({1, 4, 3, 3}, 7919), w = spread<W>({4, 2, 3, 3}, 4561);
  const Model model = network(
      "main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear (wq, ws, wz)\n"
      " y = Conv <group: int = 2, pads: ints = [1, 1, 1, 1]> (a, w, b) }",
      {value("x", dtype_of<X>(), SymbolicShape{1, 4, 3, 3})},
      {{"xs", f(1)},
       {"xz", Tensor::scalar(static_cast<X>(x_zero_point))},
       {"wq", w},
       {"ws", f(0.5F)},
       {"wz", Tensor::scalar(static_cast<W>(w_zero_point))},
       {"b", Tensor::from<float>({4}, {0.5F, -3, 0, 1e6F})}},
      21);
  const Program program = lowered(model, Policy::kExact);
  EXPECT_TRUE(joined_types(program).contains(joined));
  expect_work_and_kernels(program, {{"x", x}});
  const Tensor y = run_every_engine(program, {{"x", x}}).at("y");
  const std::vector<float> bias = {0.5F, -3, 0, 1e6F};
  for (std::int64_t m = 0; m < 4; ++m)
    for (std::int64_t o = 0; o < 9; ++o) {
      std::int64_t sum = 0;
      for (std::int64_t c = 0; c < 2; ++c)
        for (std::int64_t t = 0; t < 9; ++t) {
          const std::int64_t row = o / 3 + t / 3 - 1, column = o % 3 + t % 3 - 1;
          if (row < 0 || row > 2 || column < 0 || column > 2) continue;
          sum += (x.int_at((m / 2 * 2 + c) * 9 + row * 3 + column) - x_zero_point) *
                 (w.int_at((m * 2 + c) * 9 + t) - w_zero_point);
        }
      const float scaled = static_cast<float>(sum) * 0.5F;
      EXPECT_EQ(y.as<float>()[static_cast<std::size_t>(m * 9 + o)], scaled + bias[static_cast<std::size_t>(m)])
          << m << " " << o;
    }
}

TEST(WideSums, ConvolveEveryPairOfTypes) {
  expect_convolution<std::int16_t, std::int8_t>(-77, 0, DType::kInt32);
  expect_convolution<std::uint16_t, std::int8_t>(40000, 3, DType::kInt32);
  expect_convolution<std::uint16_t, std::uint8_t>(32768, 128, DType::kInt32);
  expect_convolution<std::int16_t, std::int16_t>(256, 0, DType::kInt64);
  expect_convolution<std::uint16_t, std::uint16_t>(65535, 32768, DType::kInt64);
  expect_convolution<std::uint8_t, std::int16_t>(3, -5, DType::kInt32);
}

Model dense(std::int64_t products, float y_scale, const std::string& behind = "") {
  return network(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n t = MatMul (a, w)\n" + behind +
          " y = QuantizeLinear (" + (behind.empty() ? "t" : "r") + ", ys, z) }",
      {value("x", DType::kInt16, SymbolicShape{1, products})},
      {{"s", f(1)},
       {"ys", f(y_scale)},
       {"z", Tensor::scalar<std::int16_t>(0)},
       {"wq",
        Tensor::from<std::int8_t>({products, 1}, std::vector<std::int8_t>(static_cast<std::size_t>(products), 100))}},
      21);
}

TEST(WideSums, AreProvenOrStayFloat) {
  // E = (16 + 8) 2^-24 * 16 * 100 * 32768 = 75 units of the sum.
  EXPECT_TRUE(reason_of(lowered(dense(16, 76), Policy::kExact), "t").starts_with("joins the sums of t (MatMul)"));
  EXPECT_EQ(reason_of(lowered(dense(16, 74), Policy::kExact), "t"),
            "the float form of its sums of 16 products of 16 bits may be 1 steps of the result off the integer sum");
  EXPECT_EQ(reason_of(lowered(dense(16, 74, " r = Relu (t)\n"), Policy::kExact), "t"),
            "the float form of its sums of 16 products of 16 bits may be 1 steps of the result off the integer sum");
  EXPECT_EQ(reason_of(lowered(dense(33026, 1e9F), Policy::kExact), "t"),
            "sums of 33026 products, more than int32 holds of bytes");
  EXPECT_EQ(lowered(dense(16, 76), Policy::kOnnxRuntime).steps.size(), 4U);
}

TEST(WideSums, ShareTheBytesOfX) {
  const Model model = network(
      "main (x) => (y, z) { a = DequantizeLinear (x, s)\n w = DequantizeLinear (wq, s)\n y = MatMul (a, w)\n z = "
      "MatMul "
      "(a, w) }",
      {value("x", DType::kUint16, SymbolicShape{1, 1})}, {{"s", f(1)}, {"wq", Tensor::from<std::int8_t>({1, 1}, {3})}},
      21);
  const Program program = lowered(model, Policy::kExact);
  const Names operators = operators_of(program);
  EXPECT_EQ(std::count(operators.begin(), operators.end(), "Div"), 1);
  const NamedTensors found = run_every_engine(program, {{"x", Tensor::from<std::uint16_t>({1, 1}, {65535})}});
  EXPECT_EQ(found.at("y").as<float>()[0], 196605);
  EXPECT_EQ(found.at("z").as<float>()[0], 196605);
}

// 8 bits before a layer of 16 bits, and 8 bits behind it: every step has a kernel, in batches too.
TEST(WideSums, LeaveNoStepOfANetworkToTheOperations) {
  const Model model = network(R"(main (x) => (y) {
  q = QuantizeLinear (x, xs, xz)
  a = DequantizeLinear (q, xs, xz)
  w = DequantizeLinear (wq, ws)
  c = Conv (a, w)
  cq = QuantizeLinear (c, cs, cz)
  b = DequantizeLinear (cq, cs, cz)
  v = DequantizeLinear (vq, ws)
  d = Conv <group: int = 4> (b, v)
  dq = QuantizeLinear (d, ys, cz)
  e = DequantizeLinear (dq, ys, cz)
  y = QuantizeLinear (e, xs, xz)
})",
                              {value("x", DType::kFloat, {{N(), 4, 6, 5}})},
                              {{"xs", f(0.5F)},
                               {"xz", u8(120)},
                               {"wq", spread<std::int8_t>({4, 4, 1, 1}, 3)},
                               {"vq", spread<std::int8_t>({4, 1, 3, 3}, 1)},
                               {"ws", f(0.25F)},
                               {"cs", f(0.01F)},
                               {"ys", f(0.25F)},
                               {"cz", Tensor::scalar<std::uint16_t>(32768)}},
                              21);
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(joined_types(program).size(), 1U);
  for (const std::int64_t images : {1, 2, 5}) {
    Tensor x(DType::kFloat, {images, 4, 6, 5});
    for (std::size_t k = 0; k < x.mutable_as<float>().size(); ++k)
      x.mutable_as<float>()[k] = static_cast<float>(static_cast<std::int64_t>(k * 37 % 211) - 105) * 0.5F;
    run_every_engine(program, {{"x", x}});
  }
  for (const StepKernel& step : FastEngine(program, {.threads = 1}).kernels())
    EXPECT_FALSE(step.kernel.starts_with("by its operations")) << step.step << ": " << step.kernel;
}

}  // namespace
}  // namespace octet
