// The constants of steps, the words that hold them, and how wide they are.
#include "octet/export/accelerator_memories.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "octet/export/step_fields.h"
#include "tests/export/hand_made.h"

namespace octet {
namespace {

// A dense layer of two inputs and one output.
Accelerator dense_layer(const integer::Epilogue& epilogue, std::int32_t start = 0, int multipliers = 16,
                        const std::vector<std::int8_t>& weights = {3, -2}) {
  HandMade network;
  const TensorId x = network.add("x", {1, 2}), y = network.add("y", {1, 1}),
                 w = network.add("w", Tensor::from<std::int8_t>({2, 1}, weights));
  network.step("dense", dense(x, w, y, 2, epilogue, start));
  return accelerator(network.program(), multipliers);
}

integer::Requantize with_exceptions(std::vector<RequantizerException> exceptions) {
  return {
      {IntegerRequantizer{.m = 1, .addend = 0, .shift = 0, .range = {-128, 127}, .exceptions = std::move(exceptions)}}};
}

TEST(AcceleratorConstants, ClampsNarrowTheRange) {
  const Accelerator to = dense_layer({as_it_is(), integer::Clamp{-100, 17}, integer::Clamp{-5, 50}});
  EXPECT_EQ(to.steps[0].low, -5);
  EXPECT_EQ(to.steps[0].high, 17);
}

TEST(AcceleratorConstants, ExceptionsAreClampedToo) {
  const Accelerator to = dense_layer({with_exceptions({{1, 2, 100}, {5, 5, -90}, {7, 7, 3}}), integer::Clamp{-5, 17}});
  const std::vector<RequantizerException> wanted = {{1, 2, 17}, {5, 5, -5}, {7, 7, 3}};
  EXPECT_EQ(to.steps[0].channels[0].requantizer.exceptions, wanted);
}

// 3 x - 2 y of int8.
TEST(AcceleratorConstants, SumsReachAsFarAsTheirWeights) {
  EXPECT_EQ(dense_layer({as_it_is()}, 10).steps[0].channels[0].reach,
            (Interval{10 - 3 * 128 - 2 * 127, 10 + 3 * 127 + 2 * 128}));
}

TEST(AcceleratorConstants, SumsThatLeave32BitsReachAllOfThem) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max(), least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(dense_layer({as_it_is()}, most - 636).steps[0].channels[0].reach, (Interval{least, most}));
  EXPECT_EQ(dense_layer({as_it_is()}, most - 637).steps[0].channels[0].reach.greatest, most);
  EXPECT_GT(dense_layer({as_it_is()}, most - 637).steps[0].channels[0].reach.least, 0);
}

TEST(AcceleratorConstants, AreNothingWhereTheResultDoesNotDependOnTheSum) {
  const integer::Requantize constant = {{IntegerRequantizer{.m = 0, .addend = 7}}};
  const ChannelConstants channel = dense_layer({constant}, 1000).steps[0].channels[0];
  EXPECT_EQ(channel.start, 0);
  EXPECT_EQ(channel.reach, (Interval{0, 0}));
}

TEST(AcceleratorConstants, ChannelsThatAreNotMixedAreReadGroupByGroup) {
  HandMade network;
  const TensorId x = network.add("x", {1, 32, 2}), y = network.add("y", {1, 32, 1});
  network.step("mean", average(x, y, 32, 2));
  const Accelerator to = accelerator(network.program(), 64);  // 16 columns of 4 lanes
  EXPECT_EQ(to.steps[0].groups, 2);
  EXPECT_EQ(to.steps[0].words, 4);
  EXPECT_EQ(to.steps[0].group_words, 4);
  EXPECT_EQ(dense_layer({as_it_is()}, 0, 64).steps[0].group_words, 0);
}

// The sums reach from -638 to 637.
TEST(AcceleratorWidths, CountExceptionsAsFarAsSumsGet) {
  const auto widths_of = [](std::vector<RequantizerException> exceptions) {
    return accelerator_widths(dense_layer({with_exceptions(std::move(exceptions))}));
  };
  EXPECT_EQ(widths_of({{600, 1'000'000, 1}}).length, 6);  // to 637
  EXPECT_EQ(widths_of({{-1'000'000, -600, 1}}).length, 6);
  EXPECT_EQ(widths_of({{600, 1'000'000, 1}}).exceptions, 1);
  EXPECT_EQ(widths_of({{-5, -4, 1}, {1, 1, 1}, {638, 640, 1}, {700, 800, 1}}).exceptions, 2);
}

// 9 bits for a byte or its padding, 8 for a weight, a level of the adder tree for each doubling of the lanes.
TEST(AcceleratorWidths, HoldWhatTheAdderTreeGives) {
  EXPECT_EQ(accelerator_widths(dense_layer({as_it_is()}, 0, 16)).acc, 17);
  EXPECT_EQ(accelerator_widths(dense_layer({as_it_is()}, 0, 256)).acc, 21);
  EXPECT_EQ(accelerator_widths(dense_layer({as_it_is()}, 1 << 20, 16)).acc, 22);
}

// The counters of a window run as far as the image and the kernel together.
TEST(AcceleratorWidths, HoldPositionsBehindTheImage) {
  HandMade network;
  const TensorId x = network.add("x", {1, 1, 30}), y = network.add("y", {1, 1, 1}),
                 w = network.add("w", Tensor(DType::kInt8, {1, 1, 30}));
  const integer::Axis axis{.input = 30, .output = 1, .kernel = 30};
  network.step("conv", integer::Convolution{
                           .x = x, .w = w, .y = y, .axes = {axis}, .sum = {{0}, {0}, 0}, .epilogue = {as_it_is()}});
  EXPECT_EQ(accelerator_widths(accelerator(network.program(), 16)).field, 7);  // 60, and a sign
}

TEST(AcceleratorMemories, HaveAdditionsWithClampedExceptions) {
  const auto word = [](std::int32_t value) {
    HandMade network;
    const TensorId x = network.add("x", {1, 16, 2}), a = network.add("a", {1, 16, 1}), b = network.add("b", {1, 16, 1}),
                   y = network.add("y", {1, 16, 1});
    network.step("a", average(x, a, 16, 2)).step("b", average(x, b, 16, 2));
    integer::Pairwise sum = addition(a, b, y, {.ma = 1, .mb = 1, .exceptions = {{1, 2, 3, value}}});
    sum.epilogue = {integer::Clamp{-5, 17}};
    const Accelerator to = accelerator(network.step("sum", sum).program(), 16);
    return accelerator_memories(to, accelerator_widths(to)).additions.back().hex();
  };
  EXPECT_EQ(word(100), word(17));
  EXPECT_EQ(word(-100), word(-5));
  EXPECT_NE(word(17), word(-5));
}

// ---- descriptions of steps

std::int64_t field(std::string_view name, const Accelerator& to, const AcceleratorStep& step) {
  for (const StepField& known : step_fields())
    if (known.name == name) return known.value(to, step);
  ADD_FAILURE() << "there is no field " << name;
  return 0;
}

TEST(StepFields, OfConvolutionsCountInWords) {
  Accelerator to{.shape = array_shape(16), .place_of = {0, 1}, .tensors = {{}, {}}};
  to.tensors[0] = {.channels = 2, .pixels = 35, .pixel_words = 2, .bank = 1, .base = 100};
  to.tensors[1] = {.channels = 20, .pixels = 12, .pixel_words = 32, .bank = 0, .base = 7};
  AcceleratorStep step;
  step.y = 1;
  step.input_rows = 5, step.input_columns = 7, step.output_rows = 3, step.output_columns = 4;
  step.kernel_rows = 3, step.kernel_columns = 2, step.words = 2, step.groups = 2;
  step.stride_rows = 2, step.stride_columns = 3, step.pad_rows = 1, step.pad_columns = 2;
  step.first_weights = 11, step.first_channel = 13, step.padding = -3, step.low = -5, step.high = 6;
  const std::map<std::string_view, std::int64_t> wanted = {
      {"adds", 0},           {"a_bank", 1},         {"b_bank", 0},         {"y_bank", 0},      {"y_base", 7},
      {"padding", -3},       {"low", -5},           {"high", 6},           {"beats", 32 * 12}, {"channel_base", 13},
      {"channel_words", 32}, {"b_offset", 0},       {"input_rows", 5},     {"groups", 2},      {"input_columns", 7},
      {"output_rows", 3},    {"output_columns", 4}, {"kernel_rows", 3},    {"words", 2},       {"kernel_columns", 2},
      {"origin", 82},        {"tap_step", 1},       {"line_words", 14},    {"group_words", 0}, {"pixel_step", 6},
      {"row_step", 28},      {"stride_rows", 2},    {"stride_columns", 3}, {"first_row", -1},  {"first_column", -2},
      {"first_weights", 11}};
  for (const auto& [name, value] : wanted) EXPECT_EQ(field(name, to, step), value) << name;
}

TEST(StepFields, OfAdditionsAreOneLoop) {
  Accelerator to{.shape = array_shape(16), .place_of = {0, 1, 2}, .tensors = {{}, {}, {}}};
  to.tensors[0] = {.channels = 16, .pixels = 3, .pixel_words = 16, .bank = 0, .base = 100};
  to.tensors[1] = {.channels = 16, .pixels = 3, .pixel_words = 16, .bank = 1, .base = 30};
  AcceleratorStep step;
  step.a = 0, step.b = 1, step.y = 2;
  step.input_columns = step.output_columns = 48;
  step.addition = IntegerAddition();
  const std::map<std::string_view, std::int64_t> wanted = {
      {"adds", 1},     {"a_bank", 0},         {"b_bank", 1},       {"b_offset", -70},    {"origin", 100},
      {"beats", 48},   {"input_columns", 48}, {"channel_base", 0}, {"channel_words", 1}, {"input_rows", 1},
      {"groups", 1},   {"kernel_rows", 1},    {"tap_step", 1},     {"line_words", 0},    {"pixel_step", 1},
      {"row_step", 0}, {"first_row", 0},      {"first_column", 0}, {"first_weights", 0}, {"output_columns", 48}};
  for (const auto& [name, value] : wanted) EXPECT_EQ(field(name, to, step), value) << name;
}

}  // namespace
}  // namespace octet
