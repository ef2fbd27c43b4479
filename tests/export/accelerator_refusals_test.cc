// What the accelerator does not have, each with its reason.
#include <gtest/gtest.h>

#include "octet/export/accelerator.h"
#include "tests/export/hand_made.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

void expect_refused(const HandMade& network, const std::string& reason) {
  const std::string refused = accelerator_refusals(network.program(), 16);
  EXPECT_EQ(refused, reason.empty() ? "" : "\n  step: " + reason);
}

// A convolution of one channel and 2 x 2 taps.
integer::Convolution convolution(TensorId x, TensorId w, TensorId y) {
  const integer::Axis axis{.input = 4, .output = 3, .kernel = 2};
  return {.x = x, .w = w, .y = y, .axes = {axis, axis}, .sum = {{0}, {0}, 0}, .epilogue = {as_it_is()}};
}

TEST(AcceleratorRefusals, OfConvolutions) {
  HandMade tensors;
  const TensorId x = tensors.add("x", {1, 1, 4, 4}), y = tensors.add("y", {1, 1, 3, 3}),
                 w = tensors.add("w", Tensor(DType::kInt8, {1, 1, 2, 2})), computed = tensors.add("v", {1, 1, 2, 2});
  const auto with = [&](auto&& change) {
    integer::Convolution task = convolution(x, w, y);
    change(task);
    return HandMade(tensors).step("step", task);
  };
  expect_refused(with([](auto&) {}), "");
  expect_refused(with([](auto& task) { task.axes.clear(); }), "it is neither one- nor two-dimensional");
  expect_refused(with([](auto& task) { task.batches = 2; }), "it has more than one image");
  expect_refused(with([](auto& task) { task.groups = task.group_inputs = 2; }),
                 "it is grouped, and not one channel by one");
  expect_refused(with([](auto& task) { task.axes[1].dilation = 2; }), "its kernel is dilated");
  expect_refused(with([](auto& task) { task.axes[1] = {.input = 4, .output = 4, .kernel = 1, .dilation = 2}; }), "");
  expect_refused(with([&](auto& task) { task.w = computed; }), "its weights are computed");
  expect_refused(with([](auto& task) { task.sum.x_zero_point = 3; }), "its weights are computed");
  expect_refused(with([](auto& task) { task.epilogue.clear(); }), "its sums are not requantized");
  expect_refused(with([](auto& task) { task.epilogue.push_back(integer::LookUp{}); }),
                 "behind its sum is more than a requantization and clamps");
  expect_refused(with([](auto& task) {
                   task.epilogue = {as_it_is(), integer::Clamp{-100, -50}, integer::Clamp{0, 5}};
                 }),
                 "its clamp leaves one value");
}

TEST(AcceleratorRefusals, OfMatrixProducts) {
  HandMade tensors;
  const TensorId x = tensors.add("x", {1, 2, 2}), row = tensors.add("row", {1, 4}), y = tensors.add("y", {1, 1}),
                 w = tensors.add("w", Tensor(DType::kInt8, {4, 1}));
  const auto with = [&](TensorId from, auto&& change) {
    integer::MatrixProduct task = dense(from, w, y, 4, {as_it_is()});
    change(task);
    return HandMade(tensors).step("step", task);
  };
  constexpr const char* kNotOnePixel = "its left side is not the channels of one pixel";
  expect_refused(with(row, [](auto&) {}), "");
  expect_refused(with(row, [](auto& task) { task.rows = 2; }), "its left side is more than one row");
  expect_refused(with(row, [](auto& task) { task.matrices.push_back({4, 0}); }), "its left side is more than one row");
  expect_refused(with(x, [](auto&) {}), kNotOnePixel);
  expect_refused(with(row, [](auto& task) { task.x_product = 2; }), kNotOnePixel);
  expect_refused(with(row, [](auto& task) { task.products = 3; }), kNotOnePixel);
  expect_refused(with(row, [](auto& task) { task.matrices[0].x = 1; }), kNotOnePixel);
}

TEST(AcceleratorRefusals, OfAverages) {
  HandMade tensors;
  const TensorId x = tensors.add("x", {1, 2, 3}), y = tensors.add("y", {1, 2, 1});
  const auto with = [&](auto&& change) {
    integer::Average task = average(x, y, 2, 3);
    change(task);
    return HandMade(tensors).step("step", task);
  };
  constexpr const char* kNotTheSecond = "its channels are not the second axis";
  expect_refused(with([](auto&) {}), "");
  expect_refused(with([](auto& task) { task.batches = 2; }), "it has more than one image");
  expect_refused(with([](auto& task) { task.channel_stride = 1; }), kNotTheSecond);
  expect_refused(with([](auto& task) { task.pixel_stride = 2; }), kNotTheSecond);
  expect_refused(with([](auto& task) { task.channels = 3; }), kNotTheSecond);
}

TEST(AcceleratorRefusals, OfAdditions) {
  HandMade tensors;
  const TensorId a = tensors.add("a", {1, 2, 2}), b = tensors.add("b", {1, 2, 2}), y = tensors.add("y", {1, 2, 2}),
                 row = tensors.add("row", {1, 2, 1}), other = tensors.add("other", {1, 2, 2}, DType::kUint8),
                 known = tensors.add("known", Tensor(DType::kInt8, {1, 2, 2}));
  const auto of = [&](TensorId first, TensorId second) {
    return HandMade(tensors).step("step", addition(first, second, y));
  };
  expect_refused(of(a, b), "");
  expect_refused(of(a, a), "both of its operands are the same");
  expect_refused(of(a, row), "one of its operands is repeated");
  expect_refused(of(a, other), "its operands are of different types");
  expect_refused(of(a, known), "it computes with a constant where an array of results is wanted");
  integer::Pairwise product = addition(a, b, y);
  product.pair = integer::Multiplication{};
  expect_refused(HandMade(tensors).step("step", product), "it multiplies two results");
}

integer::Move move(TensorId x, TensorId y, Shape shape, std::vector<std::int64_t> strides) {
  const Shape begin(shape.size(), 0);
  return {.y = y,
          .boxes = {{.source = x, .begin = begin, .shape = std::move(shape), .strides = std::move(strides)}},
          .indices = {},
          .sources = {}};
}

TEST(AcceleratorRefusals, OfMoves) {
  HandMade tensors;
  const TensorId x = tensors.add("x", {1, 4, 2, 2}), y = tensors.add("y", {1, 4, 2, 2}),
                 flat = tensors.add("flat", {1, 16}), pixel = tensors.add("pixel", {1, 4, 1, 1}),
                 row = tensors.add("row", {1, 4});
  const auto moved = [&](const integer::Move& task) { return HandMade(tensors).step("step", task); };
  expect_refused(moved(move(x, y, {1, 4, 2, 2}, {16, 4, 2, 1})), "");
  expect_refused(moved(move(pixel, row, {1, 4}, {4, 1})), "");
  expect_refused(moved(move(x, y, {1, 4, 2, 2}, {16, 4, 1, 2})), "it moves elements");
  expect_refused(moved(move(x, row, {1, 4}, {4, 1})), "it moves elements");
  expect_refused(moved(move(x, flat, {1, 16}, {16, 1})), "it moves elements between channels");
  integer::Move fill = move(x, y, {1, 4, 2, 2}, {16, 4, 2, 1});
  fill.boxes[0].source.reset();
  expect_refused(moved(fill), "it moves elements");
}

// Of a result under another shape, both names are of one memory.
TEST(AcceleratorRefusals, OfAdditionsOfOneTensorUnderTwoShapes) {
  HandMade tensors;
  const TensorId x = tensors.add("x", {1, 4, 2, 2}), same = tensors.add("same", {1, 4, 2, 2}),
                 y = tensors.add("y", {1, 4, 2, 2});
  expect_refused(
      HandMade(tensors).step("rename", move(x, same, {1, 4, 2, 2}, {16, 4, 2, 1})).step("step", addition(x, same, y)),
      "both of its operands are the same");
}

// Three results, each of which is added to both of the others: two banks are not enough.
TEST(AcceleratorRefusals, OfOperandsForWhichTwoBanksAreNotEnough) {
  HandMade network;
  const TensorId x = network.add("x", {1, 16, 2});
  std::vector<TensorId> means, sums;
  for (const char* name : {"a", "b", "c"}) {
    means.push_back(network.add(name, {1, 16, 1}));
    network.step(name, average(x, means.back(), 16, 2));
  }
  for (const std::size_t k : {0U, 1U, 2U}) {
    sums.push_back(network.add("sum" + std::to_string(k), {1, 16, 1}));
    network.step("sum" + std::to_string(k), addition(means[k], means[(k + 1) % 3], sums.back()));
  }
  const Error error = failure_of([&] { accelerator(network.program(), 16); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_STREQ(error.what(), "the operands of all additions can't lie in different banks of two");
}

TEST(AcceleratorRefusals, OfNetworksWithoutOneInputAndOneOutput) {
  HandMade network;
  const TensorId a = network.add("a", {1, 16, 2}), b = network.add("b", {1, 16, 2}), y = network.add("y", {1, 16, 2});
  network.step("step", addition(a, b, y));
  EXPECT_STREQ(failure_of([&] {
                 accelerator(network.program({a, b}), 16);
               }).what(),
               "the accelerator does not have all of this network:\n  2 inputs of integers, one is wanted: a, b");
  IntegerProgram same = HandMade(network).program({a});
  same.steps.clear();
  same.outputs = {a};
  EXPECT_STREQ(failure_of([&] { accelerator(same, 16); }).what(),
               "the accelerator does not have all of this network:\n  no step computes the output");
}

}  // namespace
}  // namespace octet
