// Batches that are cut into slices, and those that may not be.
#include "octet/engine/fast/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "octet/engine/bound_run.h"
#include "octet/engine/fast/images.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "octet/program/group_epilogues.h"
#include "octet/program/known_values.h"
#include "octet/program/memory_plan.h"
#include "octet/program/resolve.h"
#include "tests/engine/fast/residual_network.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

constexpr fast::BatchSplit kAlways{.near = 1, .least = 0};

Program residual_program(std::int64_t images) {
  return group_epilogues(specialized(lowered(residual_network(), Policy::kExact), {{"N", images}}));
}
std::int64_t bytes_of_one_image() {
  return plan_memory(residual_program(1), {.aliases = false, .in_place = false}).bytes.value();
}
fast::BatchSplit of_images(std::int64_t count) { return {.near = count * bytes_of_one_image(), .least = 0}; }

TEST(Batch, IsCutIntoSlicesThatFillTheCache) {
  const auto slices = [](std::int64_t images, int threads, const fast::BatchSplit& cut) {
    return fast::Batch(residual_program(images), fast::chosen_simd(), false, threads, cut).slices();
  };
  const std::int64_t bytes = bytes_of_one_image();
  EXPECT_EQ(slices(12, 1, of_images(12)), 1);
  EXPECT_EQ(slices(12, 1, of_images(5)), 3);
  EXPECT_EQ(slices(12, 1, {.near = bytes / 2, .least = 0}), 12);
  EXPECT_EQ(slices(13, 1, of_images(5)), 3) << "the last one overlaps";
  EXPECT_EQ(slices(31, 2, of_images(31)), 31);
  EXPECT_EQ(slices(95, 2, of_images(95)), 48);
  EXPECT_EQ(slices(12, 1, {.near = bytes, .least = 13 * bytes}), 1);
  EXPECT_EQ(slices(32, 2, of_images(32)), 32);
  EXPECT_EQ(slices(128, 2, of_images(128)), 32);
  EXPECT_EQ(slices(2, 2, kAlways), 2);
  EXPECT_EQ(slices(3, 2, kAlways), 1) << "one thread would wait for the other";
  EXPECT_EQ(slices(9, 2, kAlways), 9);
  EXPECT_EQ(slices(1, 2, kAlways), 1);
  EXPECT_EQ(fast::Batch(residual_program(4), fast::chosen_simd(), true, 2, kAlways).slices(), 1);
}

TEST(Batch, GivesTheSameBitsInSlices) {
  const Program program = lowered(residual_network(), Policy::kExact);
  const ReferenceEngine reference(program, {.threads = 1});
  for (const fast::BatchSplit& cut : {kAlways, of_images(4)})
    for (const std::int64_t images : {2, 6, 13, 35})
      for (const int threads : {1, 2, 3}) {
        const FastEngine engine(program, {.threads = threads}, fast::chosen_simd(), cut);
        NamedTensors inputs = residual_inputs(images);
        const NamedTensors expected = reference.run(inputs);
        EXPECT_TRUE(identical(engine.run(inputs), expected));
        Tensor twice(DType::kUint8, {2 * images, 10});  // nothing is written behind the half that is bound
        const std::span<std::byte> memory = twice.mutable_bytes(), y = memory.first(memory.size() / 2);
        BoundRun run(engine, {{"x", buffer_of(inputs.at("x"))}}, {{"y", {DType::kUint8, {images, 10}, y}}});
        run();
        EXPECT_TRUE(std::ranges::equal(y, expected.at("y").bytes())) << images << " images, " << threads << " threads";
        EXPECT_TRUE(std::ranges::all_of(memory.subspan(y.size()), [](std::byte byte) { return byte == std::byte{0}; }));
      }
}

TEST(Batch, AsksNobodyAgainWhoHasThrown) {
  const FastEngine engine(lowered(residual_network(), Policy::kExact), {.threads = 3}, fast::chosen_simd(), kAlways);
  const NamedTensors inputs = residual_inputs(12);
  int calls = 0;
  const auto refuse = [&](std::size_t, std::size_t) {
    if (++calls != 5) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until the others have something to say too
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(engine.run(inputs, {.progress = refuse}), std::runtime_error);
  EXPECT_EQ(calls, 5);
}

TEST(Batch, ReportsEveryStepOfEverySliceAndCanBeCancelled) {
  const FastEngine engine(lowered(residual_network(), Policy::kExact), {.threads = 2}, fast::chosen_simd(), kAlways);
  const NamedTensors inputs = residual_inputs(8);
  const std::size_t steps = engine.kernels().size();
  std::size_t last = 0;
  const NamedTensors expected = engine.run(inputs, {.progress = [&](std::size_t done, std::size_t total) {
                                             EXPECT_EQ(done, ++last);
                                             EXPECT_EQ(total, 8 * steps);
                                           }});
  EXPECT_EQ(last, 8 * steps);
  std::stop_source source;
  const auto cancel = [&](std::size_t done, std::size_t) {
    if (done == steps + 1) source.request_stop();
  };
  EXPECT_EQ(failure_of([&] { engine.run(inputs, {.progress = cancel, .stop = source.get_token()}); }).code(),
            ErrorCode::kCancelled);
  EXPECT_TRUE(identical(engine.run(inputs), expected));
}

TEST(Batch, TimesItsStepsOnce) {
  const Program program = lowered(residual_network(), Policy::kExact);
  const std::vector<StepTime> of_whole = FastEngine(program, {.threads = 1}).time_steps(residual_inputs(13), 1);
  for (const fast::BatchSplit& cut : {kAlways, of_images(4)}) {
    const std::vector<StepTime> times =
        FastEngine(program, {.threads = 1}, fast::chosen_simd(), cut).time_steps(residual_inputs(13), 2);
    ASSERT_EQ(times.size(), of_whole.size());
    for (std::size_t s = 0; s < times.size(); ++s) {
      EXPECT_EQ(times[s].multiply_adds, of_whole[s].multiply_adds);
      EXPECT_GT(times[s].nanoseconds, 0);
    }
  }
}

// Whether it may be cut, and that it gives the reference's bits if it is asked to be.
bool is_cut(const Model& model, Policy policy = Policy::kExact) {
  const Program program = lowered(model, policy);
  NamedTensors inputs;
  for (const ProgramInput& input : program.inputs) {
    Shape shape;
    for (const Dim& dim : *input.type.shape) shape.push_back(dim.known() ? dim.value() : 4);
    Tensor tensor(input.type.dtype, shape);
    if (tensor.dtype() == DType::kFloat)
      for (std::int64_t k = 0; k < tensor.size(); ++k)
        tensor.mutable_as<float>()[static_cast<std::size_t>(k)] =
            static_cast<float>(mix(static_cast<std::uint64_t>(k)) % 17) - 8;
    else
      tensor = random_bytes(tensor.dtype(), shape, 7);
    inputs[program.values[input.value].name] = tensor;
  }
  const FastEngine engine(program, {.threads = 2}, fast::chosen_simd(), kAlways);
  EXPECT_TRUE(identical(engine.run(inputs), ReferenceEngine(program, {.threads = 1}).run(inputs)));
  return fast::part_of(group_epilogues(with_known_values(specialized(program, {{"N", 4}}))), 1).has_value();
}

bool is_cut(const std::string& text, const SymbolicShape& x, const Constants& constants = {},
            DType type = DType::kUint8) {
  Model model = network(text, {value("x", type, x)}, constants);
  for (Node& node : model.graph.nodes)
    if (!find_operator("", node.op_type)) node.domain = "com.microsoft";
  return is_cut(model);
}

TEST(Batch, IsCutWhereImagesDoNotMeet) {
  const Constants parameters = {{"s", f(0.5F)}, {"z", u8(3)}};
  EXPECT_TRUE(is_cut(residual_network()));
  EXPECT_TRUE(is_cut("main (x) => (y) { y = Transpose <perm: ints = [0, 2, 1]> (x) }", {N(), 3, 5}));
  EXPECT_TRUE(is_cut("main (x) => (y) { y = Softmax <axis: int = 1> (x) }", {N(), 5}, {}, DType::kFloat));
  EXPECT_TRUE(is_cut("main (x) => (y) { y = QLinearAdd (x, s, z, w, s, z, s, z) }", {N(), 2},
                     {{"s", f(0.5F)}, {"z", u8(3)}, {"w", Tensor::from<std::uint8_t>({1, 2}, {7, 9})}}));
  EXPECT_TRUE(is_cut("main (x) => (y) { y = QLinearConcat <axis: int = 1> (s, z, x, s, z, x, s, z) }", {N(), 3, 2},
                     parameters));
  EXPECT_TRUE(is_cut("main (x) => (y) { y = QLinearSoftmax <axis: int = 1, opset: int = 13> (x, s, z, s, z) }",
                     {N(), 6}, parameters));
  EXPECT_TRUE(
      is_cut("main (x) => (y) { s = Shape (x)\n n = Gather (s, i)\n r = Concat <axis: int = 0> (n, m)\n"
             " y = Reshape (x, r) }",
             {N(), 2, 3}, {{"i", Tensor::from<std::int64_t>({1}, {0})}, {"m", Tensor::from<std::int64_t>({1}, {-1})}}));
  Tensor kernel(DType::kFloat, {2, 3, 2, 2}), matrix(DType::kFloat, {5, 2});
  std::ranges::fill(kernel.mutable_as<float>(), 0.3F);
  std::ranges::fill(matrix.mutable_as<float>(), 0.7F);
  EXPECT_TRUE(is_cut("main (x) => (y) { c = Conv (x, w)\n a = Relu (c)\n d = Add (a, c)\n y = GlobalAveragePool (d) }",
                     {N(), 3, 4, 4}, {{"w", kernel}}, DType::kFloat));
  EXPECT_TRUE(is_cut("main (x) => (y) { c = MatMul (x, w)\n y = Mul (c, v) }", {N(), 5},
                     {{"w", matrix}, {"v", Tensor::from<float>({2}, {3, 5})}}, DType::kFloat));
}

TEST(Batch, IsNotCutWhereImagesMeet) {
  const Constants parameters = {{"s", f(0.5F)}, {"z", u8(3)}};
  EXPECT_FALSE(is_cut("main (x) => (y) { y = Transpose <perm: ints = [1, 0, 2]> (x) }", {N(), 4, 5}));
  EXPECT_FALSE(
      is_cut("main (x) => (y) { y = Reshape (x, r) }", {N(), 6}, {{"r", Tensor::from<std::int64_t>({2}, {-1, 3})}}));
  EXPECT_FALSE(is_cut("main (x) => (y) { y = Flatten <axis: int = 0> (x) }", {N(), 6}));
  EXPECT_FALSE(is_cut("main (x) => (y) { y = Slice (x, a, b, c, d) }", {N(), 6},
                      {{"a", Tensor::from<std::int64_t>({1}, {-1})},
                       {"b", Tensor::from<std::int64_t>({1}, {-9})},
                       {"c", Tensor::from<std::int64_t>({1}, {0})},
                       {"d", Tensor::from<std::int64_t>({1}, {-1})}}))
      << "the last image first";
  EXPECT_FALSE(is_cut("main (x) => (y) { y = Softmax <axis: int = 0> (x) }", {N(), 5}, {}, DType::kFloat));
  EXPECT_FALSE(is_cut("main (x) => (y) { y, a, b = DynamicQuantizeLinear (x) }", {N(), 5}, {}, DType::kFloat));
  EXPECT_FALSE(
      is_cut("main (x) => (y) { y = QLinearAdd (x, s, z, w, s, z, s, z) }", {N(), 2},
             {{"s", f(0.5F)}, {"z", u8(3)}, {"w", Tensor::from<std::uint8_t>({4, 2}, {7, 9, 1, 2, 3, 4, 5, 6})}}))
      << "a constant for each image";
  EXPECT_FALSE(is_cut("main (x) => (y) { y = QLinearConcat <axis: int = 0> (s, z, x, s, z, x, s, z) }", {N(), 3, 2},
                      parameters));
  EXPECT_FALSE(is_cut("main (x) => (y) { y = QLinearSoftmax <axis: int = 0, opset: int = 13> (x, s, z, s, z) }",
                      {N(), 6}, parameters));
  EXPECT_FALSE(is_cut("main (x) => (y) { y = QuantizeLinear <axis: int = 0> (x, p) }", {4, 5},
                      {{"p", Tensor::from<float>({4}, {1, 2, 3, 4})}}, DType::kFloat))
      << "a scale for each image";
  EXPECT_FALSE(is_cut("main (x) => (y) { d = DequantizeLinear (q, s, z)\n y = Add (x, d) }", {4, 3},
                      {{"q", random_bytes(DType::kUint8, {4, 3}, 5)}, {"s", f(0.5F)}, {"z", u8(3)}}, DType::kFloat))
      << "what is made of a constant for each image";
  EXPECT_FALSE(is_cut("main (x) => (y) { y = Mul (x, p) }", {4, 5}, {{"p", Tensor::from<float>({4, 1}, {1, 2, 3, 4})}},
                      DType::kFloat))
      << "a factor for each image";
  EXPECT_FALSE(is_cut("main (x) => (y) { y = MatMul (x, w) }", {N()},
                      {{"w", Tensor::from<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}}, DType::kFloat))
      << "their sum";
  EXPECT_FALSE(is_cut("main (x) => (y) { y = ReduceSum <keepdims: int = 1> (x) }", {N(), 5}, {}, DType::kFloat));
  EXPECT_FALSE(is_cut("main (x) => (x, y) { y = Transpose <perm: ints = [0, 2, 1]> (x) }", {N(), 3, 5}))
      << "an input is an output";
}

}  // namespace
}  // namespace octet
