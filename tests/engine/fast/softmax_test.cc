#include "tests/engine/fast/kernel_case.h"

namespace octet::fast {
namespace {

TEST(FastSoftmax, RunsAlongEveryAxis) {
  for (unsigned seed = 0; seed < kKernelCases; ++seed) {
    KernelCase c(seed);
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
  for (unsigned seed = 0; seed < kKernelCases; ++seed) {
    KernelCase c(seed);
    const Shape shape = c.image_shape();
    work::FloatSoftmax work{.axis = c.number(0, 3), .flattens = c.coin()};
    const Layout layout = work.flattens ? Layout::kAsDeclared : c.layout();
    work.x = c.given(DType::kFloat, shape, layout);
    work.y = c.add(DType::kFloat, shape, layout);
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace octet::fast
