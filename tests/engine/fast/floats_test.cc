// Float steps on the fast engine, held to the reference engine bit by bit: random shapes, stages and numbers, each
// instruction set, with one thread and with several.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <set>

#include "octet/engine/bound_run.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "octet/program/resolve.h"
#include "tests/program/networks.h"
#include "tests/support/engines.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// Draws networks of floats.
class FloatWriter {
 public:
  explicit FloatWriter(unsigned seed) : random_(seed) {
    const std::int64_t kind = number(0, 9);
    if (kind == 0) exponent_ = -75;  // products are 0, of both signs
    if (kind == 1) exponent_ = -70;  // or not normal
    strange_ = kind == 2;
  }

  void convolution() {
    const std::int64_t rank = number(0, 5) == 0 ? number(0, 1) * 2 + 1 : 2;
    const std::int64_t group = number(0, 2) == 0 ? number(2, 4) : 1;
    std::int64_t in = number(0, 3) == 0 ? 1 : number(1, 20), out = number(0, 3) == 0 ? 1 : number(1, 70);
    if (number(0, 3) == 0) in = 1, out = 1;  // depthwise, if there are groups
    if (group > 1 && in * group < 12 && coin()) in *= 5;
    const std::int64_t groups = in == 1 && out == 1 && group > 1 ? number(2, 40) : group;
    Shape x = {number(1, 3), in * groups}, w = {out * groups, in}, y = {x[0], w[0]};
    std::vector<std::int64_t> strides, dilations, begins, ends;
    for (std::int64_t d = 0; d < rank; ++d) {
      const std::int64_t kernel = number(1, 4), dilation = number(0, 3) == 0 ? 2 : 1, stride = number(1, 3);
      const std::int64_t extent = (kernel - 1) * dilation + 1, size = number(1, rank == 3 ? 5 : 14);
      const std::int64_t begin = number(0, 3), end = std::max<std::int64_t>(number(0, 2), extent - size - begin);
      x.push_back(size);
      w.push_back(kernel);
      y.push_back((size + begin + end - extent) / stride + 1);
      strides.push_back(stride);
      dilations.push_back(dilation);
      begins.push_back(begin);
      ends.push_back(end);
    }
    begins.insert(begins.end(), ends.begin(), ends.end());
    constants_.emplace_back("w", floats(w));
    const bool biased = coin();
    if (biased) constants_.emplace_back("b", zeros_among(floats({w[0]})));
    text_ = fmt::format(
        "a = Conv <group: int = {}, strides: ints = [{}], dilations: ints = [{}], pads: ints = [{}]> ({})", groups,
        fmt::join(strides, ", "), fmt::join(dilations, ", "), fmt::join(begins, ", "), biased ? "x, w, b" : "x, w");
    start(x, y, 1);
  }

  void product() {
    const std::int64_t rows = number(0, 2) == 0 ? number(50, 130) : number(1, 9), depth = number(1, 70),
                       columns = number(1, 150);
    const bool gemm = coin(), transposed = gemm && coin();
    Shape x = {rows, depth};
    if (!gemm && coin()) x.insert(x.begin(), number(1, 3));
    constants_.emplace_back("w", floats(transposed ? Shape{columns, depth} : Shape{depth, columns}));
    if (gemm) {
      constants_.emplace_back("b", zeros_among(floats(coin() ? Shape{columns} : Shape{1, 1})));
      text_ = fmt::format("a = Gemm <transB: int = {}, alpha: float = {}, beta: float = {}> (x, w, b)",
                          transposed ? 1 : 0, coin() ? "1.0" : "0.3", coin() ? "1.0" : "0.7");
    } else {
      text_ = "a = MatMul (x, w)";
    }
    Shape y = x;
    y.back() = columns;
    start(x, y, y.size() - 1);
  }

  void pool() {
    const std::int64_t rank = number(1, 3);
    Shape x = {number(1, 3), number(1, 40)}, y = x;
    std::vector<std::int64_t> kernels, strides, begins, ends;
    const std::int64_t kind = number(0, 2);
    for (std::int64_t d = 0; d < rank; ++d) {
      const std::int64_t size = number(1, rank == 3 ? 5 : 12), kernel = number(1, 4), stride = number(1, 3);
      const std::int64_t begin = number(0, kernel - 1);
      const std::int64_t end = std::max<std::int64_t>(number(0, kernel - 1), kernel - size - begin);
      kernels.push_back(kernel);
      strides.push_back(stride);
      begins.push_back(begin);
      ends.push_back(end);
      x.push_back(size);
      y.push_back(kind == 2 ? 1 : (size + begin + end - kernel) / stride + 1);
    }
    begins.insert(begins.end(), ends.begin(), ends.end());
    const std::string window = fmt::format("kernel_shape: ints = [{}], strides: ints = [{}], pads: ints = [{}]",
                                           fmt::join(kernels, ", "), fmt::join(strides, ", "), fmt::join(begins, ", "));
    if (kind == 0) text_ = fmt::format("a = MaxPool <{}> (x)", window);
    if (kind == 1) text_ = fmt::format("a = AveragePool <{}, count_include_pad: int = {}> (x)", window, number(0, 1));
    if (kind == 2) text_ = "a = GlobalAveragePool (x)";
    start(x, y, 1);
  }

  void elements() {
    Shape x = {number(1, 3), number(1, 90)};
    for (std::int64_t more = number(0, 2); more > 0; --more) x.push_back(number(1, 9));
    text_ = "a = Relu (x)";
    start(x, x, coin() ? 1 : x.size() - 1);
  }

  void softmax() {
    Shape x = {number(1, 3), number(1, 90)};
    for (std::int64_t more = number(0, 2); more > 0; --more) x.push_back(number(1, 9));
    const std::int64_t axis = number(0, 2) > 0 ? std::ssize(x) - 1 : number(0, std::ssize(x) - 1);
    text_ = fmt::format("a = Softmax <axis: int = {}> (x)", axis);
    start(x, x, 1);
  }

  void expect_the_reference(std::set<std::string>& kernels) {
    text_ += fmt::format("\n y = Identity ({})", current_);
    std::vector<Value> inputs;
    NamedTensors given;
    for (const auto& [name, tensor] : inputs_) {
      inputs.push_back(value(name, DType::kFloat, symbolic(tensor.shape())));
      given[name] = tensor;
    }
    std::string names = "x";
    for (std::size_t k = 1; k < inputs_.size(); ++k) names += ", " + inputs_[k].first;
    const Program program =
        lowered(network("main (" + names + ") => (y) { " + text_ + " }", inputs, constants_), Policy::kExact);
    SCOPED_TRACE(text_);
    require_consistent(program);
    const ReferenceEngine reference(program, {.threads = 1});
    const NamedTensors outputs = reference.run(given);
    const NamedTensors all = reference.run(given, {.keep_all = true});
    for (const fast::Simd& target : fast::simd_targets())
      for (const int threads : {1, 3}) {
        const FastEngine engine(program, {.threads = threads}, target);
        ASSERT_TRUE(identical(engine.run(given), outputs)) << target.name << ", " << threads << " threads";
        ASSERT_TRUE(identical(engine.run(given, {.keep_all = true}), all)) << target.name << ", all values";
        for (const StepKernel& step : engine.kernels()) kernels.insert(step.kernel);
      }
  }

 private:
  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  bool coin() { return number(0, 1) == 1; }

  Tensor floats(const Shape& shape) {
    Tensor tensor(DType::kFloat, shape);
    for (float& real : tensor.mutable_as<float>()) {
      real = std::ldexp(static_cast<float>(number(-1000, 1000)) / 500.0F, exponent_);
      if (number(0, 9) == 0) real = coin() ? 0.0F : -0.0F;
      if (strange_ && number(0, 99) == 0)
        real = std::vector{std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(), 3e38F}[static_cast<std::size_t>(number(0, 3))];
    }
    return tensor;
  }
  // Which of the two zeros a sum is shows behind -0, and behind no other number.
  Tensor zeros_among(Tensor tensor) {
    const std::int64_t kind = number(0, 2);
    for (float& real : tensor.mutable_as<float>())
      if (kind > 0 && coin()) real = kind == 1 ? 0.0F : -0.0F;
    return tensor;
  }

  // x makes `a` of shape y; stages behind it, whose numbers differ along an axis.
  void start(const Shape& x, const Shape& y, std::size_t axis) {
    inputs_.emplace_back("x", floats(x));
    current_ = "a";
    Shape by_channel(y.size() - axis, 1);
    by_channel[0] = y[axis];
    for (std::int64_t k = 0, count = number(0, 5); k < count; ++k) {
      const std::string next = fmt::format("s{}", k), other = fmt::format("o{}", k);
      const std::int64_t kind = number(0, axis == 1 && y.size() > 2 ? 7 : 6);
      const char* const operation = std::vector{"Add", "Sub", "Mul", "Div"}[static_cast<std::size_t>(number(0, 3))];
      if (kind <= 1) {
        text_ += fmt::format("\n {} = Relu ({})", next, current_);
      } else if (kind == 2) {
        constants_.emplace_back(other + "l", f(-0.5F));
        constants_.emplace_back(other + "h", f(coin() ? 0.75F : -0.75F));
        text_ += fmt::format("\n {} = Clip ({}, {}l, {}h)", next, current_, other, other);
      } else if (kind <= 6) {
        if (kind <= 4)
          inputs_.emplace_back(other, floats(y));
        else
          constants_.emplace_back(other, zeros_among(floats(kind == 5 ? by_channel : Shape{})));
        const bool second = coin();
        text_ +=
            fmt::format("\n {} = {} ({}, {})", next, operation, second ? other : current_, second ? current_ : other);
      } else {
        for (const char* parameter : {"s", "b", "m"}) constants_.emplace_back(other + parameter, floats({y[1]}));
        Tensor variances = floats({y[1]});
        for (float& variance : variances.mutable_as<float>()) variance = std::fabs(variance) + 0.1F;
        constants_.emplace_back(other + "v", variances);
        text_ += fmt::format("\n {0} = BatchNormalization ({1}, {2}s, {2}b, {2}m, {2}v)", next, current_, other);
      }
      current_ = next;
    }
  }

  std::mt19937 random_;
  int exponent_ = 0;
  bool strange_ = false;  // infinities and NaN among the numbers
  std::string text_, current_;
  std::vector<std::pair<std::string, Tensor>> inputs_;
  Constants constants_;
};

std::set<std::string> kernels_of(void (FloatWriter::*write)(), unsigned count) {
  std::set<std::string> kernels;
  for (unsigned seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    FloatWriter writer(seed);
    (writer.*write)();
    writer.expect_the_reference(kernels);
    if (testing::Test::HasFatalFailure()) return kernels;
  }
  return kernels;
}

Tensor sines(const Shape& shape) {
  Tensor tensor(DType::kFloat, shape);
  for (float number = 1; float& real : tensor.mutable_as<float>()) real = std::sin(number++);
  return tensor;
}

constexpr unsigned kCases = kSanitized ? 60 : 400;

TEST(FastReals, ConvolveAsTheReference) {
  const std::set<std::string> kernels = kernels_of(&FloatWriter::convolution, kCases);
  for (const char* wanted : {"float sums", "float, depthwise"}) EXPECT_TRUE(kernels.contains(wanted)) << wanted;
}

TEST(FastReals, MultiplyMatricesAsTheReference) {
  EXPECT_TRUE(kernels_of(&FloatWriter::product, kCases).contains("float sums"));
}

TEST(FastReals, PoolAsTheReference) {
  const std::set<std::string> kernels = kernels_of(&FloatWriter::pool, kCases);
  for (const char* wanted : {"float windows", "float, whole images"}) EXPECT_TRUE(kernels.contains(wanted)) << wanted;
}

TEST(FastReals, WorkOnElementsAsTheReference) {
  EXPECT_TRUE(kernels_of(&FloatWriter::elements, kCases).contains("float elements"));
}

TEST(FastReals, NormalizeAsTheReference) {
  EXPECT_TRUE(kernels_of(&FloatWriter::softmax, kCases).contains("float rows"));
}

// So many pixels that their places are found anew for each part, in several images.
TEST(FastReals, ConvolveLargeImages) {
  const Program program =
      lowered(network("main (x) => (y) { a = Conv <pads: ints = [1, 1, 1, 1]> (x, w, b)\n y = Relu (a) }",
                      {value("x", DType::kFloat, SymbolicShape{2, 2, 130, 131})},
                      {{"w", sines({3, 2, 3, 3})}, {"b", sines({3})}}),
              Policy::kExact);
  run_every_engine(program, {{"x", sines({2, 2, 130, 131})}});
}

// Attention's present key is the key itself, which a kernel made where later runs write, too.
TEST(FastReals, KeepWhatAnOperationSharesWithItsOperand) {
  const Program program =
      lowered(network("main (x) => (y, present) { k = Relu (x)\n y, present = Attention (x, k, x) }",
                      {value("x", DType::kFloat, SymbolicShape{1, 2, 3, 4})}, {}, 23),
              Policy::kExact);
  const Tensor x = sines({1, 2, 3, 4}), zeros(DType::kFloat, {1, 2, 3, 4});
  const NamedTensors wanted = run_every_engine(program, {{"x", x}});
  for (const std::unique_ptr<const Engine>& engine : every_engine(program)) {
    const NamedTensors found = engine->run({{"x", x}});
    engine->run({{"x", zeros}});
    EXPECT_TRUE(identical(found, wanted)) << engine->name();
  }
}

// -2^-150 rounds to -0. A product with padding behind it makes +0 of that, which only what is added can hide.
TEST(FastReals, KeepTheSignOfAZeroThatPaddingMakesPositive) {
  const float tiny = std::ldexp(1.0F, -75);
  for (const float bias : {-0.0F, 0.0F, 1.0F}) {
    const Program program = lowered(
        network("main (x) => (y) { y = Conv <pads: ints = [1, 1]> (x, w, b) }",
                {value("x", DType::kFloat, SymbolicShape{1, 1, 3})},
                {{"w", Tensor::from<float>({1, 1, 3}, {-tiny, tiny, tiny})}, {"b", Tensor::from<float>({1}, {bias})}}),
        Policy::kExact);
    const Tensor y = run_every_engine(program, {{"x", Tensor::from<float>({1, 1, 3}, {0, tiny, -0.0F})}}).at("y");
    EXPECT_FALSE(std::signbit(y.as<float>()[2])) << bias;
  }
}

// Taps at 0 and 5, at 2 and 7, at 4 and 9: the last two windows see one pixel each, and the tap at 9 is beyond the padding.
TEST(FastReals, DivideByTheTapsOfWindowsThatLeaveThePadding) {
  const Program program = lowered(
      network("main (x) => (y) { y = AveragePool <kernel_shape: ints = [2], dilations: ints = [5], strides: ints = "
              "[2], pads: ints = [0, 3], ceil_mode: int = 1, count_include_pad: int = 1> (x) }",
              {value("x", DType::kFloat, SymbolicShape{1, 1, 6})}, {}, 19),
      Policy::kExact);
  const Tensor y = run_every_engine(program, {{"x", Tensor::from<float>({1, 1, 6}, {1, 2, 4, 8, 16, 32})}}).at("y");
  EXPECT_EQ(y, Tensor::from<float>({1, 1, 3}, {16.5F, 2, 16}));
}

// One step for a convolution, its normalization, the residual and the limit behind that; nothing is left to the operations.
TEST(FastReals, TakeUpWhatIsBehindAConvolution) {
  Tensor ones(DType::kFloat, {4});
  for (float& one : ones.mutable_as<float>()) one = 1;
  const Program program = lowered(
      network("main (x) => (y) { a = Conv <pads: ints = [1, 1, 1, 1]> (x, w)\n n = BatchNormalization (a, s, s, s, s)\n"
              " r = Add (n, x)\n y = Relu (r) }",
              {value("x", DType::kFloat, SymbolicShape{1, 4, 5, 5})},
              {{"w", Tensor(DType::kFloat, {4, 4, 3, 3})}, {"s", ones}}),
      Policy::kExact);
  const std::vector<StepKernel> steps = FastEngine(program, {.threads = 1}).kernels();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].kernel, "float sums");
}

// A step holds so many stages, and the next one the rest.
TEST(FastReals, TakeUpAsManyStagesAsAStepHolds) {
  std::string text = "v0 = Relu (x)";
  for (int k = 1; k < 40; ++k) text += fmt::format("\n v{} = {} (v{})", k, k % 2 == 0 ? "Relu" : "Clip", k - 1);
  const Program program = lowered(
      network("main (x) => (v39) { " + text + " }", {value("x", DType::kFloat, SymbolicShape{5})}, {}), Policy::kExact);
  run_every_engine(program, {{"x", Tensor::from<float>({5}, {-1, 0, 1, 2, 3})}});
  const std::vector<StepKernel> steps = FastEngine(program, {.threads = 1}).kernels();
  ASSERT_EQ(steps.size(), 3U);
  for (const StepKernel& step : steps) EXPECT_EQ(step.kernel, "float elements");
}

// Padding that is larger than anything else, and a kernel of which each pixel sees another part.
TEST(FastReals, LeaveWhatNobodyMeansToTheOperations) {
  const auto padded = [](const std::string& attributes, const Shape& x, const Shape& w) {
    return lowered(network("main (x) => (y) { y = Conv <" + attributes + "> (x, w) }",
                           {value("x", DType::kFloat, symbolic(x))}, {{"w", Tensor(DType::kFloat, w)}}),
                   Policy::kExact);
  };
  run_every_engine(
      padded("dilations: ints = [25000, 25000], pads: ints = [25000, 25000, 25000, 25000]", {1, 1, 4, 4}, {1, 1, 3, 3}),
      {{"x", Tensor(DType::kFloat, {1, 1, 4, 4})}});
  run_every_engine(padded("pads: ints = [599, 599]", {1, 1, 600}, {1, 1, 600}),
                   {{"x", Tensor(DType::kFloat, {1, 1, 600})}});
}

// Of weights that are NaN and variances without a root, one or the other comes through; results have one for both.
TEST(FastReals, HaveOneNan) {
  Tensor w(DType::kFloat, {2, 1, 3, 3});
  for (float& weight : w.mutable_as<float>()) weight = std::bit_cast<float>(0xFFFE0000U);
  const Program program =
      lowered(network("main (x) => (y) { a = Conv (x, w)\n n = BatchNormalization (a, s, s, s, v)\n y = Relu (n) }",
                      {value("x", DType::kFloat, SymbolicShape{1, 1, 4, 4})},
                      {{"w", w}, {"s", Tensor::from<float>({2}, {1, 2})}, {"v", Tensor::from<float>({2}, {1, -2})}}),
              Policy::kExact);
  const Tensor x = Tensor::from<float>({1, 1, 4, 4}, std::vector<float>(16, 1));
  run_every_engine(program, {{"x", x}});
  const FastEngine engine(program, {.threads = 1});
  Tensor given = x, y(DType::kFloat, {1, 2, 2, 2});
  BoundRun run(engine, {{"x", buffer_of(given)}}, {{"y", buffer_of(y)}});
  run();
  for (const float real : y.as<float>()) EXPECT_EQ(std::bit_cast<std::uint32_t>(real), 0x7FC00000U);
}

}  // namespace
}  // namespace octet
