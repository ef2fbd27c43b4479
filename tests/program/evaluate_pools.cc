#include <algorithm>
#include <limits>
#include <numeric>

#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/qlinear_global_average_pool.h"
#include "octet/spec/quantized/quantize_linear.h"
#include "tests/program/work_evaluation.h"

namespace octet::evaluation {
namespace {

// The pixels of one window, in row-major order; those of the whole image where there is no window.
std::vector<std::int64_t> inside(const std::optional<Window>& window, const Shape& image, const Shape& o) {
  const Shape size = window ? Shape(window->kernel) : image;
  std::vector<std::int64_t> pixels;
  Shape t(image.size(), 0);
  for (std::int64_t tap = element_count(size); tap-- > 0; advance(t, size)) {
    std::int64_t pixel = 0;
    bool is_inside = true;
    for (std::size_t d = 0; d < image.size(); ++d) {
      const std::int64_t i =
          window ? o[d] * window->strides[d] + t[d] * window->dilations[d] - window->pads_begin[d] : t[d];
      is_inside = is_inside && 0 <= i && i < image[d];
      pixel = pixel * image[d] + i;
    }
    if (is_inside) pixels.push_back(pixel);
  }
  return pixels;
}

std::int32_t pooled(const work::Pool& work, DType type, const std::vector<std::int32_t>& seen) {
  if (work.maximum) {
    const auto lowest = static_cast<std::int32_t>(integer_range(type).min);
    return std::accumulate(seen.begin(), seen.end(), lowest,
                           [](std::int32_t a, std::int32_t b) { return std::max(a, b); });
  }
  if (work.sums_in_float) {
    float sum = 0;
    for (const std::int32_t x : seen) sum += dequantize_linear(x, work.x_meaning);
    const std::int64_t count =
        work.count_include_pad ? element_count(work.window->kernel) : static_cast<std::int64_t>(seen.size());
    return quantize_real(sum / static_cast<float>(count) / work.y_meaning.scale,
                         quantized_output(type, work.y_meaning.zero_point, ZeroPoint::kBeforeRounding),
                         Rounding::kTiesEven);
  }
  std::uint32_t sum = 0;
  for (const std::int32_t x : seen) sum += static_cast<std::uint32_t>(x - work.x_meaning.zero_point);
  const float multiplier =
      average_multiplier(work.x_meaning.scale, work.y_meaning.scale, static_cast<std::int64_t>(seen.size()));
  const QuantizedOutput output = quantized_output(type, work.y_meaning.zero_point, ZeroPoint::kAfterRounding);
  return Requantizer(kExactly, multiplier, output)(static_cast<std::int32_t>(sum));
}

float pooled(const work::FloatPool& work, const Shape& image, const Shape& o, const std::vector<float>& seen) {
  if (work.maximum) {
    if (seen.empty()) return std::numeric_limits<float>::lowest();
    return std::accumulate(seen.begin(), seen.end(), seen.front(), [](float a, float b) { return b > a ? b : a; });
  }
  if (!work.window) {
    const std::size_t fours = seen.size() / 4;
    float lanes[4] = {0, 0, 0, 0};
    for (std::size_t four = 0; four < fours; ++four)
      for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += seen[4 * four + lane];
    return std::accumulate(seen.begin() + static_cast<std::ptrdiff_t>(4 * fours), seen.end(),
                           (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) /
           static_cast<float>(seen.size());
  }
  std::int64_t count = 1;  // of taps in the image or its padding, but not in what rounding up adds behind it
  for (std::size_t d = 0; d < image.size(); ++d) {
    std::int64_t taps = 0;
    for (std::int64_t t = 0; t < work.window->kernel[d]; ++t)
      taps += o[d] * work.window->strides[d] - work.window->pads_begin[d] + t * work.window->dilations[d] <
              image[d] + work.window->pads_end[d];
    count *= taps;
  }
  if (!work.count_include_pad) count = static_cast<std::int64_t>(seen.size());
  return std::accumulate(seen.begin(), seen.end(), 0.0F) / static_cast<float>(count);
}

}  // namespace

TensorsById evaluate(const work::Pool& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  const std::vector<std::int32_t> from = elements_of(x);
  const auto behind_image = static_cast<std::ptrdiff_t>(work.channels_last ? 1 : 0);
  const Shape image(x.shape().begin() + 2 - behind_image, x.shape().end() - behind_image);
  const Shape output = work.window ? concrete(work.window->output).value() : Shape(image.size(), 1);
  const std::int64_t images = x.shape()[0], channels = work.channels_last ? x.shape().back() : x.shape()[1];
  Result result{.shape = {images}, .type = x.dtype()};
  if (!work.channels_last) result.shape.push_back(channels);
  result.shape.insert(result.shape.end(), output.begin(), output.end());
  if (work.channels_last) result.shape.push_back(channels);

  result.integers.resize(static_cast<std::size_t>(element_count(result.shape)));
  const std::int64_t windows = element_count(output), pixels = element_count(image);
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t c = 0; c < channels; ++c) {
      Shape o(output.size(), 0);
      for (std::int64_t k = 0; k < windows; ++k, advance(o, output)) {
        std::vector<std::int32_t> seen;
        for (const std::int64_t pixel : inside(work.window, image, o))
          seen.push_back(from[static_cast<std::size_t>(work.channels_last ? (n * pixels + pixel) * channels + c
                                                                          : (n * channels + c) * pixels + pixel)]);
        result.integers[static_cast<std::size_t>(work.channels_last ? (n * windows + k) * channels + c
                                                                    : (n * channels + c) * windows + k)] =
            pooled(work, x.dtype(), seen);
      }
    }
  return finish(std::move(result), work.epilogue, work.y, known);
}

TensorsById evaluate(const work::FloatPool& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  const Shape image(x.shape().begin() + 2, x.shape().end());
  const Shape output = work.window ? concrete(work.window->output).value() : Shape(image.size(), 1);
  Result result{.shape = {x.shape()[0], x.shape()[1]},
                .type = DType::kFloat,
                .channels = x.shape()[1],
                .inner = element_count(output)};
  result.shape.insert(result.shape.end(), output.begin(), output.end());
  for (std::int64_t plane = 0; plane < x.shape()[0] * x.shape()[1]; ++plane) {
    Shape o(output.size(), 0);
    for (std::int64_t k = 0; k < element_count(output); ++k, advance(o, output)) {
      std::vector<float> seen;
      for (const std::int64_t pixel : inside(work.window, image, o))
        seen.push_back(real(x, plane * element_count(image) + pixel));
      result.reals.push_back(pooled(work, image, o, seen));
    }
  }
  return finish(std::move(result), work.epilogue, work.y, known);
}

}  // namespace octet::evaluation
