// Elements that change places.
#include "tests/engine/fast/kernel_case.h"

namespace octet::fast {
namespace {

TEST(FastMove, TransposesSlicesRepeatsAndPads) {
  for (unsigned seed = 0; seed < 4 * kKernelCases; ++seed) {
    KernelCase c(seed);
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
  KernelCase c(1);
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

}  // namespace
}  // namespace octet::fast
