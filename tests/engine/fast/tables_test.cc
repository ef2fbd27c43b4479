// Element by element: sums and products of bytes, and what goes through tables.
#include <numeric>

#include "tests/engine/fast/kernel_case.h"

namespace octet::fast {
namespace {

TEST(FastPairwise, BroadcastsInBothLayoutsWithStages) {
  for (unsigned seed = 0; seed < 4 * kKernelCases; ++seed) {
    KernelCase c(seed);
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
  for (unsigned seed = 0; seed < kKernelCases; ++seed) {
    KernelCase c(seed);
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

}  // namespace
}  // namespace octet::fast
