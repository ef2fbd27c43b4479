#include "octet/spec/quantized/qlinear_average_pool.h"

#include <algorithm>
#include <array>

#include "octet/base/visit.h"
#include "octet/spec/accumulator.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/qlinear_global_average_pool.h"
#include "octet/spec/support/pool.h"

namespace octet {
namespace {

// The pixels of one window that lie inside the image: [begin, end) on each axis.
class Inside {
 public:
  Inside(const Window& window, const Shape& image)
      : window_(window),
        image_(image),
        output_(concrete(window.output).value()),
        begin_(image.size()),
        end_(image.size()) {}

  // Windows count in row-major order.
  void move_to(std::int64_t index) {
    for (std::size_t axis = image_.size(); axis-- > 0; index /= output_[axis]) {
      const std::int64_t start = index % output_[axis] * window_.strides[axis] - window_.pads_begin[axis];
      begin_[axis] = std::max<std::int64_t>(start, 0);
      end_[axis] = std::min(start + window_.kernel[axis], image_[axis]);
    }
  }

  std::int64_t count() const {
    std::int64_t pixels = 1;
    for (std::size_t axis = 0; axis < image_.size(); ++axis) pixels *= end_[axis] - begin_[axis];
    return pixels;
  }

  // Calls f(pixel) in row-major order, pixel counting the image in row-major order too.
  template <typename F>
  void for_each(F&& f) const {
    for_each_from(0, 0, f);
  }

 private:
  template <typename F>
  void for_each_from(std::size_t axis, std::int64_t offset, F& f) const {
    for (std::int64_t i = begin_[axis]; i < end_[axis]; ++i) {
      const std::int64_t pixel = offset * image_[axis] + i;
      if (axis + 1 == image_.size())
        f(pixel);
      else
        for_each_from(axis + 1, pixel, f);
    }
  }

  const Window& window_;
  const Shape& image_;
  Shape output_, begin_, end_;
};

Shape spatial(const Shape& shape, bool channels_last) {
  return channels_last ? Shape(shape.begin() + 1, shape.end() - 1) : Shape(shape.begin() + 2, shape.end());
}

}  // namespace

bool is_whole_image(const Window& window, const Shape& image) {
  const auto none = [](const std::vector<std::int64_t>& pads) {
    return std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; });
  };
  return window.kernel == image && none(window.pads_begin) && none(window.pads_end);
}

void qlinear_average_pool(const QLinearAveragePoolParameters& parameters, const Tensor& x, Tensor& y,
                          const Arithmetic& arithmetic, const Parallel& parallel) {
  const bool channels_last = parameters.channels_last;
  const Shape image = spatial(x.shape(), channels_last);
  if (is_whole_image(parameters.window, image))
    return qlinear_global_average_pool(x, parameters.x, parameters.y, channels_last, y, arithmetic, parallel);

  const std::int64_t channels = channels_last ? x.shape().back() : x.shape()[1];
  const std::int64_t pixels = element_count(image), windows = element_count(spatial(y.shape(), channels_last));
  const std::int64_t kernel = element_count(parameters.window.kernel);
  const QuantizedOutput unresolved = quantized_output(y.dtype(), parameters.y.zero_point, ZeroPoint::kBeforeRounding);
  const QuantizedOutput output = resolve(unresolved, arithmetic);
  const bool in_float = averages_in_float(arithmetic);
  visit_8bit(x.dtype(), [&]<typename T>() {
    const T* from = x.as<T>().data();
    T* to = y.mutable_as<T>().data();
    std::array<float, 256> real;
    for (int byte = 0; byte < 256; ++byte)
      real[static_cast<std::size_t>(byte)] = dequantize_linear(static_cast<T>(byte), parameters.x);

    parallel.for_each_block(y.size(), 256, [&](std::int64_t begin, std::int64_t end) {
      Inside inside(parameters.window, image);
      for (std::int64_t k = begin; k < end; ++k) {
        const std::int64_t n = k / (channels * windows);
        const std::int64_t channel = channels_last ? k % channels : k / windows % channels;
        const std::int64_t stride = channels_last ? channels : 1;
        const T* first = from + (channels_last ? n * pixels * channels + channel : (n * channels + channel) * pixels);
        inside.move_to(channels_last ? k / channels % windows : k % windows);
        const std::int64_t count = parameters.count_include_pad ? kernel : inside.count();
        if (in_float) {
          float sum = 0;
          inside.for_each([&](std::int64_t p) { sum += real[static_cast<std::uint8_t>(first[p * stride])]; });
          const float average = sum / static_cast<float>(count);
          to[k] = static_cast<T>(quantize_real(average / parameters.y.scale, output, arithmetic.rounding));
        } else {
          const std::int32_t sum = with_accumulator(arithmetic, [&](auto accumulator) {
            std::int32_t total = 0;
            inside.for_each(
                [&](std::int64_t p) { total = accumulator.add(total, first[p * stride] - parameters.x.zero_point); });
            return total;
          });
          const float multiplier = average_multiplier(parameters.x.scale, parameters.y.scale, count);
          to[k] = static_cast<T>(Requantizer(arithmetic, multiplier, unresolved)(sum, k % (channels * windows)));
        }
      }
    });
  });
}

Window average_pool_window(const Attributes& attributes, const SymbolicShape& image) {
  constexpr std::string_view kLabel = "qlinear_average_pool_c4";
  Window window = resolve_window(attributes, image, attributes.get_ints("kernel_shape"),
                                 attributes.get_int("ceil_mode", 0) != 0, kLabel);
  pad_as_onnxruntime(window, attributes, image);
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    if (window.dilations[axis] != 1) fail_constraint(kLabel, "dilations are {}, wanted 1", to_string(window.dilations));
    if (std::max(window.pads_begin[axis], window.pads_end[axis]) >= window.kernel[axis])
      fail_constraint(kLabel, "padding {} and {} around a kernel of {}", window.pads_begin[axis], window.pads_end[axis],
                      window.kernel[axis]);
  }
  element_count(window.kernel);  // throws where it leaves int64
  return window;
}

namespace {

void infer_qlinear_average_pool(Inference& i) {
  require_8bit(i, 0, "qlinear_average_pool_c1");
  require_quantization(i, i.dtype(0), 1, 2, {"qlinear_average_pool_c1", "qlinear_average_pool_c2"});
  require_quantization(i, i.dtype(0), 3, 4, {"qlinear_average_pool_c1", "qlinear_average_pool_c2"});
  if (!i.attributes().has("kernel_shape"))
    fail_constraint("qlinear_average_pool_c4", "attribute kernel_shape is missing");
  static_cast<void>(i.attributes().get_int("count_include_pad", 0));  // throws where it is none
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  const SymbolicShape& x = i.shape(0);
  if (x.size() < 3) fail_constraint("qlinear_average_pool_c3", "X is {}, wanted 3 dimensions or more", to_string(x));
  const bool channels_last = i.attributes().get_int("channels_last", 0) != 0;
  const std::ptrdiff_t first = channels_last ? 1 : 2;
  SymbolicShape y = x;
  const auto rank = static_cast<std::ptrdiff_t>(x.size()) - 2;
  const Window window = average_pool_window(i.attributes(), SymbolicShape(x.begin() + first, x.begin() + first + rank));
  std::copy(window.output.begin(), window.output.end(), y.begin() + first);
  i.set_output(0, i.dtype(0), y);
}

void compute_qlinear_average_pool(Call& call) {
  QLinearAveragePoolParameters parameters;
  parameters.channels_last = call.attributes().get_int("channels_last", 0) != 0;
  parameters.count_include_pad = call.attributes().get_int("count_include_pad", 0) != 0;
  parameters.x = quantization_at(call, 1, 2);
  parameters.y = quantization_at(call, 3, 4);
  parameters.window =
      average_pool_window(call.attributes(), symbolic(spatial(call.input(0).shape(), parameters.channels_last)));
  qlinear_average_pool(parameters, call.input(0), call.output(0), call.arithmetic(), call.parallel());
}

}  // namespace

const Operator ops::kQLinearAveragePool = {
    .name = "QLinearAveragePool",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "Y = saturate(round(AveragePool(DequantizeLinear(X)) / y_scale + y_zero_point))",
    .constraints = {{"qlinear_average_pool_c1",
                     "X and Y are both int8 or both uint8, so are the zero points; the "
                     "scales are float32"},
                    {"qlinear_average_pool_c2", "each scale and zero point has one element"},
                    {"qlinear_average_pool_c3", "X has 3 dimensions or more"},
                    {"qlinear_average_pool_c4",
                     "kernel_shape is given, the other attributes fit it, and no padding "
                     "is as wide as the kernel"}},
    .infer = infer_qlinear_average_pool,
    .compute = compute_qlinear_average_pool,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kYScale, Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kPool,
    .float_form = &ops::kAveragePool,
};

}  // namespace octet
