#include "octet/data/image_form.h"

#include <gtest/gtest.h>

#include "tests/support/failure.h"

namespace octet {
namespace {

Value input_of(SymbolicShape shape, DType dtype = DType::kFloat) {
  return {.name = "x", .type = {.dtype = dtype, .shape = std::move(shape)}};
}

// Two pixels side by side.
Tensor two_pixels() { return Tensor::from<std::uint8_t>({1, 2, 3}, {10, 20, 30, 40, 50, 60}); }

TEST(ImageForm, FollowsTheLayoutOfTheInput) {
  const ImageLayout first = image_layout(input_of({Dim::symbol("N"), Dim(3), Dim(1), Dim(2)}));
  EXPECT_EQ(image_input(two_pixels(), {}, first), Tensor::from<std::uint8_t>({3, 1, 2}, {10, 40, 20, 50, 30, 60}));
  const ImageLayout last = image_layout(input_of({Dim(1), Dim(), Dim(2), Dim(3)}));
  EXPECT_TRUE(last.channels_last);
  EXPECT_EQ(image_input(two_pixels(), {}, last), two_pixels());
}

TEST(ImageForm, PutsBlueFirst) {
  const ImageLayout first = image_layout(input_of({Dim(1), Dim(3), Dim(), Dim()}));
  EXPECT_EQ(image_input(two_pixels(), {.bgr = true}, first),
            Tensor::from<std::uint8_t>({3, 1, 2}, {30, 60, 20, 50, 10, 40}));
  const ImageLayout last = image_layout(input_of({Dim(1), Dim(), Dim(), Dim(3)}));
  EXPECT_EQ(image_input(two_pixels(), {.bgr = true}, last),
            Tensor::from<std::uint8_t>({1, 2, 3}, {30, 20, 10, 60, 50, 40}));
}

TEST(ImageForm, HasTheChannelsOfTheInput) {
  const ImageLayout gray = image_layout(input_of({Dim(1), Dim(1), Dim(), Dim()}));
  // (19595 * 10 + 38470 * 20 + 7471 * 30) / 65536 = 18.15 and 48.15
  EXPECT_EQ(image_input(two_pixels(), {}, gray), Tensor::from<std::uint8_t>({1, 1, 2}, {18, 48}));
  // 0.57 and 0.46
  EXPECT_EQ(image_input(Tensor::from<std::uint8_t>({1, 2, 3}, {0, 0, 5, 0, 0, 4}), {}, gray),
            Tensor::from<std::uint8_t>({1, 1, 2}, {1, 0}));
  const ImageLayout three = image_layout(input_of({Dim(1), Dim(3), Dim(), Dim()}));
  EXPECT_EQ(image_input(Tensor::from<std::uint8_t>({1, 2, 1}, {7, 9}), {.bgr = true}, three),
            Tensor::from<std::uint8_t>({3, 1, 2}, {7, 9, 7, 9, 7, 9}));
  EXPECT_TRUE(image_layout(input_of({Dim(1), Dim(28), Dim(28), Dim(1)})).channels_last);
  EXPECT_FALSE(image_layout(input_of({Dim(1), Dim(1), Dim(28), Dim(1)})).channels_last);
}

TEST(ImageForm, ResizesBeforeItCrops) {
  const ImageLayout gray = image_layout(input_of({Dim(1), Dim(1), Dim(1), Dim(1)}));
  const Tensor image = Tensor::from<std::uint8_t>({2, 6, 1}, {0, 0, 10, 20, 90, 90, 0, 0, 30, 40, 90, 90});
  // The shorter side is 1, so that the image is 3 x 1, and its middle 25.
  EXPECT_EQ(image_input(image, {.shorter_side = 1, .crop = ImageSize{1, 1}}, gray),
            Tensor::from<std::uint8_t>({1, 1, 1}, {25}));
  EXPECT_EQ(image_input(image, {.size = ImageSize{1, 1}}, gray), Tensor::from<std::uint8_t>({1, 1, 1}, {38}));
}

TEST(ImageForm, SaysWhatDoesNotFit) {
  const ImageLayout layout = image_layout(input_of({Dim(1), Dim(3), Dim(224), Dim()}));
  EXPECT_EQ(failure_of([&] { image_input(two_pixels(), {}, layout); }).message(),
            "the image has 2 x 1 pixels, and the model wants any x 224: resize or crop it");
  EXPECT_EQ(failure_of([] {
              image_layout(input_of({Dim(1), Dim(8)}));
            }).message(),
            "input x is [1,8]; images are [N,C,H,W] or [N,H,W,C] with 1 or 3 channels");
  EXPECT_EQ(failure_of([] {
              image_layout(input_of({Dim(1), Dim(4), Dim(8), Dim(8)}));
            }).message(),
            "input x is [1,4,8,8]; images are [N,C,H,W] or [N,H,W,C] with 1 or 3 channels");
  EXPECT_EQ(failure_of([] {
              image_layout(input_of({Dim(1), Dim(3), Dim(8), Dim(8)}, DType::kInt8));
            }).message(),
            "input x is int8; images become uint8 or float32");
}

}  // namespace
}  // namespace octet
