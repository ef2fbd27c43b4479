#include "octet/spec/quantized/nhwc_max_pool.h"

#include <algorithm>
#include <limits>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/pool.h"

namespace octet {

Window nhwc_max_pool_window(const Attributes& attributes, const SymbolicShape& image) {
  constexpr std::string_view kLabel = "nhwc_max_pool_c2";
  if (!attributes.has("kernel_shape")) fail_constraint(kLabel, "attribute kernel_shape is missing");
  Window window = resolve_window(attributes, image, attributes.get_ints("kernel_shape"),
                                 attributes.get_int("ceil_mode", 0) != 0, kLabel);
  const bool dilates = std::any_of(window.dilations.begin(), window.dilations.end(), [](auto d) { return d != 1; });
  if (dilates && attributes.get_string("auto_pad", "NOTSET").starts_with("SAME"))
    fail_constraint(kLabel, "dilations are {}, wanted 1 where the padding follows the image",
                    to_string(window.dilations));
  pad_as_onnxruntime(window, attributes, image);
  return window;
}

namespace {

void infer_nhwc_max_pool(Inference& i) {
  require_8bit(i, 0, "nhwc_max_pool_c1");
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  const SymbolicShape& x = i.shape(0);
  if (x.size() < 3) fail_constraint("nhwc_max_pool_c2", "x is {}, wanted [N,D1,...,C]", to_string(x));
  SymbolicShape y = nhwc_max_pool_window(i.attributes(), {x.begin() + 1, x.end() - 1}).output;
  y.insert(y.begin(), x.front());
  y.push_back(x.back());
  i.set_output(0, i.dtype(0), std::move(y));
}

void compute_nhwc_max_pool(Call& call) {
  const Shape& shape = call.input(0).shape();
  const std::int64_t images = shape.front(), channels = shape.back();
  const Shape image(shape.begin() + 1, shape.end() - 1);
  const PoolWindows windows(nhwc_max_pool_window(call.attributes(), symbolic(image)), image);
  visit_8bit(call.output_dtype(0), [&]<typename T>() {
    const T* x = call.input(0).as<T>().data();
    T* y = call.output(0).mutable_as<T>().data();
    windows.for_each_run(call.parallel(), [&](std::int64_t first, const std::vector<PoolWindows::Taps>& taps) {
      for (std::int64_t n = 0; n < images; ++n) {
        T* to = y + (n * windows.count() + first) * channels;
        for (const PoolWindows::Taps& window : taps) {
          std::fill_n(to, channels, std::numeric_limits<T>::lowest());
          for (const std::int64_t offset : window.offsets) {
            const T* pixel = x + (n * windows.image_size() + offset) * channels;
            for (std::int64_t c = 0; c < channels; ++c) to[c] = std::max(to[c], pixel[c]);
          }
          to += channels;
        }
      }
    });
  });
}

}  // namespace

const Operator ops::kNhwcMaxPool = {
    .name = "NhwcMaxPool",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y[n,i,c] = max over the window of x[n,i*stride+u*dilation-pad,c]",
    .constraints =
        {{"nhwc_max_pool_c1", "x is int8 or uint8"},
         {"nhwc_max_pool_c2",
          "x has 3 dimensions or more; kernel_shape is given; it, strides, dilations and pads have an entry for "
          "each spatial one, and the window fits the padded input; with SAME_* dilations are 1"}},
    .infer = infer_nhwc_max_pool,
    .compute = compute_nhwc_max_pool,
    .inputs = {Role::kX},
    .outputs = {Role::kY},
    .channels_last = true,
    .traits = {Trait::kPool},
};

}  // namespace octet
