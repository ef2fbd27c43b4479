// The kernels of work on elements, held to plain loops (work_evaluator.h) on random shapes, layouts and numbers: each
// instruction set, with one thread and with several.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "octet/engine/fast/epilogue.h"
#include "octet/engine/fast/kernel.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/weight_store.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "tests/program/work_evaluator.h"
#include "tests/support/sanitized.h"

namespace octet::fast {
namespace {

// [N, spatial..., C] of [N, C, spatial...], and back.
std::vector<std::byte> turned(std::span<const std::byte> from, const Operand& operand, bool back) {
  const auto size = static_cast<std::int64_t>(size_of(operand.type));
  const std::int64_t images = operand.shape[0], channels = operand.shape[1];
  const std::int64_t pixels = element_count(std::span(operand.shape).subspan(2));
  std::vector<std::byte> to(from.size());
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t p = 0; p < pixels; ++p) {
        const std::int64_t first = ((n * channels + c) * pixels + p) * size,
                           last = ((n * pixels + p) * channels + c) * size;
        std::memcpy(to.data() + (back ? first : last), from.data() + (back ? last : first),
                    static_cast<std::size_t>(size));
      }
  return to;
}

// Some values, random ones, and the kernels of a work on them.
class Case {
 public:
  explicit Case(unsigned seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  bool coin() { return number(0, 1) == 1; }
  float scale() {
    return std::ldexp(1.0F + static_cast<float>(number(0, 1000)) / 1001.0F, -static_cast<int>(number(3, 8)));
  }
  Quantization meaning(DType type) {
    const IntegerRange range = integer_range(type);
    return {scale(), static_cast<std::int32_t>(number(range.min, range.max))};
  }
  DType byte_type() { return coin() ? DType::kInt8 : DType::kUint8; }
  Layout layout() { return coin() ? Layout::kChannelsLast : Layout::kAsDeclared; }
  LookupTable table() {
    LookupTable table;
    for (std::uint8_t& byte : table) byte = static_cast<std::uint8_t>(number(0, 255));
    return table;
  }
  // Sometimes large enough for several threads.
  Shape image_shape() {
    const std::int64_t most = number(0, 5) == 0 ? 24 : 6;
    return {number(1, 3), number(1, 4 * most), number(1, most), number(1, most)};
  }

  ValueId add(DType type, const Shape& shape, Layout layout = Layout::kAsDeclared) {
    const ValueId id = values_.size();
    values_.push_back({.name = std::to_string(id), .dtype = type, .shape = symbolic(shape)});
    operands_.push_back({id, type, shape, layout});
    return id;
  }
  // With elements.
  ValueId given(DType type, const Shape& shape, Layout layout = Layout::kAsDeclared) {
    const ValueId id = add(type, shape, layout);
    Tensor tensor(type, shape);
    if (type == DType::kFloat)
      for (float& real : tensor.mutable_as<float>()) real = static_cast<float>(number(-20000, 20000)) / 128.0F;
    else
      for (std::byte& byte : tensor.mutable_bytes())
        byte = static_cast<std::byte>(number(0, type == DType::kBool ? 1 : 255));
    given_[id] = tensor;
    return id;
  }

  // Clamps, tables and combinations behind y, which is there already; what they read gets added.
  std::vector<work::Stage> stages(DType type, ValueId y) {
    std::vector<work::Stage> stages;
    for (std::int64_t count = number(0, 4); count-- > 0;) {
      const std::int64_t kind = number(0, 2);
      if (kind == 0) {
        const Quantization low = meaning(type), high = meaning(type);
        stages.emplace_back(
            work::Clamp{std::min(low.zero_point, high.zero_point), std::max(low.zero_point, high.zero_point)});
      } else if (kind == 1) {
        stages.emplace_back(work::LookUp{table(), type});
      } else {
        const Operand operand = operands_[y];
        const ValueId other = given(type, operand.shape, operand.layout);
        stages.emplace_back(work::Combine{coin(), other, coin(), meaning(type), meaning(type), meaning(type)});
      }
    }
    return stages;
  }

  template <typename W>
  void expect_kernel(const W& work) {
    const TensorsById wanted = evaluate_work(work, values_, given_);
    Program program;
    program.values = values_;
    WeightStore weights(program);
    for (const Simd& simd : simd_targets())
      for (const int threads : {1, 3}) {
        const KernelContext context{program, operands_, simd, weights};
        ASSERT_TRUE(fits(work, context));
        const KernelPtr kernel = make_kernel(work, context);
        std::vector<std::vector<std::byte>> memory(values_.size());
        for (const auto& [id, tensor] : given_) memory[id] = standing(id, tensor.bytes(), false);
        for (const auto& [id, tensor] : wanted) memory[id].assign(tensor.byte_size(), std::byte{0x5A});
        ValuePointers places;
        for (std::vector<std::byte>& bytes : memory) places.push_back(bytes.data());
        kernel->run(places, Parallel(threads));
        for (const auto& [id, tensor] : wanted) {
          const std::vector<std::byte> found = standing(id, memory[id], true);
          ASSERT_TRUE(std::ranges::equal(found, tensor.bytes()))
              << simd.name << ", " << threads << " threads, value " << id << " " << to_string(tensor.shape());
        }
      }
  }
  // Some channels of some rows at a time, from the accumulators that the same product leaves without an epilogue.
  void expect_epilogue(const work::MatrixProduct& work, std::int64_t rows, std::int64_t channels) {
    const Tensor wanted = evaluate_work(work, values_, given_).at(work.y);
    work::MatrixProduct plain = work;
    plain.epilogue.clear();
    const Tensor sums = evaluate_work(plain, values_, given_).at(work.y);
    Program program;
    program.values = values_;
    WeightStore weights(program);
    for (const Simd& simd : simd_targets()) {
      const Epilogue epilogue(work.epilogue, {program, operands_, simd, weights}, channels);
      ValuePointers places(values_.size());
      for (auto& [id, tensor] : given_) places[id] = tensor.mutable_bytes().data();
      Tensor y(wanted.dtype(), wanted.shape());
      const std::int64_t at_once = number(1, channels), height = number(1, rows);
      for (std::int64_t row = 0; row < rows; row += height)
        for (std::int64_t channel = 0; channel < channels; channel += at_once) {
          const std::int64_t element = row * channels + channel;
          const SumMatrix block = {sums.as<std::int32_t>().data() + element, channels, std::min(height, rows - row),
                                   std::min(at_once, channels - channel)};
          std::byte* to = y.mutable_bytes().data() + element * static_cast<std::int64_t>(size_of(y.dtype()));
          epilogue.apply({block, channel, element, to, channels}, epilogue.scale(places), places);
        }
      ASSERT_EQ(y, wanted) << simd.name;
    }
  }
  template <typename W>
  bool has_kernel(const W& work) {
    Program program;
    program.values = values_;
    WeightStore weights(program);
    return fits(work, {program, operands_, simd_targets().front(), weights});
  }

 private:
  std::vector<std::byte> standing(ValueId id, std::span<const std::byte> bytes, bool back) const {
    const Operand& operand = operands_[id];
    if (operand.layout == Layout::kAsDeclared) return {bytes.begin(), bytes.end()};
    return turned(bytes, operand, back);
  }

  std::mt19937 random_;
  std::vector<ProgramValue> values_;
  std::vector<Operand> operands_;
  TensorsById given_;
};

constexpr unsigned kCases = kSanitized ? 15 : 60;

// ---- element by element

TEST(FastPairwise, BroadcastsInBothLayoutsWithStages) {
  for (unsigned seed = 0; seed < 4 * kCases; ++seed) {
    Case c(seed);
    const DType type = c.byte_type();
    const Shape shape = c.image_shape();
    // Of the whole shape, some axes of it, or fewer axes.
    const auto operand = [&](Layout layout) {
      if (c.coin()) return c.given(type, shape, layout);
      Shape smaller = shape;
      for (std::int64_t& size : smaller) size = c.coin() ? size : 1;
      if (c.coin()) return c.given(type, smaller, layout);
      return c.given(type, Shape(smaller.begin() + c.number(0, 4), smaller.end()));
    };
    const Layout layout = c.layout();
    work::Pairwise work{.product = c.coin(), .swapped = c.coin()};
    work.a = operand(layout);
    work.b = c.coin() ? operand(layout) : c.given(type, shape, c.layout());
    work.y = c.add(type, shape, layout);
    work.a_meaning = c.meaning(type), work.b_meaning = c.meaning(type), work.y_meaning = c.meaning(type);
    // y is what both broadcast to.
    const ValueId whole = c.given(type, shape, layout);
    if (work.product)
      work.a = whole;
    else
      work.b = whole;
    work.epilogue = c.stages(type, work.y);
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FastTable, ConcatenationAndSelectionGoThroughTables) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    Case c(seed);
    const DType type = c.byte_type();
    const Layout layout = c.layout();
    Shape shape = c.image_shape();
    LookupTable identity;
    std::iota(identity.begin(), identity.end(), std::uint8_t{0});
    const auto table = [&] { return c.coin() ? c.table() : identity; };

    work::Table through{.x = c.given(type, shape, layout), .input = type, .output = c.byte_type(), .bytes = c.table()};
    through.y = c.add(through.output, shape, layout);
    c.expect_kernel(through);

    work::ChannelTables by_channel{.x = c.given(type, shape, layout), .input = type, .output = through.output};
    by_channel.axis = c.number(1, 3);
    for (std::int64_t k = shape[static_cast<std::size_t>(by_channel.axis)]; k-- > 0;)
      by_channel.tables.push_back(c.table());
    by_channel.y = c.add(by_channel.output, shape, layout);
    c.expect_kernel(by_channel);

    work::Selection selection{.condition = c.given(DType::kBool, shape, c.layout())};
    selection.a = {c.given(type, c.coin() ? shape : Shape{}), {}, table()};
    selection.b = {c.given(type, c.coin() ? shape : Shape{shape[3]}), {}, table()};
    selection.y = c.add(type, shape, layout);
    c.expect_kernel(selection);

    work::Concatenation concatenation{.axis = c.number(0, 3)};
    std::int64_t& size = shape[static_cast<std::size_t>(concatenation.axis)];
    std::int64_t whole = 0;
    for (std::int64_t parts = c.number(1, 4); parts-- > 0;) {
      size = c.number(0, 20);
      whole += size;
      concatenation.parts.push_back({c.given(type, shape, layout), {}, table()});
    }
    size = whole;
    concatenation.y = c.add(type, shape, layout);
    c.expect_kernel(concatenation);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FastSoftmax, RunsAlongEveryAxis) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    Case c(seed);
    const DType type = c.byte_type();
    const Shape shape = c.image_shape();
    work::Softmax work{.axis = c.number(0, 3), .flattens = c.coin()};
    const Layout layout = work.flattens ? Layout::kAsDeclared : c.layout();
    work.x = c.given(type, shape, layout);
    work.y = c.add(type, shape, layout);
    work.x_meaning = c.meaning(type);
    work.y_meaning = {1.0F / 256, static_cast<std::int32_t>(integer_range(type).min)};
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FastSoftmax, RunsOnFloatsAlongEveryAxis) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    Case c(seed);
    const Shape shape = c.image_shape();
    work::FloatSoftmax work{.axis = c.number(0, 3), .flattens = c.coin()};
    const Layout layout = work.flattens ? Layout::kAsDeclared : c.layout();
    work.x = c.given(DType::kFloat, shape, layout);
    work.y = c.add(DType::kFloat, shape, layout);
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// ---- pools

TEST(FastPool, PoolsWindowsAndWholeImagesInBothLayouts) {
  for (unsigned seed = 0; seed < 4 * kCases; ++seed) {
    Case c(seed);
    const DType type = c.byte_type();
    Shape shape = c.image_shape();
    if (c.number(0, 3) == 0) shape.pop_back();
    if (c.number(0, 3) == 0) shape.push_back(c.number(1, 4));
    work::Pool work{.maximum = c.coin(), .x_meaning = c.meaning(type), .y_meaning = c.meaning(type)};
    work.sums_in_float = !work.maximum && c.coin();
    work.count_include_pad = c.coin();
    Shape image(shape.begin() + 2, shape.end()), output(image.size(), 1);
    if (work.sums_in_float || (work.maximum && c.coin())) {
      Window window;
      for (std::size_t d = 0; d < image.size(); ++d) {
        const std::int64_t kernel = c.number(1, 4), dilation = work.maximum ? c.number(1, 2) : 1,
                           stride = c.number(1, 3);
        const std::int64_t before = c.number(-1, 3), behind = c.number(0, 3), extent = (kernel - 1) * dilation + 1;
        window.kernel.push_back(kernel);
        window.strides.push_back(stride);
        window.dilations.push_back(dilation);
        window.pads_begin.push_back(before);
        window.pads_end.push_back(behind);
        output[d] = std::max<std::int64_t>((image[d] + before + behind - extent) / stride + 1, 1);
      }
      window.output = symbolic(output);
      work.window = window;
    }
    work.channels_last = c.number(0, 3) == 0;
    const auto arranged = [&](const Shape& spatial) {
      Shape result = {shape[0]};
      if (!work.channels_last) result.push_back(shape[1]);
      result.insert(result.end(), spatial.begin(), spatial.end());
      if (work.channels_last) result.push_back(shape[1]);
      return result;
    };
    const Layout layout = work.channels_last ? Layout::kAsDeclared : c.layout();
    work.x = c.given(type, arranged(image), layout);
    work.y = c.add(type, arranged(output), layout);
    work.epilogue = c.stages(type, work.y);
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// ---- elements that change places

TEST(FastMove, TransposesSlicesRepeatsAndPads) {
  for (unsigned seed = 0; seed < 4 * kCases; ++seed) {
    Case c(seed);
    const DType type = std::vector{DType::kUint8, DType::kInt16, DType::kFloat, DType::kInt64,
                                   DType::kComplex128}[static_cast<std::size_t>(c.number(0, 4))];
    const Shape shape = c.image_shape();
    const std::vector<std::int64_t> strides = strides_of(shape);
    work::Move work{.sources = {c.given(type, {7}), c.given(type, shape)}, .fill = Tensor(type, {1})};
    std::vector<std::size_t> axes = {0, 1, 2, 3};
    for (std::size_t k = 3; k > 0; --k)
      std::swap(axes[k], axes[static_cast<std::size_t>(c.number(0, static_cast<std::int64_t>(k)))]);
    work::MoveBox box{.source = 1, .begin = {0, 0, 0, 0}, .shape = {}, .offset = 0, .strides = {}};
    for (const std::size_t axis : axes) {
      const std::int64_t kind = c.number(0, 5);
      std::int64_t size = shape[axis], step = strides[axis];
      if (kind == 0) {  // backwards
        box.offset += (size - 1) * step;
        step = -step;
      } else if (kind == 1) {  // every second
        size = (size + 1) / 2;
        step *= 2;
      } else if (kind == 2) {  // the last, several times
        box.offset += (size - 1) * step;
        size = 3, step = 0;
      }
      box.shape.push_back(size);
      box.strides.push_back(step);
    }
    Shape whole = box.shape;
    if (c.coin()) {  // the fill in front along one axis
      const auto axis = static_cast<std::size_t>(c.number(0, 3));
      work::MoveBox front{
          .source = std::nullopt, .begin = {0, 0, 0, 0}, .shape = box.shape, .offset = 0, .strides = {}};
      front.shape[axis] = box.begin[axis] = c.number(1, 3);
      whole[axis] += front.shape[axis];
      work.boxes.push_back(front);
    }
    work.boxes.push_back(box);
    work.y = c.add(type, whole);
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FastMove, GathersAndRenames) {
  Case c(1);
  work::Move gathers{.sources = {c.given(DType::kFloat, {5}), c.given(DType::kFloat, {2, 3})},
                     .fill = Tensor::scalar(2.5F)};
  gathers.indices = {0, 1, 5, 6, 11, 8, 0, 2};
  gathers.y = c.add(DType::kFloat, {2, 4});
  c.expect_kernel(gathers);
  work::Move renames{.sources = {c.given(DType::kInt64, {200, 300})}, .only_renames = true};
  renames.boxes = {{.source = 0, .begin = {0}, .shape = {60000}, .offset = 0, .strides = {1}}};
  renames.y = c.add(DType::kInt64, {60000});
  c.expect_kernel(renames);
}

// ---- between floats and bytes

TEST(FastBorder, TurnsChannelsLastWhileQuantizingAndBack) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    Case c(seed);
    const DType type = c.byte_type();
    Shape shape = c.image_shape();
    if (c.coin()) shape[1] = 3;
    const bool turns = c.coin();
    const std::int64_t axis = turns ? 1 : c.number(0, 3);
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;
    for (std::int64_t k = c.coin() ? 1 : shape[static_cast<std::size_t>(axis)]; k-- > 0;) {
      scales.push_back(c.scale());
      zero_points.push_back(c.meaning(type).zero_point);
    }
    const Layout layout = c.layout();
    const ValueId floats = c.given(DType::kFloat, shape, turns ? Layout::kAsDeclared : layout);
    const ValueId bytes = c.add(type, shape, turns ? Layout::kChannelsLast : layout);
    c.expect_kernel(work::Quantize{floats, bytes, scales, zero_points, axis});

    const ValueId quantized = c.given(type, shape, turns ? Layout::kChannelsLast : layout);
    const ValueId y = c.add(DType::kFloat, shape, turns ? Layout::kAsDeclared : layout);
    c.expect_kernel(work::Dequantize{quantized, y, scales, zero_points, axis});

    work::QuantizeDynamically dynamic{.x = floats,
                                      .y = c.add(DType::kUint8, shape, turns ? Layout::kChannelsLast : layout)};
    dynamic.scale = c.add(DType::kFloat, {});
    dynamic.zero_point = c.add(DType::kUint8, {});
    c.expect_kernel(dynamic);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// ---- values of 16 bits

TEST(FastWords, TurnIntoFloatsAndBack) {
  for (unsigned seed = 0; seed < 2 * kCases; ++seed) {
    Case c(seed);
    const Shape shape = c.image_shape();
    const Layout layout = c.layout();
    const DType type = c.coin() ? DType::kInt16 : DType::kUint16;
    const std::int64_t axis = c.number(0, 3);
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;
    for (std::int64_t k = c.coin() ? 1 : shape[static_cast<std::size_t>(axis)]; k-- > 0;) {
      scales.push_back(c.scale() / 16);  // some results saturate
      zero_points.push_back(c.meaning(type).zero_point);
    }
    const ValueId floats = c.given(DType::kFloat, shape, layout), words = c.given(type, shape, layout);
    c.expect_kernel(work::Quantize{floats, c.add(type, shape, layout), scales, zero_points, axis});
    c.expect_kernel(work::Dequantize{words, c.add(DType::kFloat, shape, layout), scales, zero_points, axis});
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FastWords, AreTakenApart) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    Case c(seed);
    const Shape shape = c.image_shape();
    const Layout layout = c.layout();
    c.expect_kernel(work::SplitBytes{.x = c.given(c.coin() ? DType::kInt16 : DType::kUint16, shape, layout),
                                     .high = c.add(DType::kUint8, shape, layout),
                                     .low = c.add(DType::kUint8, shape, layout)});
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// The sums are of any bits, so that those in int32 wrap.
TEST(FastWords, JoinPartialSums) {
  for (unsigned seed = 0; seed < 2 * kCases; ++seed) {
    Case c(seed);
    const Shape shape = c.image_shape();
    const Layout layout = c.layout();
    work::JoinedSum work{.type = c.coin() ? DType::kInt32 : DType::kInt64,
                         .y = c.add(DType::kFloat, shape, layout),
                         .axis = c.number(0, 3)};
    for (std::int64_t count = c.number(1, 4); count-- > 0;)
      work.parts.push_back({c.given(DType::kInt32, shape, layout), std::int64_t{1} << (8 * c.number(0, 2))});
    const auto numbers = [&](std::vector<float>& to) {
      for (std::int64_t k = c.coin() ? 1 : shape[static_cast<std::size_t>(work.axis)]; k-- > 0;)
        to.push_back(c.scale());
    };
    numbers(work.multipliers);
    if (c.coin()) numbers(work.bias);
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// ---- what is left to the operations

TEST(FastKernels, LeaveOtherTypesAndLayoutsToTheOperations) {
  Case c(1);
  const Shape shape = {1, 2, 3, 4};
  const ValueId last = c.given(DType::kUint8, shape, Layout::kChannelsLast), first = c.add(DType::kUint8, shape);
  const ValueId words = c.add(DType::kUint16, shape), floats = c.given(DType::kFloat, shape);
  EXPECT_FALSE(c.has_kernel(work::Table{.x = last, .y = first}));
  EXPECT_FALSE(c.has_kernel(work::ChannelTables{.x = last, .y = first, .axis = 1, .tables = {}}));
  EXPECT_FALSE(c.has_kernel(work::Softmax{.x = last, .y = first}));
  EXPECT_FALSE(c.has_kernel(work::Softmax{.x = last, .y = last, .axis = 1, .flattens = true}));
  EXPECT_FALSE(c.has_kernel(work::Move{.sources = {last}, .y = first}));
  const ValueId words_last = c.add(DType::kUint16, shape, Layout::kChannelsLast), sums = c.add(DType::kInt32, shape);
  EXPECT_TRUE(c.has_kernel(work::Quantize{.x = floats, .y = words, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::Quantize{.x = floats, .y = sums, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::Quantize{.x = floats, .y = words_last, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::Dequantize{.x = words_last, .y = floats, .scales = {1}, .zero_points = {0}}));
  EXPECT_FALSE(c.has_kernel(work::SplitBytes{.x = words, .high = first, .low = last}));
  EXPECT_FALSE(c.has_kernel(work::SplitBytes{.x = sums, .high = first, .low = first}));
  EXPECT_FALSE(c.has_kernel(work::JoinedSum{.parts = {{words}}, .y = floats, .axis = 1, .multipliers = {1}}));
  EXPECT_FALSE(c.has_kernel(work::JoinedSum{.parts = {{sums}}, .y = floats, .axis = 1, .multipliers = {1, 2, 3}}));
  EXPECT_FALSE(c.has_kernel(work::Pool{.x = last, .y = last, .channels_last = true, .maximum = true}));
  EXPECT_FALSE(c.has_kernel(work::Pairwise{.a = first, .b = words, .y = first}));
  EXPECT_FALSE(
      c.has_kernel(work::Pairwise{.a = first, .b = first, .y = first, .epilogue = {work::Combine{.other = last}}}));
}

// ---- epilogues of sums

TEST(FastEpilogue, AppliesToBlocksOfRowsAndChannels) {
  for (unsigned seed = 0; seed < 3 * kCases; ++seed) {
    Case c(seed);
    const std::int64_t rows = c.number(1, 9), channels = c.number(1, 70), depth = 3;
    const DType type = c.byte_type();
    work::MatrixProduct work{.x = c.given(DType::kUint8, {rows, depth}), .w = c.given(DType::kInt8, {depth, channels})};
    work.sum = {.x_type = DType::kUint8, .products = depth, .x_zero_point = 5, .w_zero_points = {0}};
    const auto for_channels = [&](float factor) {
      std::vector<float> result(static_cast<std::size_t>(c.coin() ? 1 : channels));
      for (float& real : result) real = factor * c.scale();
      return result;
    };
    const std::int64_t kind = c.number(0, 2);
    work.y = c.add(kind == 0 ? DType::kInt32 : kind == 1 ? DType::kFloat : type, {rows, channels});
    if (kind == 1) {
      const ValueId scale = c.coin() ? c.given(DType::kFloat, {}) : kNoValue;
      work.epilogue = {work::ToFloat{for_channels(1), scale, c.coin() ? for_channels(100) : std::vector<float>()}};
    } else if (kind == 2) {
      work.epilogue = c.stages(type, work.y);
      work.epilogue.insert(work.epilogue.begin(), work::Requantize{for_channels(1), c.meaning(type), type});
    }
    c.expect_epilogue(work, rows, channels);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace octet::fast
