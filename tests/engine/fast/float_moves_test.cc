// Floats that change places on the fast engine: by the kernel for moves, whatever their bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "octet/spec/random.h"
#include "tests/program/networks.h"
#include "tests/support/engines.h"

namespace octet {
namespace {

constexpr DType kFloats[] = {DType::kFloat16, DType::kBFloat16, DType::kFloat, DType::kDouble};

// Every bit is random; a quarter of the elements has an exponent of ones: NaN of every payload, signaling ones too.
Tensor any_floats(DType type, const Shape& shape, std::uint64_t seed) {
  Tensor tensor(type, shape);
  const std::size_t size = size_of(type);
  for (std::size_t k = 0; k < tensor.mutable_bytes().size(); ++k) {
    const bool highest = k % size + 2 >= size, is_nan = k / size % 4 == 0;
    tensor.mutable_bytes()[k] = static_cast<std::byte>((seed = mix(seed)) | (highest && is_nan ? 0xfc : 0));
  }
  return tensor;
}

Model moving_network(DType type) {
  return network(R"(main (x, z) => (y, v) {
  t = Transpose <perm: ints = [0, 2, 3, 1]> (x)
  c = Concat <axis: int = 1> (t, z)
  y = Slice (c, starts, ends, axes, steps)
  v = Transpose <perm: ints = [3, 1, 0, 2]> (c)
})",
                 {value("x", type, {{2, 5, 6, 7}}), value("z", type, {{2, 3, 7, 5}})},
                 {{"starts", Tensor::from<std::int64_t>({2}, {8, 1})},
                  {"ends", Tensor::from<std::int64_t>({2}, {-100, 7})},
                  {"axes", Tensor::from<std::int64_t>({2}, {1, 2})},
                  {"steps", Tensor::from<std::int64_t>({2}, {-1, 2})}});
}

TEST(FastFloatMoves, KeepEveryBitOfEverySize) {
  for (const DType type : kFloats) {
    SCOPED_TRACE(name(type));
    const Program program = lowered(moving_network(type), Policy::kExact);
    const FastEngine engine(program, {.threads = 3});
    for (const StepKernel& step : engine.kernels()) EXPECT_EQ(step.kernel, "boxes") << step.step;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const NamedTensors inputs = {{"x", any_floats(type, {2, 5, 6, 7}, seed)},
                                   {"z", any_floats(type, {2, 3, 7, 5}, seed + 100)}};
      const NamedTensors expected = ReferenceEngine(program).run(inputs);
      EXPECT_TRUE(identical(engine.run(inputs), expected));
      EXPECT_TRUE(
          identical(engine.run(inputs, {.keep_all = true}), ReferenceEngine(program).run(inputs, {.keep_all = true})));
    }
  }
}

// Between convolutions, whose results have their channels last.
TEST(FastFloatMoves, MeetValuesThatHaveTheirChannelsLast) {
  const Model model = network(R"(main (x) => (y) {
  a = Conv (x, w)
  t = Transpose <perm: ints = [0, 1, 3, 2]> (a)
  c = Concat <axis: int = 1> (a, t)
  s = Slice (c, starts, ends, axes)
  y = Conv (s, w)
})",
                              {value("x", DType::kFloat, {{N(), 4, 6, 6}})},
                              {{"w", any_floats(DType::kFloat, {4, 4, 1, 1}, 7)},
                               {"starts", Tensor::from<std::int64_t>({1}, {2})},
                               {"ends", Tensor::from<std::int64_t>({1}, {6})},
                               {"axes", Tensor::from<std::int64_t>({1}, {1})}});
  const Program program = lowered(model, Policy::kExact);
  for (const std::int64_t images : {1, 3}) {
    const NamedTensors inputs = {{"x", any_floats(DType::kFloat, {images, 4, 6, 6}, 3)}};
    run_every_engine(program, inputs);
  }
}

}  // namespace
}  // namespace octet
