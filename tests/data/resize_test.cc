#include "octet/data/resize.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "octet/base/memory_budget.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

Tensor gray_image(std::int64_t width, std::int64_t height, std::initializer_list<std::uint8_t> pixels) {
  return Tensor::from<std::uint8_t>({height, width, 1}, pixels);
}

TEST(Resize, AveragesWhatAPixelCovers) {
  EXPECT_EQ(resized(gray_image(4, 1, {10, 20, 30, 50}), {2, 1}), gray_image(2, 1, {15, 40}));
  // 3 pixels in 2: one and a half each, so (2 * 10 + 20) / 3 and (20 + 2 * 40) / 3.
  EXPECT_EQ(resized(gray_image(3, 1, {10, 20, 40}), {2, 1}), gray_image(2, 1, {13, 33}));
  EXPECT_EQ(resized(gray_image(1, 3, {10, 20, 40}), {1, 2}), gray_image(1, 2, {13, 33}));
}

TEST(Resize, RoundsOnceAndTiesUp) {
  EXPECT_EQ(resized(gray_image(2, 1, {0, 1}), {1, 1}), gray_image(1, 1, {1}));             // 0.5
  EXPECT_EQ(resized(gray_image(2, 2, {0, 0, 0, 1}), {1, 1}), gray_image(1, 1, {0}));       // 0.25; twice rounded, 1
  EXPECT_EQ(resized(gray_image(3, 1, {254, 255, 255}), {1, 1}), gray_image(1, 1, {255}));  // 254.67
  EXPECT_EQ(resized(gray_image(3, 3, {0, 0, 0, 0, 4, 0, 0, 0, 0}), {1, 1}), gray_image(1, 1, {0}));  // 4/9
  EXPECT_EQ(resized(gray_image(3, 3, {0, 0, 0, 0, 5, 0, 0, 0, 0}), {1, 1}), gray_image(1, 1, {1}));  // 5/9
}

TEST(Resize, CountsTheMemoryOfItsSums) {
  const MemoryBudget budget(5 << 20);  // the image of 100,000 bytes fits; what it is computed with beside it does not
  EXPECT_EQ(failure_of([] { resized(gray_image(1, 1, {7}), {100'000, 1}); }).code(), ErrorCode::kLimit);
}

TEST(Resize, MakesRectanglesOfPixels) {
  EXPECT_EQ(resized(gray_image(2, 1, {10, 20}), {4, 1}), gray_image(4, 1, {10, 10, 20, 20}));
  EXPECT_EQ(resized(gray_image(2, 1, {10, 20}), {3, 2}), gray_image(3, 2, {10, 15, 20, 10, 15, 20}));
}

TEST(Resize, KeepsChannelsApart) {
  const Tensor image = Tensor::from<std::uint8_t>({1, 2, 3}, {0, 100, 200, 2, 102, 255});
  EXPECT_EQ(resized(image, {1, 1}), Tensor::from<std::uint8_t>({1, 1, 3}, {1, 101, 228}));
}

TEST(Resize, ChangesNothingAtTheSameSize) {
  const Tensor image = gray_image(3, 2, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(resized(image, {3, 2}), image);
}

TEST(Resize, RefusesMoreThanTheMostPixels) {
  EXPECT_EQ(failure_of([] { resized(gray_image(1, 1, {0}), {1 << 20, 1 << 20}); }).code(), ErrorCode::kLimit);
}

TEST(Resize, KeepsTheShape) {
  EXPECT_EQ(with_shorter_side({640, 480}, 240), (ImageSize{320, 240}));
  EXPECT_EQ(with_shorter_side({500, 333}, 256), (ImageSize{384, 256}));  // 384.38
  EXPECT_EQ(with_shorter_side({333, 500}, 256), (ImageSize{256, 384}));
}

TEST(Crop, TakesTheMiddle) {
  const Tensor image = gray_image(5, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(center_crop(image, {3, 2}), gray_image(3, 2, {2, 3, 4, 7, 8, 9}));
  // An odd pixel over: the left part is even, 0 of 1, 2 of 3, 2 of 5, as torchvision rounds 0.5, 1.5 and 2.5.
  EXPECT_EQ(center_crop(image, {4, 1}), gray_image(4, 1, {1, 2, 3, 4}));
  EXPECT_EQ(center_crop(image, {2, 1}), gray_image(2, 1, {3, 4}));
  EXPECT_EQ(center_crop(gray_image(6, 1, {1, 2, 3, 4, 5, 6}), {1, 1}), gray_image(1, 1, {3}));
  EXPECT_EQ(failure_of([&] { center_crop(image, {5, 3}); }).message(), "5 x 3 pixels are to be cut out of 5 x 2");
}

}  // namespace
}  // namespace octet
