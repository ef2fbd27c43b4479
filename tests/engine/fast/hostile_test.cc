// What files may say and nobody means: the fast engine gives way to the operations, and says what they say.
#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "tests/program/networks.h"
#include "tests/support/engines.h"

namespace octet {
namespace {

Program dilated(const Shape& x, const Shape& w, const std::string& attributes) {
  Model model = network("main (x) => (y) { y = QLinearConv <" + attributes + "> (x, s, z, w, s, z, s, z) }",
                        {value("x", DType::kUint8, symbolic(x))}, {{"s", f(0.5F)}, {"z", u8(3)}});
  Tensor weights(DType::kUint8, w);
  for (std::byte& byte : weights.mutable_bytes()) byte = std::byte{7};
  add_initializer(model, "w", weights);
  return lowered(std::move(model), Policy::kExact);
}

TEST(HostileConvolution, ReachesFarBeyondItsImage) {
  const Program program = dilated({1, 1, 4, 4}, {1, 1, 3, 3},
                                  "dilations: ints = [25000, 25000], pads: ints = [25000, 25000, 25000, 25000]");
  run_every_engine(program, {{"x", Tensor(DType::kUint8, {1, 1, 4, 4})}});
}

// The bytes of what it sees, counted in 64 bits, would be none.
TEST(HostileConvolution, SeesMoreThanCanBeCounted) {
  const Program program = dilated({1, 2048, 32, 1, 1}, {1, 2048, 32, 2, 2},
                                  "dilations: ints = [1, 16777215, 16777215], "
                                  "pads: ints = [0, 16777215, 16777215, 0, 0, 0]");
  run_every_engine(program, {{"x", Tensor(DType::kUint8, {1, 2048, 32, 1, 1})}});
}

TEST(EmptyTensors, RunOnEveryEngine) {
  Model model = network("main (x) => (y) { y = QLinearSoftmax <axis: int = -1, opset: int = 13> (x, s, z, s, z) }",
                        {value("x", DType::kUint8, SymbolicShape{2, 0})}, {{"s", f(0.1F)}, {"z", u8(0)}});
  model.graph.nodes[0].domain = "com.microsoft";
  run_every_engine(lowered(std::move(model), Policy::kExact), {{"x", Tensor(DType::kUint8, {2, 0})}});
}

// A dimension that is known when the program runs, and is not what the file says of the result.
TEST(DeclaredShapes, GiveWayToTheShapesThatAre) {
  Model model = network(
      "main (x) => (y) { q, s, z = DynamicQuantizeLinear (x)\n i = ConvInteger (q, w, z)\n"
      " f = Cast <to: int = 1> (i)\n y = Mul (f, s) }",
      {value("x", DType::kFloat, SymbolicShape{1, 1, 3, Dim()})}, {});
  add_initializer(model, "w", Tensor::from<std::uint8_t>({2, 1, 1, 1}, {3, 250}));
  model.graph.outputs[0].type = ValueType{.dtype = DType::kFloat, .shape = SymbolicShape{1, 2, 3, 3}};
  for (const Policy policy : {Policy::kExact, Policy::kAsWritten})
    for (const std::int64_t width : {1, 2, 3, 5}) {
      Tensor x(DType::kFloat, {1, 1, 3, width});
      for (float& real : x.mutable_as<float>()) real = static_cast<float>(width) - 1.5F;
      run_every_engine(lowered(model, policy), {{"x", x}});
      run_every_engine(lowered(model, policy), {{"x", x}}, {.keep_all = true});
    }
}

// A step that finds too little memory for its plan runs by its operations, and leaves the values of others alone.
TEST(ScarceMemory, LosesNoValueThatIsStillNeeded) {
  const Program program = lowered(network("main (x) => (y) { d = Neg (x)\n q = QuantizeLinear (x, s, z)\n"
                                          " a = QLinearConv <pads: ints = [1, 1, 1, 1]> (q, s, z, w, s, z, s, z)\n"
                                          " b = QLinearConv <pads: ints = [1, 1, 1, 1]> (a, s, z, w, s, z, s, z)\n"
                                          " r = DequantizeLinear (b, s, z)\n y = Add (r, d) }",
                                          {value("x", DType::kFloat, SymbolicShape{1, 16, 48, 48})},
                                          {{"s", f(0.5F)}, {"z", u8(3)}, {"w", Tensor(DType::kUint8, {16, 16, 3, 3})}}),
                                  Policy::kAsWritten);
  const NamedTensors inputs = {{"x", Tensor(DType::kFloat, {1, 16, 48, 48})}};
  const NamedTensors wanted = ReferenceEngine(program, {.threads = 1}).run(inputs);
  int got_through = 0, refused = 0;
  for (std::int64_t bytes = 100'000; bytes < 2'000'000; bytes += 20'000) {
    const FastEngine engine(program, {.threads = 1});
    const MemoryBudget budget(bytes);
    try {
      EXPECT_EQ(engine.run(inputs), wanted) << bytes;
      ++got_through;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kLimit) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(got_through, 0);
  EXPECT_GT(refused, 0);
}

TEST(AStepAlone, TakesTensorsOfOtherShapesAndTypesAsTheReferenceDoes) {
  const Program program = lowered(convolution(), Policy::kExact);
  const FastEngine fast(program, {.threads = 1});
  const ReferenceEngine reference(program, {.threads = 1});
  for (const Tensor& x :
       {Tensor(DType::kInt8, {1, 2, 1, 1}), Tensor(DType::kUint8, {1, 2, 1, 2}), Tensor(DType::kInt8, {1, 2, 3, 3})}) {
    const auto outcome = [&](const Engine& engine) -> std::pair<NamedTensors, std::string> {
      try {
        return {engine.run_step(0, {{"x", x}}), ""};
      } catch (const Error& error) {
        return {{}, error.what()};
      }
    };
    EXPECT_EQ(outcome(fast), outcome(reference));
  }
}

}  // namespace
}  // namespace octet
