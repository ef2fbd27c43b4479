#include <utility>

#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "tests/program/work_evaluation.h"

namespace octet::evaluation {
namespace {

// Weights that are computed; none where the sum holds them.
template <typename T>
Tensor weights_at(const T& work, const KnownValues& known) {
  return work.sum.weights.empty() ? known.at(work.w) : Tensor();
}

template <typename T>
std::int32_t x_zero_point(const T& work, const KnownValues& known) {
  if (work.x_zero_point == kNoValue) return work.sum.x_zero_point;
  return static_cast<std::int32_t>(known.at(work.x_zero_point).int_at(0));
}

// Of each channel where there is one for each: [channels, products] then.
std::vector<std::int32_t> weights_less_zero_point(const work::Sum& sum, const Tensor& computed) {
  std::vector<std::int32_t> weights = elements_of(sum.weights.empty() ? computed : sum.weights);
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] -= one_or(sum.w_zero_points, sum.products == 0 ? 0 : static_cast<std::int64_t>(k) / sum.products);
  return weights;
}

std::int32_t sum_of_products(const work::Sum& sum, std::int64_t m, const std::int32_t* x, const std::int32_t* w,
                             std::int64_t depth) {
  auto acc = static_cast<std::uint32_t>(sum.bias.empty() ? 0 : one_or(sum.bias, m));
  for (std::int64_t k = 0; k < depth; ++k) acc += static_cast<std::uint32_t>(x[k] * w[k]);
  return static_cast<std::int32_t>(acc);
}

}  // namespace

TensorsById evaluate(const work::Convolution& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  const Window& window = work.window.value();
  const Shape image(x.shape().begin() + 2, x.shape().end());
  const Shape kernel = window.kernel, output = concrete(window.output).value();
  const std::vector<std::int32_t> weights = weights_less_zero_point(work.sum, weights_at(work, known));
  const std::int64_t in_group = x.shape()[1] / work.group, taps = element_count(kernel), products = in_group * taps;
  const auto channels = static_cast<std::int64_t>(weights.size()) / products;
  const std::int64_t positions = element_count(output), pixels = element_count(image);
  std::vector<std::int32_t> from = elements_of(x);
  const std::int32_t zero_point = x_zero_point(work, known);
  for (std::int32_t& element : from) element -= zero_point;

  Result result{.shape = {x.shape()[0], channels}, .channels = channels, .inner = positions};
  result.shape.insert(result.shape.end(), output.begin(), output.end());
  result.integers.resize(static_cast<std::size_t>(element_count(result.shape)));
  const std::vector<std::int64_t> pixel_strides = strides_of(image);
  std::vector<std::int32_t> seen(static_cast<std::size_t>(products));
  for (std::int64_t n = 0; n < x.shape()[0]; ++n)
    for (std::int64_t g = 0; g < work.group; ++g) {
      Shape o(output.size(), 0);
      for (std::int64_t position = 0; position < positions; ++position, advance(o, output)) {
        Shape t(kernel.size(), 0);
        for (std::int64_t tap = 0; tap < taps; ++tap, advance(t, kernel)) {
          std::int64_t pixel = 0;
          bool inside = true;
          for (std::size_t d = 0; d < image.size(); ++d) {
            const std::int64_t i = o[d] * window.strides[d] + t[d] * window.dilations[d] - window.pads_begin[d];
            inside = inside && 0 <= i && i < image[d];
            pixel += i * pixel_strides[d];
          }
          for (std::int64_t c = 0; c < in_group; ++c)
            seen[static_cast<std::size_t>(c * taps + tap)] =
                inside ? from[static_cast<std::size_t>(((n * work.group + g) * in_group + c) * pixels + pixel)] : 0;
        }
        for (std::int64_t m = g * (channels / work.group); m < (g + 1) * (channels / work.group); ++m)
          result.integers[static_cast<std::size_t>((n * channels + m) * positions + position)] =
              sum_of_products(work.sum, m, seen.data(), &weights[static_cast<std::size_t>(m * products)], products);
      }
    }
  return finish(std::move(result), work.epilogue, work.y, known);
}

TensorsById evaluate(const work::MatrixProduct& work, const KnownValues& known) {
  Tensor x = known.at(work.x);
  std::int32_t zero_point = x_zero_point(work, known);
  std::optional<float> scale;
  if (work.quantizes_x) {
    Tensor bytes(DType::kUint8, x.shape());
    const Quantization found = dynamic_quantize_linear(x.as<float>(), bytes.mutable_as<std::uint8_t>());
    scale = found.scale;
    zero_point = found.zero_point;
    x = bytes;
  }
  std::vector<std::int32_t> left = elements_of(x);
  for (std::int32_t& element : left) element -= zero_point;
  const std::vector<std::int32_t> right = weights_less_zero_point(work.sum, weights_at(work, known));
  // Vectors are matrices of one row or column; weights that the sum holds are stored as [N, K].
  const bool x_vector = x.rank() == 1, held = !work.sum.weights.empty();
  Shape a = x_vector ? Shape{1, x.shape()[0]} : x.shape();
  Shape b = held ? Shape{work.sum.channels, work.sum.products} : known.at(work.w).shape();
  const bool w_vector = b.size() == 1, w_transposed = held || work.w_transposed;
  if (w_vector) b.push_back(1);
  if (work.x_transposed) std::swap(a[a.size() - 2], a[a.size() - 1]);
  if (w_transposed) std::swap(b[b.size() - 2], b[b.size() - 1]);
  const std::int64_t rows = a[a.size() - 2], depth = a.back(), columns = b.back();
  const Shape a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  const Shape batch = broadcast(a_batch, b_batch).value();
  const std::vector<std::int64_t> a_strides = broadcast_strides(a_batch, batch),
                                  b_strides = broadcast_strides(b_batch, batch);

  Result result{.shape = batch, .channels = columns};
  if (!x_vector) result.shape.push_back(rows);
  if (!w_vector) result.shape.push_back(columns);
  std::vector<std::int32_t> row(static_cast<std::size_t>(depth)), column(row.size());
  Shape index(batch.size(), 0);
  for (std::int64_t k = 0; k < element_count(batch); ++k, advance(index, batch))
    for (std::int64_t m = 0; m < rows; ++m)
      for (std::int64_t n = 0; n < columns; ++n) {
        const std::int64_t a_first = place_of(index, a_strides) * rows * depth,
                           b_first = place_of(index, b_strides) * columns * depth;
        for (std::int64_t i = 0; i < depth; ++i) {
          row[static_cast<std::size_t>(i)] =
              left[static_cast<std::size_t>(a_first + (work.x_transposed ? i * rows + m : m * depth + i))];
          column[static_cast<std::size_t>(i)] =
              right[static_cast<std::size_t>(b_first + (w_transposed ? n * depth + i : i * columns + n))];
        }
        result.integers.push_back(sum_of_products(work.sum, n, row.data(), column.data(), depth));
      }
  return finish(std::move(result), work.epilogue, work.y, known, scale);
}

}  // namespace octet::evaluation
