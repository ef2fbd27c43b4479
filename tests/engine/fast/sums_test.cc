// Convolutions and matrix products on the fast engine: the reference engine's bits with every instruction set and any
// number of threads, whatever the geometry, the types, the zero points and the size of the weights.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "tests/engine/fast/sum_case.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// Random cases.
class SumWriter {
 public:
  explicit SumWriter(unsigned seed)
      : seed_(seed), random_(seed), x_type_(byte_type()), w_type_(byte_type()), y_type_(byte_type()) {}

  SumCase convolution() {
    const Window window = pick_window();
    const std::int64_t m = window.channels;
    Shape w_shape = {m, window.inputs / window.group};
    w_shape.insert(w_shape.end(), window.kernel.begin(), window.kernel.end());
    Shape x_shape = {number(1, 2), window.inputs};
    x_shape.insert(x_shape.end(), window.image.begin(), window.image.end());
    add_weights(w_shape, element_count(w_shape) / m, m, true);
    const std::string attributes = fmt::format(
        " <kernel_shape: ints = [{}], strides: ints = [{}], dilations: ints = [{}], pads: ints = [{}], group: "
        "int = {}> ",
        fmt::join(window.kernel, ", "), fmt::join(window.strides, ", "), fmt::join(window.dilations, ", "),
        fmt::join(window.pads, ", "), window.group);
    Shape each(window.kernel.size() + 2, 1);
    each[1] = m;
    // Inputs come as they are declared; what a pool makes has its channels last.
    const bool pooled = coin();
    const std::string pool = pooled ? fmt::format("p = MaxPool <kernel_shape: ints = [{}]> (x)\n ",
                                                  fmt::join(Shape(window.kernel.size(), 1), ", "))
                                    : "";
    const std::string operands = attributes + (pooled ? "(p" : "(x");
    switch (number(0, 3)) {
      case 0: return integer_sums(pool + "y = ConvInteger" + operands + ", w, xz, wz)", x_shape);
      case 1: return scaled_sums(pool + "s = ConvInteger" + operands + ", w, xz, wz)", x_shape, each);
      default:
        return requantized_sums(
            pool + "y = QLinearConv" + operands + ", xs, xz, w, ws, wz, ys, yz" + bias(", b", "", m) + ")", x_shape);
    }
  }

  SumCase matrix_product() {
    const std::int64_t rows = number(1, 40), depth = number(1, 70), columns = number(1, 70);
    const Shape x_shape = coin() ? Shape{rows, depth} : Shape{2, rows, depth};
    const std::int64_t kind = number(0, 4);
    const bool turned = kind == 4 && coin();
    add_weights(turned ? Shape{columns, depth} : Shape{depth, columns}, depth, columns, kind == 4);
    switch (kind) {
      case 0: return integer_sums("y = MatMulInteger (x, w, xz, wz)", x_shape);
      case 1: return scaled_sums("s = MatMulInteger (x, w, xz, wz)", x_shape, {columns});
      case 2:
      case 3: return requantized_sums("y = QLinearMatMul (x, xs, xz, w, ws, wz, ys, yz)", x_shape);
      default:
        y_type_ = x_type_;
        return requantized_sums(fmt::format("y = QGemm <transB: int = {}> (x, xs, xz, w, ws, wz{}, ys, yz)",
                                            turned ? 1 : 0, bias(", b", ", \"\"", columns)),
                                {rows, depth});
    }
  }

 private:
  struct Window {
    std::int64_t inputs = 1, channels = 1, group = 1;
    Shape kernel, strides, dilations, pads, image, output;
  };

  std::int64_t number(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool coin() { return number(0, 1) == 1; }
  DType byte_type() { return coin() ? DType::kInt8 : DType::kUint8; }
  std::byte byte() { return static_cast<std::byte>(number(0, 255)); }

  // Small enough for a reference that takes its time.
  Window pick_window() {
    constexpr std::int64_t kMostProducts = kSanitized ? 200'000 : 1'000'000;
    const std::int64_t kind =
        std::max<std::int64_t>(seed_ % 8 - 2, 0);  // each in turn, so that a few seeds have them all
    for (;;) {
      const Window window = any_window(kind);
      const std::int64_t products = window.inputs / window.group * element_count(window.kernel);
      if (products * window.channels * element_count(window.output) <= kMostProducts) return window;
    }
  }

  Window any_window(std::int64_t kind) {
    const std::int64_t fewest = kind == 0 ? 8 : 1;  // that transforms take
    const std::int64_t both = number(1, 2);         // the stride of theirs
    Window window{.inputs = number(fewest, 70), .channels = number(fewest, 70)};
    const auto axes = static_cast<std::size_t>(kind == 0 ? 2 : number(1, 3));
    if (kind == 1) {  // as many groups as channels
      window.channels = window.group = window.inputs;
      window.channels *= number(1, 2);
    } else if (kind == 2) {
      window.group = number(2, 4);
      window.inputs = window.group * number(1, 20);
      window.channels = window.group * number(1, 20);
    }
    Shape ends;
    for (std::size_t d = 0; d < axes; ++d) {
      const bool plain = kind == 0;  // 3 x 3
      const std::int64_t kernel = plain ? 3 : kind == 3 ? 1 : number(1, 5);
      const std::int64_t stride = plain ? both : coin() ? 1 : number(1, 3);
      const std::int64_t dilation = plain ? 1 : number(1, 3), reach = (kernel - 1) * dilation;
      const std::int64_t most = plain && number(0, 7) == 0 ? 40 : reach;  // more than several tiles see
      const std::int64_t before = number(0, most), behind = number(0, most);
      const std::int64_t outputs = number(plain ? 4 : 1, axes == 1 ? 50 : axes == 2 ? 15 : 6);
      const std::int64_t size =
          std::max<std::int64_t>((outputs - 1) * stride + reach + 1 - before - behind + number(0, stride - 1), 1);
      window.kernel.push_back(kernel);
      window.strides.push_back(stride);
      window.dilations.push_back(dilation);
      window.pads.push_back(before);
      ends.push_back(behind);
      window.image.push_back(size);
      window.output.push_back((size + before + behind - reach - 1) / stride + 1);
    }
    window.pads.insert(window.pads.end(), ends.begin(), ends.end());
    return window;
  }

  // w with its zero points and scales, one for all channels or one for each.
  void add_weights(const Shape& shape, std::int64_t products, std::int64_t channels, bool may_differ) {
    Tensor w(w_type_, shape);
    const std::int64_t kind = number(0, 4), centre = w_type_ == DType::kUint8 ? 128 : 0;
    const std::int64_t reach = kind == 0 ? 8 : 60;
    std::int64_t sign = 1;
    for (std::byte& weight : w.mutable_bytes()) {
      if (number(0, 15) == 0) sign = -sign;
      switch (kind) {
        case 2: weight = byte(); break;
        case 3: weight = coin() ? least(w_type_) : greatest(w_type_); break;
        // Four of them are 128 or -128, and rarely beyond.
        case 4: weight = static_cast<std::byte>(centre + sign * (number(0, 400) == 0 ? 33 : 32)); break;
        default: weight = static_cast<std::byte>(centre + number(-reach, reach));
      }
    }
    const Shape each = may_differ && coin() ? Shape{channels} : Shape{};
    Tensor zero_points(w_type_, each), scales(DType::kFloat, each);
    const bool any_zero_point = number(0, 3) == 0;
    for (std::byte& zero : zero_points.mutable_bytes()) zero = any_zero_point ? byte() : static_cast<std::byte>(centre);
    for (float& scale : scales.mutable_as<float>()) scale = 0.01F + 0.0001F * static_cast<float>(number(0, 100));
    constants_ = {{"w", w}, {"wz", zero_points}, {"ws", scales}};
    magnitude_ = 40.0F * static_cast<float>(reach) * std::sqrt(static_cast<float>(products));
  }

  // What names it: it is small, or so near the ends of int32 that sums wrap, or there is none.
  std::string bias(const std::string& given, const std::string& none, std::int64_t channels) {
    const std::int64_t kind = number(0, 3);
    if (kind == 0) return none;
    Tensor values(DType::kInt32, {channels});
    for (std::int32_t& value : values.mutable_as<std::int32_t>()) {
      const auto small = static_cast<std::int32_t>(number(0, 10'000));
      const auto [low, high] =
          std::pair(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
      value = kind < 3 ? small : coin() ? high - small : low + small;
    }
    if (kind == 3) magnitude_ = 0x1p31F;
    constants_.emplace_back("b", values);
    return given;
  }

  Tensor any_byte(DType type) {
    Tensor zero_point(type, {});
    const std::int64_t kind = number(0, 3);
    zero_point.mutable_bytes()[0] = kind == 0 ? least(type) : kind == 1 ? greatest(type) : byte();
    return zero_point;
  }

  std::vector<Tensor> all_x(const Shape& shape) {
    std::vector<Tensor> made = extremes(x_type_, shape);
    made.emplace_back(x_type_, shape);
    for (std::byte& element : made.back().mutable_bytes()) element = byte();
    return made;
  }

  // The zero point of x is known, or comes with x.
  SumCase integer_sums(const std::string& nodes, const Shape& x_shape) {
    std::vector<Value> inputs = {value("x", x_type_, symbolic(x_shape))};
    const bool at_run_time = coin();
    if (at_run_time)
      inputs.push_back(value("xz", x_type_, SymbolicShape{}));
    else
      constants_.emplace_back("xz", any_byte(x_type_));
    SumCase made =
        sum_case(fmt::format("main ({}) => (y) {{ {} }}", at_run_time ? "x, xz" : "x", nodes), inputs, constants_);
    for (const Tensor& x : all_x(x_shape)) {
      made.inputs.push_back({{"x", x}});
      if (at_run_time) made.inputs.back()["xz"] = any_byte(x_type_);
    }
    return made;
  }

  // y = f32(acc) * (scale of x * scales), and perhaps a bias.
  SumCase scaled_sums(const std::string& nodes, const Shape& x_shape, const Shape& each) {
    const Tensor* scales = nullptr;
    for (const auto& [name, tensor] : constants_)
      if (name == "ws") scales = &tensor;
    const Tensor of_channels = scales->size() == 1 ? *scales : scales->reshaped(each);
    constants_.emplace_back("of_channels", of_channels);
    constants_.emplace_back("xs", f(0.037F));
    Tensor bias(DType::kFloat, each);
    for (float& real : bias.mutable_as<float>()) real = static_cast<float>(number(-1000, 1000)) / 64.0F;
    constants_.emplace_back("real_bias", bias);
    const std::string behind = coin() ? "t = Mul (c, m)\n y = Add (t, real_bias)" : "y = Mul (c, m)";
    return integer_sums(nodes + "\n m = Mul (xs, of_channels)\n c = Cast <to: int = 1> (s)\n " + behind, x_shape);
  }

  // The nodes make y; sometimes it is clamped.
  SumCase requantized_sums(std::string nodes, const Shape& x_shape) {
    constants_.emplace_back("xs", f(0.037F));
    constants_.emplace_back("xz", any_byte(x_type_));
    constants_.emplace_back("ys", f(0.037F * 0.015F * magnitude_ / 64.0F));
    constants_.emplace_back("yz", any_byte(y_type_));
    if (number(0, 2) == 0) {
      nodes.replace(nodes.rfind("y = "), 1, "c");
      nodes += "\n y = Clip (c, low, high)";
      const std::int64_t centre = y_type_ == DType::kUint8 ? 128 : 0;
      for (const auto& [name, bound] : {std::pair("low", -number(0, 128)), std::pair("high", number(0, 127))}) {
        Tensor limit(y_type_, {});
        limit.mutable_bytes()[0] = static_cast<std::byte>(centre + bound);
        constants_.emplace_back(name, limit);
      }
    }
    SumCase made = sum_case("main (x) => (y) { " + nodes + " }", {value("x", x_type_, symbolic(x_shape))}, constants_);
    for (const Tensor& x : all_x(x_shape)) made.inputs.push_back({{"x", x}});
    return made;
  }

  std::int64_t seed_;
  std::mt19937 random_;
  DType x_type_, w_type_, y_type_;
  Constants constants_;
  float magnitude_ = 1;  // of the accumulators
};

std::set<std::string> kernels_of(const fast::Simd& target) {
  std::set<std::string> known = {"pairs of int16", "depthwise, pairs of taps"};
  if (target.products.quads)
    known.insert("dot products of bytes");
  else
    for (const char* transform : {"Winograd F(4x4)", "Winograd F(2x2)", "polyphase F(4x4)", "polyphase F(2x2)"})
      known.insert(fmt::format("{}, pairs of int16", transform));
  if (!target.products.quads && target.products.safe_quads) known.insert("bytes, safe in int16");
  return known;
}

void expect_the_reference_of(SumCase (SumWriter::*write)(), unsigned count, Kernels& kernels) {
  for (unsigned seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_the_reference((SumWriter(seed).*write)(), kernels);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(FastSums, OfConvolutionsAreTheReferencesInEveryKernel) {
  Kernels kernels;
  expect_the_reference_of(&SumWriter::convolution, kSanitized ? 90 : 250, kernels);
  for (const fast::Simd& target : fast::simd_targets())
    EXPECT_EQ(kernels[target.name], kernels_of(target)) << target.name;
}

TEST(FastSums, OfMatrixProductsAreTheReferences) {
  Kernels kernels;
  expect_the_reference_of(&SumWriter::matrix_product, kSanitized ? 30 : 150, kernels);
  for (const fast::Simd& target : fast::simd_targets())
    for (const std::string& kernel : kernels[target.name]) EXPECT_TRUE(kernels_of(target).contains(kernel)) << kernel;
}

// 3x3 with stride 1: rows by two and columns by two, and what is left of them; channels that fill vectors and that do not.
TEST(FastSums, OfDepthwiseRowsAreTheReferences) {
  std::mt19937 random(1);
  for (const std::int64_t channels : {5, 16, 24, 80})
    for (const std::int64_t rows : {1, 2, 3, 6})
      for (const std::int64_t columns : {1, 2, 5, 6})
        for (const bool requantizes : {false, true}) {
          SCOPED_TRACE(fmt::format("{} channels, {} x {}, {}", channels, rows, columns, requantizes));
          const Shape x_shape = {1, channels, rows, columns};
          Tensor w(DType::kInt8, {channels, 1, 3, 3}), bias(DType::kInt32, {channels}), x(DType::kInt8, x_shape);
          Tensor scales(DType::kFloat, {channels}), x_zero(DType::kInt8, {}), w_zeros(DType::kInt8, {channels});
          for (std::byte& byte : w.mutable_bytes()) byte = static_cast<std::byte>(random());
          for (std::byte& byte : x.mutable_bytes()) byte = static_cast<std::byte>(random());
          for (std::int32_t& value : bias.mutable_as<std::int32_t>())
            value = static_cast<std::int32_t>(random() % 9999);
          for (float& scale : scales.mutable_as<float>()) scale = 0x1p-11F * static_cast<float>(1 + random() % 8);
          x_zero.mutable_bytes()[0] = static_cast<std::byte>(random());
          const std::string window = fmt::format("<pads: ints = [1, 1, 1, 1], group: int = {}>", channels);
          SumCase made =
              sum_case("main (x) => (y) { y = " +
                           (requantizes ? "QLinearConv " + window + " (x, one, xz, w, ws, wz, one, xz, b)"
                                        : "ConvInteger " + window + " (x, w, xz)") +
                           " }",
                       {value("x", DType::kInt8, symbolic(x_shape))},
                       {{"one", f(1)}, {"xz", x_zero}, {"w", w}, {"ws", scales}, {"wz", w_zeros}, {"b", bias}});
          made.inputs.push_back({{"x", x}});
          Kernels kernels;
          expect_the_reference(made, kernels);
          for (const fast::Simd& target : fast::simd_targets())
            EXPECT_EQ(kernels[target.name], std::set<std::string>{"depthwise, pairs of taps"}) << target.name;
        }
}

}  // namespace
}  // namespace octet
