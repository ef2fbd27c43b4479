// What becomes of a small network on the accelerator, in literal numbers.

#include <gtest/gtest.h>

#include <algorithm>

#include "octet/export/accelerator.h"
#include "tests/program/networks.h"

namespace octet {
namespace {

// Two convolutions of the image [1,3,2,3] and their sum; the first has windows of 3 x 3 and stride 1, the second of 1 x 1.
IntegerProgram two_of_the_image() {
  const Constants constants = {{"s", f(0.5F)},
                               {"z", u8(7)},
                               {"wz", s8(0)},
                               {"w", Tensor(DType::kInt8, {5, 3, 3, 3})},
                               {"v", Tensor(DType::kInt8, {5, 3, 1, 1})}};
  Model model = network(
      "main (x) => (y) { a = QLinearConv <pads: ints = [1, 1, 1, 1]> (x, s, z, w, s, wz, s, z)\n"
      " b = QLinearConv (x, s, z, v, s, wz, s, z)\n"
      " y = QLinearAdd (a, s, z, b, s, z, s, z) }",
      {value("x", DType::kUint8, SymbolicShape{1, 3, 2, 3})}, constants);
  model.graph.nodes.back().domain = "com.microsoft";
  return integer_program(lowered(model, Policy::kAsWritten), {});
}

TEST(SmallAccelerator, FreesTheImageBehindItsLastReader) {
  const Accelerator to = accelerator(two_of_the_image(), 16);
  ASSERT_EQ(to.steps.size(), 3U);
  std::vector<bool> frees;
  for (const AcceleratorStep& step : to.steps) frees.push_back(step.frees_image);
  EXPECT_EQ(frees, (std::vector<bool>{false, true, false}));
}

// 16 multipliers: 16 columns of 1 lane, so that a word is a channel. A pixel of the image is 3 words, one of a result 16,
// padded to all columns: 96 words in all.
TEST(SmallAccelerator, PlacesOperandsOfAnAdditionInTwoBanks) {
  const Accelerator to = accelerator(two_of_the_image(), 16);
  EXPECT_EQ(to.shape.lanes, 1);
  EXPECT_EQ(to.shape.columns, 16);
  const PlacedTensor &image = to.tensors[to.image], &a = to.tensors[to.steps[0].y], &b = to.tensors[to.steps[1].y],
                     &y = to.tensors[to.steps[2].y];
  EXPECT_EQ(image.bank, 2);
  EXPECT_EQ(image.pixels, 6);
  EXPECT_EQ(image.pixel_words, 3);
  EXPECT_EQ(to.image_words, 18);
  EXPECT_EQ(a.channels, 5);
  EXPECT_EQ(a.pixel_words, 16);
  EXPECT_NE(a.bank, b.bank);
  EXPECT_EQ(y.pixels, 6);
  // y lies behind the operand in its bank, which is read while it is written.
  EXPECT_EQ(to.bank_words[0] + to.bank_words[1], 288);
  EXPECT_EQ(std::max(to.bank_words[0], to.bank_words[1]), 192);
}

TEST(SmallAccelerator, HasTheGeometryOfItsConvolutions) {
  const Accelerator to = accelerator(two_of_the_image(), 16);
  const AcceleratorStep &a = to.steps[0], &b = to.steps[1];
  EXPECT_EQ(a.input_rows, 2);
  EXPECT_EQ(a.input_columns, 3);
  EXPECT_EQ(a.output_rows, 2);
  EXPECT_EQ(a.output_columns, 3);
  EXPECT_EQ(a.kernel_rows, 3);
  EXPECT_EQ(a.kernel_columns, 3);
  EXPECT_EQ(a.pad_rows, 1);
  EXPECT_EQ(a.pad_columns, 1);
  EXPECT_EQ(b.kernel_rows, 1);
  EXPECT_EQ(b.pad_rows, 0);
  EXPECT_EQ(a.padding, 7);  // the zero point of x
  EXPECT_EQ(a.low, 0);
  EXPECT_EQ(a.high, 255);
  EXPECT_FALSE(a.is_signed);
  EXPECT_EQ(a.groups, 1);             // of 16 channels: 5 and eleven of padding
  EXPECT_EQ(a.channels.size(), 16U);  // padded to whole groups
  EXPECT_EQ(a.useful, 6 * 5 * 3 * 9);
  EXPECT_EQ(b.useful, 6 * 5 * 3);
  EXPECT_EQ(a.first_channel, 0);
  EXPECT_EQ(a.first_weights, 0);
  EXPECT_EQ(b.first_weights, 27);  // behind one group of nine taps of three words
  EXPECT_TRUE(to.steps[2].addition);
  EXPECT_TRUE(to.steps[2].channels.empty());
}

}  // namespace
}  // namespace octet
