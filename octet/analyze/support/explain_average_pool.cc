// explain_average_pool.cc: QLinearAveragePool and QLinearGlobalAveragePool.
#include <fmt/core.h>

#include <algorithm>

#include "octet/analyze/support/explainers.h"
#include "octet/spec/accumulator.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/qlinear_average_pool.h"
#include "octet/spec/quantized/qlinear_global_average_pool.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

struct Pool {
  std::vector<std::int64_t> elements;  // of x, inside the image, in row-major order
  std::int64_t count;                  // what the sum is divided by
  bool whole_image;                    // without padding: the integer formula
  Quantization x, y;
};

Pool pool_of(const Applied& applied) {
  const bool channels_last = applied.attributes().get_int("channels_last", 0) != 0;
  const Shape& shape = applied.input(Role::kX).shape();
  const std::size_t first = channels_last ? 1 : 2, rank = shape.size() - 2;
  const Shape image(shape.begin() + static_cast<std::ptrdiff_t>(first),
                    shape.begin() + static_cast<std::ptrdiff_t>(first + rank));
  Shape begin(rank, 0), end = image;
  Pool pool{{},
            element_count(image),
            true,
            applied.quantization(Role::kXScale, Role::kXZeroPoint),
            applied.quantization(Role::kYScale, Role::kYZeroPoint)};
  if (applied.attributes().has("kernel_shape")) {
    const Window window = average_pool_window(applied.attributes(), symbolic(image));
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t start = applied.index()[first + axis] * window.strides[axis] - window.pads_begin[axis];
      begin[axis] = std::max<std::int64_t>(start, 0);
      end[axis] = std::min(start + window.kernel[axis], image[axis]);
    }
    pool.whole_image = is_whole_image(window, image);
    pool.count = element_count(window.kernel);
  }
  Shape at = applied.index();
  std::copy(begin.begin(), begin.end(), at.begin() + static_cast<std::ptrdiff_t>(first));
  const bool empty = !std::equal(begin.begin(), begin.end(), end.begin(), std::less<>());
  for (bool more = !empty; more;) {
    pool.elements.push_back(element_of(at, shape));
    more = false;
    for (std::size_t axis = rank; axis-- > 0 && !more;) {
      more = ++at[first + axis] < end[axis];
      if (!more) at[first + axis] = begin[axis];
    }
  }
  if (applied.attributes().get_int("count_include_pad", 0) == 0)
    pool.count = static_cast<std::int64_t>(pool.elements.size());
  return pool;
}

// Sum of x less its zero point, in the accumulator.
std::int32_t explain_integer_sum(const Applied& applied, const Pool& pool, Findings& findings) {
  ExplainedSection& pixels = findings.section("pixels");
  pixels.terms.columns = {"x at", "x", "x - zx", "sum"};
  const std::int32_t sum = with_accumulator(applied.arithmetic(), [&](auto adder) {
    std::int32_t total = 0;
    for (const std::int64_t element : pool.elements) {
      const auto x = static_cast<std::int32_t>(applied.input(Role::kX).int_at(element));
      total = adder.add(total, x - pool.x.zero_point);
      pixels.terms.rows.push_back({to_string(index_of(element, applied.input(Role::kX).shape())), std::int64_t{x},
                                   std::int64_t{x - pool.x.zero_point}, std::int64_t{total}});
    }
    return total;
  });
  findings.line("acc", "Sum (x - zx)", std::int64_t{sum});
  return sum;
}

std::int32_t explain_integer_pool(const Applied& applied, const Pool& pool, Findings& findings) {
  const std::int32_t accumulator = explain_integer_sum(applied, pool, findings);
  const float multiplier = average_multiplier(pool.x.scale, pool.y.scale, pool.count);
  const Exact exact = Exact(pool.x.scale) / (Exact(pool.y.scale) * Exact(pool.count));
  findings.section("requantization");
  explain_parameters(findings, "x", pool.x);
  explain_parameters(findings, "y", pool.y);
  findings.line("M", fmt::format("x_scale / (y_scale * {})", pool.count), multiplier, exact);
  findings.line("M, exact", "", exact.fraction());
  const ZeroPoint place = pool.whole_image ? ZeroPoint::kAfterRounding : ZeroPoint::kBeforeRounding;
  return explain_requantization(findings, applied.arithmetic(), accumulator, multiplier, exact,
                                quantized_output(applied.dtype(), pool.y.zero_point, place));
}

std::int32_t explain_float_pool(const Applied& applied, const Pool& pool, Findings& findings) {
  ExplainedSection& pixels = findings.section("pixels");
  pixels.terms.columns = {"x at", "x", "x - zx", "v", "sum"};
  float sum = 0;
  Exact exact = 0;
  for (const std::int64_t element : pool.elements) {
    const auto x = static_cast<std::int32_t>(applied.input(Role::kX).int_at(element));
    const float real = dequantize_linear(x, pool.x);
    sum += real;
    exact = exact + Exact(pool.x.scale) * Exact(x - pool.x.zero_point);
    pixels.terms.rows.push_back({to_string(index_of(element, applied.input(Role::kX).shape())), std::int64_t{x},
                                 std::int64_t{x - pool.x.zero_point}, real, sum});
  }
  explain_parameters(findings, "x", pool.x);
  findings.line("sum", "Sum v", sum, exact, "v = x_scale * (x - zx); float32, in this order");
  findings.section("average");
  const float average = sum / static_cast<float>(pool.count), t = average / pool.y.scale;
  exact = exact / Exact(pool.count);
  findings.line("w", fmt::format("sum / {}", pool.count), average, exact);
  explain_parameters(findings, "y", pool.y);
  exact = exact / Exact(pool.y.scale);
  findings.line("t", "w / y_scale", t, exact);
  return explain_rounding(
      findings, t, exact,
      resolve(quantized_output(applied.dtype(), pool.y.zero_point, ZeroPoint::kBeforeRounding), applied.arithmetic()),
      applied.arithmetic().rounding);
}

}  // namespace

void explain_average_pool(const Applied& applied, Findings& findings) {
  const Pool pool = pool_of(applied);
  findings.section("window");
  findings.line("x", "", applied.input_name(applied.at(Role::kX)),
                counted(static_cast<std::int64_t>(pool.elements.size()), "pixel") +
                    (pool.whole_image ? ", the whole image: summed as integers" : " inside the image"));
  const bool integer = pool.whole_image || !averages_in_float(applied.arithmetic());
  findings.operation.result = std::int64_t{integer ? explain_integer_pool(applied, pool, findings)
                                                   : explain_float_pool(applied, pool, findings)};
}

}  // namespace octet
