#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/spec/ort_exp.h"
#include "tests/program/work_evaluation.h"

namespace octet::evaluation {

TensorsById evaluate(const work::FloatConvolution& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
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
  return finish(std::move(result), work.epilogue, work.y, known);
}

TensorsById evaluate(const work::FloatProduct& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  const std::int64_t depth = x.shape().back(), columns = work.weights.size() / depth;
  Result result{.shape = x.shape(), .type = DType::kFloat, .channels = columns};
  result.shape.back() = columns;
  for (std::int64_t m = 0; m < x.size() / depth; ++m)
    for (std::int64_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        sum = std::fma(real(x, m * depth + k), real(work.weights, work.w_transposed ? n * depth + k : k * columns + n),
                       sum);
      result.reals.push_back(sum);
    }
  return finish(std::move(result), work.epilogue, work.y, known);
}

TensorsById evaluate(const work::FloatElements& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  Result result{.shape = x.shape(), .type = DType::kFloat};
  if (work.axis) {
    const auto axis = static_cast<std::size_t>(*work.axis);
    result.channels = x.shape()[axis];
    result.inner = product_of(x.shape(), axis + 1, x.shape().size());
  }
  result.reals.assign(x.as<float>().begin(), x.as<float>().end());
  return finish(std::move(result), work.epilogue, work.y, known);
}

TensorsById evaluate(const work::FloatSoftmax& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
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

}  // namespace octet::evaluation
