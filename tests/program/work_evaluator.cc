#include "tests/program/work_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "octet/base/error.h"
#include "octet/spec/ort_exp.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/quantized/qlinear_global_average_pool.h"
#include "octet/spec/quantized/qlinear_mul.h"
#include "octet/spec/quantized/qlinear_softmax.h"
#include "octet/spec/quantized/quantize_linear.h"

namespace octet {
namespace {

const Arithmetic kExactly;

std::int64_t product_of(const Shape& shape, std::size_t begin, std::size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::int32_t> elements_of(const Tensor& tensor) {
  std::vector<std::int32_t> elements(static_cast<std::size_t>(tensor.size()));
  for (std::size_t k = 0; k < elements.size(); ++k)
    elements[k] = static_cast<std::int32_t>(tensor.int_at(static_cast<std::int64_t>(k)));
  return elements;
}

Tensor tensor_of(DType type, const Shape& shape, const std::vector<std::int32_t>& elements) {
  return convert(Tensor::from<std::int32_t>(shape, std::span<const std::int32_t>(elements)), type);
}

// The next index of a row-major walk over `shape`.
void advance(Shape& index, const Shape& shape) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) return;
    index[d] = 0;
  }
}

std::int64_t place_of(const Shape& index, const std::vector<std::int64_t>& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

// What is stored in the end, while the stages work on it.
struct Result {
  Shape shape;
  DType type = DType::kInt32;
  std::vector<std::int32_t> integers;  // or
  std::vector<float> reals;
  std::int64_t channels = 1, inner = 1;  // channel = element / inner % channels

  std::int64_t channel(std::size_t element) const { return static_cast<std::int64_t>(element) / inner % channels; }
  Tensor tensor() const {
    if (type == DType::kFloat) return Tensor::from<float>(shape, std::span<const float>(reals));
    return tensor_of(type, shape, integers);
  }
};

class Evaluator {
 public:
  Evaluator(const std::vector<ProgramValue>& values, const TensorsById& given) : values_(values), given_(given) {}

  TensorsById operator()(const std::monostate&) { return {}; }

  // ---- sums of products

  TensorsById operator()(const work::Convolution& work) {
    const Tensor& x = at(work.x);
    const Window& window = work.window.value();
    const Shape image(x.shape().begin() + 2, x.shape().end());
    const Shape kernel = window.kernel, output = concrete(window.output).value();
    const std::vector<std::int32_t> weights = weights_less_zero_point(work.sum, at_or_none(work, work.w));
    const std::int64_t in_group = x.shape()[1] / work.group, taps = element_count(kernel), products = in_group * taps;
    const auto channels = static_cast<std::int64_t>(weights.size()) / products;
    const std::int64_t positions = element_count(output), pixels = element_count(image);
    std::vector<std::int32_t> from = elements_of(x);
    const std::int32_t zero_point = x_zero_point(work);
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
    return finish(std::move(result), work);
  }

  TensorsById operator()(const work::MatrixProduct& work) {
    Tensor x = at(work.x);
    std::int32_t zero_point = x_zero_point(work);
    if (work.quantizes_x) {
      Tensor bytes(DType::kUint8, x.shape());
      const Quantization found = dynamic_quantize_linear(x.as<float>(), bytes.mutable_as<std::uint8_t>());
      dynamic_scale_ = found.scale;
      zero_point = found.zero_point;
      x = bytes;
    }
    std::vector<std::int32_t> left = elements_of(x);
    for (std::int32_t& element : left) element -= zero_point;
    const std::vector<std::int32_t> right = weights_less_zero_point(work.sum, at_or_none(work, work.w));
    // Vectors are matrices of one row or column; weights that the sum holds are stored as [N, K].
    const bool x_vector = x.rank() == 1, held = !work.sum.weights.empty();
    Shape a = x_vector ? Shape{1, x.shape()[0]} : x.shape();
    Shape b = held ? Shape{work.sum.channels, work.sum.products} : at(work.w).shape();
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
    return finish(std::move(result), work);
  }

  // ---- others with an epilogue

  TensorsById operator()(const work::Pairwise& work) {
    const Tensor &a = at(work.a), &b = at(work.b);
    Result result{.shape = broadcast(a.shape(), b.shape()).value(), .type = a.dtype()};
    const std::vector<std::int64_t> a_strides = broadcast_strides(a.shape(), result.shape),
                                    b_strides = broadcast_strides(b.shape(), result.shape);
    const IntegerRange range = integer_range(a.dtype());
    const Quantization& first = work.swapped ? work.b_meaning : work.a_meaning;
    const Quantization& second = work.swapped ? work.a_meaning : work.b_meaning;
    const QuantizedBinary f = work.product ? qlinear_mul(first, second, work.y_meaning, range, kExactly)
                                           : qlinear_add(first, second, work.y_meaning, range, kExactly);
    Shape index(result.shape.size(), 0);
    for (std::int64_t k = element_count(result.shape); k-- > 0; advance(index, result.shape)) {
      const auto p = static_cast<std::int32_t>(a.int_at(place_of(index, a_strides))),
                 q = static_cast<std::int32_t>(b.int_at(place_of(index, b_strides)));
      result.integers.push_back(work.swapped ? f(q, p) : f(p, q));
    }
    return finish(std::move(result), work);
  }

  TensorsById operator()(const work::Pool& work) {
    const Tensor& x = at(work.x);
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
    return finish(std::move(result), work);
  }

  // ---- floats

  TensorsById operator()(const work::FloatConvolution& work) {
    const Tensor& x = at(work.x);
    const Window& window = work.window.value();
    const Shape image(x.shape().begin() + 2, x.shape().end()), output = concrete(window.output).value();
    const std::int64_t channels = work.weights.shape()[0], in_group = work.weights.shape()[1];
    const std::int64_t taps = element_count(window.kernel), positions = element_count(output);
    const std::int64_t pixels = element_count(image);
    Result result{.shape = {x.shape()[0], channels}, .type = DType::kFloat, .channels = channels, .inner = positions};
    result.shape.insert(result.shape.end(), output.begin(), output.end());
    for (std::int64_t n = 0; n < x.shape()[0]; ++n)
      for (std::int64_t m = 0; m < channels; ++m) {
        const std::int64_t first = m / (channels / work.group) * in_group;
        Shape o(output.size(), 0), t(image.size(), 0);  // both are back at 0 after their last step
        for (std::int64_t position = 0; position < positions; ++position, advance(o, output)) {
          float sum = 0;
          for (std::int64_t c = 0; c < in_group; ++c) {
            for (std::int64_t tap = 0; tap < taps; ++tap, advance(t, window.kernel)) {
              std::int64_t pixel = 0;
              bool is_inside = true;
              for (std::size_t d = 0; d < image.size(); ++d) {
                const std::int64_t i = o[d] * window.strides[d] + t[d] * window.dilations[d] - window.pads_begin[d];
                is_inside = is_inside && 0 <= i && i < image[d];
                pixel = pixel * image[d] + i;
              }
              const float seen = is_inside ? real(x, ((n * in_group * work.group) + first + c) * pixels + pixel) : 0;
              sum = std::fma(real(work.weights, (m * in_group + c) * taps + tap), seen, sum);
            }
          }
          result.reals.push_back(sum);
        }
      }
    return finish(std::move(result), work);
  }

  TensorsById operator()(const work::FloatProduct& work) {
    const Tensor& x = at(work.x);
    const std::int64_t depth = x.shape().back(), columns = work.weights.size() / depth;
    Result result{.shape = x.shape(), .type = DType::kFloat, .channels = columns};
    result.shape.back() = columns;
    for (std::int64_t m = 0; m < x.size() / depth; ++m)
      for (std::int64_t n = 0; n < columns; ++n) {
        float sum = 0;
        for (std::int64_t k = 0; k < depth; ++k)
          sum = std::fma(real(x, m * depth + k),
                         real(work.weights, work.w_transposed ? n * depth + k : k * columns + n), sum);
        result.reals.push_back(sum);
      }
    return finish(std::move(result), work);
  }

  TensorsById operator()(const work::FloatPool& work) {
    const Tensor& x = at(work.x);
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
    return finish(std::move(result), work);
  }

  TensorsById operator()(const work::FloatElements& work) {
    const Tensor& x = at(work.x);
    Result result{.shape = x.shape(), .type = DType::kFloat};
    if (work.axis) {
      const auto axis = static_cast<std::size_t>(*work.axis);
      result.channels = x.shape()[axis];
      result.inner = product_of(x.shape(), axis + 1, x.shape().size());
    }
    result.reals.assign(x.as<float>().begin(), x.as<float>().end());
    return finish(std::move(result), work);
  }

  // ---- bytes through tables

  TensorsById operator()(const work::Concatenation& work) {
    const auto axis = static_cast<std::size_t>(work.axis);
    Shape shape = at(work.parts.front().x).shape();
    shape[axis] = 0;
    for (const work::Concatenation::Part& part : work.parts) shape[axis] += at(part.x).shape()[axis];
    Tensor y(at(work.parts.front().x).dtype(), shape);
    const std::int64_t outer = product_of(shape, 0, axis), inner = product_of(shape, axis + 1, shape.size());
    std::int64_t before = 0;
    for (const work::Concatenation::Part& part : work.parts) {
      const Tensor& x = at(part.x);
      const std::int64_t length = x.shape()[axis] * inner;
      for (std::int64_t k = 0; k < outer; ++k)
        for (std::int64_t i = 0; i < length; ++i)
          byte(y, k * shape[axis] * inner + before + i) = looked_up(part.table, x, k * length + i);
      before += length;
    }
    return {{work.y, y}};
  }

  TensorsById operator()(const work::Selection& work) {
    const Tensor &condition = at(work.condition), &a = at(work.a.x), &b = at(work.b.x);
    const Shape shape = broadcast(broadcast(a.shape(), b.shape()).value(), condition.shape()).value();
    const std::vector<std::int64_t> a_strides = broadcast_strides(a.shape(), shape),
                                    b_strides = broadcast_strides(b.shape(), shape),
                                    strides = broadcast_strides(condition.shape(), shape);
    Tensor y(a.dtype(), shape);
    Shape index(shape.size(), 0);
    for (std::int64_t k = 0; k < y.size(); ++k, advance(index, shape))
      byte(y, k) = condition.int_at(place_of(index, strides)) != 0
                       ? looked_up(work.a.table, a, place_of(index, a_strides))
                       : looked_up(work.b.table, b, place_of(index, b_strides));
    return {{work.y, y}};
  }

  TensorsById operator()(const work::Table& work) {
    const Tensor& x = at(work.x);
    Tensor y(work.output, x.shape());
    for (std::int64_t k = 0; k < y.size(); ++k) byte(y, k) = looked_up(work.bytes, x, k);
    return {{work.y, y}};
  }

  TensorsById operator()(const work::ChannelTables& work) {
    const Tensor& x = at(work.x);
    Tensor y(work.output, x.shape());
    const std::int64_t run = element_count(std::span(x.shape()).subspan(static_cast<std::size_t>(work.axis) + 1));
    for (std::int64_t k = 0; k < y.size(); ++k)
      byte(y, k) = looked_up(work.tables[static_cast<std::size_t>(k / run) % work.tables.size()], x, k);
    return {{work.y, y}};
  }

  // ---- elements that change places

  TensorsById operator()(const work::SplitBytes& work) {
    const Tensor& x = at(work.x);
    Tensor high(DType::kUint8, x.shape()), low(DType::kUint8, x.shape());
    for (std::int64_t k = 0; k < x.size(); ++k) {
      const std::int64_t number = x.int_at(k) - integer_range(x.dtype()).min;
      high.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(number / 256);
      low.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(number % 256);
    }
    return {{work.high, high}, {work.low, low}};
  }

  TensorsById operator()(const work::JoinedSum& work) {
    const Shape shape = concrete(*values_[work.y].shape).value();
    const auto axis = static_cast<std::size_t>(work.axis);
    const std::int64_t behind = product_of(shape, axis + 1, shape.size());
    Tensor y(DType::kFloat, shape);
    for (std::int64_t k = 0; k < y.size(); ++k) {
      std::uint64_t sum = 0;
      for (const work::JoinedSum::Part& part : work.parts)
        sum += static_cast<std::uint64_t>(part.factor) * static_cast<std::uint64_t>(at(part.x).int_at(k));
      const auto narrow = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
      const std::int64_t channel = k / behind % shape[axis];
      float real =
          work.type == DType::kInt32 ? static_cast<float>(narrow) : static_cast<float>(static_cast<std::int64_t>(sum));
      real *= one_or(work.multipliers, channel);
      if (!work.bias.empty()) real += one_or(work.bias, channel);
      y.mutable_as<float>()[static_cast<std::size_t>(k)] = real;
    }
    return {{work.y, y}};
  }

  TensorsById operator()(const work::Move& work) {
    Tensor y(values_[work.y].dtype, concrete(values_[work.y].shape.value()).value());
    const std::size_t size = size_of(y.dtype());
    const auto copy = [&](const Tensor& from, std::int64_t k, std::int64_t to) {
      std::memcpy(y.mutable_bytes().data() + static_cast<std::size_t>(to) * size,
                  from.bytes().data() + static_cast<std::size_t>(k) * size, size);
    };
    for (std::size_t k = 0; k < work.indices.size(); ++k) {
      std::int64_t number = work.indices[k] - 1;
      std::size_t source = 0;
      while (number >= 0 && number >= at(work.sources[source]).size()) number -= at(work.sources[source++]).size();
      copy(number < 0 ? work.fill : at(work.sources[source]), std::max<std::int64_t>(number, 0),
           static_cast<std::int64_t>(k));
    }
    const std::vector<std::int64_t> strides = strides_of(y.shape());
    for (const work::MoveBox& box : work.boxes) {
      Shape index(box.shape.size(), 0);
      for (std::int64_t k = element_count(box.shape); k-- > 0; advance(index, box.shape))
        copy(box.source ? at(work.sources[*box.source]) : work.fill,
             box.source ? box.offset + place_of(index, box.strides) : 0,
             place_of(box.begin, strides) + place_of(index, strides));
    }
    if (work.only_renames && !at(work.sources.front()).reshaped(y.shape()).identical(y))
      throw Error(ErrorCode::kModel, "a move that only renames bytes moves them");
    return {{work.y, y}};
  }

  // ---- the rest

  TensorsById operator()(const work::Softmax& work) {
    const Tensor& x = at(work.x);
    const auto axis = static_cast<std::size_t>(work.axis);
    const Shape& shape = x.shape();
    const std::int64_t inner = work.flattens ? 1 : product_of(shape, axis + 1, shape.size());
    const std::int64_t length = work.flattens ? product_of(shape, axis, shape.size()) : shape[axis];
    std::vector<std::int32_t> elements = elements_of(x), row(static_cast<std::size_t>(length));
    const QLinearSoftmax softmax(work.x_meaning.scale, work.y_meaning, x.dtype(), length, kExactly);
    for (std::int64_t outer = 0; outer < product_of(shape, 0, axis); ++outer)
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto element = [&](std::int64_t d) -> std::int32_t& {
          return elements[static_cast<std::size_t>((outer * length + d) * inner + i)];
        };
        for (std::int64_t d = 0; d < length; ++d) row[static_cast<std::size_t>(d)] = element(d);
        softmax(row, row);
        for (std::int64_t d = 0; d < length; ++d) element(d) = row[static_cast<std::size_t>(d)];
      }
    return {{work.y, tensor_of(x.dtype(), shape, elements)}};
  }

  TensorsById operator()(const work::FloatSoftmax& work) {
    const Tensor& x = at(work.x);
    const auto axis = static_cast<std::size_t>(work.axis);
    const Shape& shape = x.shape();
    const std::int64_t inner = work.flattens ? 1 : product_of(shape, axis + 1, shape.size());
    const std::int64_t length = work.flattens ? product_of(shape, axis, shape.size()) : shape[axis];
    Tensor y(DType::kFloat, shape);
    for (std::int64_t row = 0; row < product_of(shape, 0, axis) * inner; ++row) {
      const auto element = [&](std::int64_t d) {
        return static_cast<std::size_t>((row / inner * length + d) * inner + row % inner);
      };
      float greatest = std::numeric_limits<float>::lowest(), sums[8] = {};
      for (std::int64_t d = 0; d < length; ++d) greatest = std::max(greatest, x.as<float>()[element(d)]);
      for (std::int64_t d = 0; d < length; ++d)
        sums[d % 8] += y.mutable_as<float>()[element(d)] = ort_exp_of_negative(x.as<float>()[element(d)] - greatest);
      const float inverse =
          1 / (((sums[4] + sums[5]) + (sums[6] + sums[7])) + ((sums[0] + sums[1]) + (sums[2] + sums[3])));
      for (std::int64_t d = 0; d < length; ++d) y.mutable_as<float>()[element(d)] *= inverse;
    }
    return {{work.y, y}};
  }

  TensorsById operator()(const work::Quantize& work) {
    const Tensor& x = at(work.x);
    const DType type = values_[work.y].dtype;
    std::vector<std::int32_t> elements;
    for (std::int64_t k = 0; k < x.size(); ++k)
      elements.push_back(quantize_linear(x.as<float>()[static_cast<std::size_t>(k)], parameters(work, x.shape(), k),
                                         integer_range(type)));
    return {{work.y, tensor_of(type, x.shape(), elements)}};
  }

  TensorsById operator()(const work::Dequantize& work) {
    const Tensor& x = at(work.x);
    Tensor y(DType::kFloat, x.shape());
    for (std::int64_t k = 0; k < x.size(); ++k)
      y.mutable_as<float>()[static_cast<std::size_t>(k)] =
          dequantize_linear(static_cast<std::int32_t>(x.int_at(k)), parameters(work, x.shape(), k));
    return {{work.y, y}};
  }

  TensorsById operator()(const work::QuantizeDynamically& work) {
    const Tensor& x = at(work.x);
    Tensor y(DType::kUint8, x.shape());
    const Quantization found = dynamic_quantize_linear(x.as<float>(), y.mutable_as<std::uint8_t>());
    return {{work.y, y},
            {work.scale, Tensor::scalar(found.scale)},
            {work.zero_point, Tensor::scalar(static_cast<std::uint8_t>(found.zero_point))}};
  }

 private:
  const Tensor& at(ValueId value) const { return given_.at(value); }

  template <typename T>
  Tensor at_or_none(const T& work, ValueId value) const {
    return work.sum.weights.empty() ? at(value) : Tensor();
  }

  template <typename T>
  std::int32_t x_zero_point(const T& work) const {
    if (work.x_zero_point == kNoValue) return work.sum.x_zero_point;
    return static_cast<std::int32_t>(at(work.x_zero_point).int_at(0));
  }

  // Of each channel where there is one for each: [channels, products] then.
  static std::vector<std::int32_t> weights_less_zero_point(const work::Sum& sum, const Tensor& computed) {
    std::vector<std::int32_t> weights = elements_of(sum.weights.empty() ? computed : sum.weights);
    for (std::size_t k = 0; k < weights.size(); ++k)
      weights[k] -= one_or(sum.w_zero_points, sum.products == 0 ? 0 : static_cast<std::int64_t>(k) / sum.products);
    return weights;
  }

  static std::int32_t sum_of_products(const work::Sum& sum, std::int64_t m, const std::int32_t* x,
                                      const std::int32_t* w, std::int64_t depth) {
    auto acc = static_cast<std::uint32_t>(sum.bias.empty() ? 0 : one_or(sum.bias, m));
    for (std::int64_t k = 0; k < depth; ++k) acc += static_cast<std::uint32_t>(x[k] * w[k]);
    return static_cast<std::int32_t>(acc);
  }

  // The pixels of one window, in row-major order; those of the whole image where there is no window.
  static std::vector<std::int64_t> inside(const std::optional<Window>& window, const Shape& image, const Shape& o) {
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

  static std::int32_t pooled(const work::Pool& work, DType type, const std::vector<std::int32_t>& seen) {
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

  static float real(const Tensor& tensor, std::int64_t k) { return tensor.as<float>()[static_cast<std::size_t>(k)]; }

  static float pooled(const work::FloatPool& work, const Shape& image, const Shape& o, const std::vector<float>& seen) {
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

  static std::byte& byte(Tensor& tensor, std::int64_t k) { return tensor.mutable_bytes()[static_cast<std::size_t>(k)]; }
  static std::byte looked_up(const LookupTable& table, const Tensor& x, std::int64_t k) {
    return static_cast<std::byte>(table[static_cast<std::size_t>(x.bytes()[static_cast<std::size_t>(k)])]);
  }

  template <typename Border>
  static Quantization parameters(const Border& work, const Shape& shape, std::int64_t k) {
    const auto axis = static_cast<std::size_t>(work.axis);
    const std::int64_t channel =
        work.scales.size() == 1 ? 0 : k / product_of(shape, axis + 1, shape.size()) % shape[axis];
    return {one_or(work.scales, channel), one_or(work.zero_points, channel)};
  }

  // ---- stages

  template <typename T>
  TensorsById finish(Result result, const T& work) {
    for (const work::Stage& stage : work.epilogue) std::visit([&](const auto& kind) { apply(kind, result); }, stage);
    return {{work.y, result.tensor()}};
  }

  static void apply(const work::Requantize& stage, Result& result) {
    std::vector<Requantizer> requantizers;
    for (const float multiplier : stage.multipliers)
      requantizers.emplace_back(kExactly, multiplier,
                                quantized_output(stage.type, stage.y.zero_point, ZeroPoint::kAfterRounding));
    for (std::size_t k = 0; k < result.integers.size(); ++k)
      result.integers[k] = one_or(requantizers, result.channel(k))(result.integers[k]);
    result.type = stage.type;
  }

  void apply(const work::ToFloat& stage, Result& result) {
    std::optional<float> scale = dynamic_scale_;
    if (stage.scale != kNoValue) scale = at(stage.scale).as<float>()[0];
    for (std::size_t k = 0; k < result.integers.size(); ++k) {
      const float multiplier = one_or(stage.multipliers, result.channel(k));
      float real = static_cast<float>(result.integers[k]) * (scale ? *scale * multiplier : multiplier);
      if (!stage.bias.empty()) real += one_or(stage.bias, result.channel(k));
      result.reals.push_back(real);
    }
    result.type = DType::kFloat;
  }

  static void apply(const work::Limit& stage, Result& result) {
    for (float& real : result.reals) {
      if (real < stage.low) real = stage.low;
      if (real > stage.high) real = stage.high;
    }
  }

  void apply(const work::Calculate& stage, Result& result) {
    for (std::size_t k = 0; k < result.reals.size(); ++k) {
      const float operand = stage.other == kNoValue ? one_or(stage.numbers, result.channel(k))
                                                    : real(at(stage.other), static_cast<std::int64_t>(k));
      const float a = stage.operand_first ? operand : result.reals[k],
                  b = stage.operand_first ? result.reals[k] : operand;
      switch (stage.operation) {
        case work::Calculate::Operation::kAdd: result.reals[k] = a + b; break;
        case work::Calculate::Operation::kSubtract: result.reals[k] = a - b; break;
        case work::Calculate::Operation::kMultiply: result.reals[k] = a * b; break;
        case work::Calculate::Operation::kDivide: result.reals[k] = a / b; break;
      }
    }
  }

  static void apply(const work::Clamp& stage, Result& result) {
    for (std::int32_t& q : result.integers) q = std::min(std::max(q, stage.low), stage.high);
  }

  static void apply(const work::LookUp& stage, Result& result) {
    for (std::int32_t& q : result.integers) {
      const std::uint8_t found = stage.table[static_cast<std::uint8_t>(q)];
      q = stage.type == DType::kInt8 ? static_cast<std::int8_t>(found) : static_cast<std::int32_t>(found);
    }
    result.type = stage.type;
  }

  void apply(const work::Combine& stage, Result& result) {
    const IntegerRange range = integer_range(result.type);
    const Quantization& first = stage.other_first ? stage.with : stage.q;
    const Quantization& second = stage.other_first ? stage.q : stage.with;
    const QuantizedBinary f = stage.product ? qlinear_mul(first, second, stage.y, range, kExactly)
                                            : qlinear_add(first, second, stage.y, range, kExactly);
    const Tensor& other = at(stage.other);
    for (std::size_t k = 0; k < result.integers.size(); ++k) {
      const auto with = static_cast<std::int32_t>(other.int_at(static_cast<std::int64_t>(k)));
      result.integers[k] = stage.other_first ? f(with, result.integers[k]) : f(result.integers[k], with);
    }
  }

  const std::vector<ProgramValue>& values_;
  const TensorsById& given_;
  std::optional<float> dynamic_scale_;  // of an x that the work itself quantizes
};

}  // namespace

TensorsById evaluate_work(const Work& work, const std::vector<ProgramValue>& values, const TensorsById& given) {
  return std::visit(Evaluator(values, given), work);
}

}  // namespace octet
