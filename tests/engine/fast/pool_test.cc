#include "tests/engine/fast/kernel_case.h"

namespace octet::fast {
namespace {

TEST(FastPool, PoolsWindowsAndWholeImagesInBothLayouts) {
  for (unsigned seed = 0; seed < 4 * kKernelCases; ++seed) {
    KernelCase c(seed);
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

}  // namespace
}  // namespace octet::fast
