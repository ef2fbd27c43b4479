#include "tests/program/random_network.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "octet/spec/random.h"

namespace octet {
namespace {

using Ints = std::vector<std::int64_t>;
using NamedAttributes = std::vector<std::pair<std::string, AttributeValue>>;
using Inputs = std::vector<std::string>;

constexpr std::int64_t kBatch = 2;  // what shapes say of a first dimension that is N

// A value of 8-bit integers, and what they mean.
struct Quantized {
  std::string name;
  DType type = DType::kUint8;
  Shape shape;
  float scale = 1;
  std::int32_t zero_point = 0;
};

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(mix(seed)) {}

  std::int64_t below(std::int64_t end) { return static_cast<std::int64_t>(real() * static_cast<double>(end)); }
  std::int64_t between(std::int64_t first, std::int64_t last) { return first + below(last - first + 1); }
  double real() { return uniform(state_ = mix(state_)); }
  bool chance(double probability) { return real() < probability; }
  template <typename T>
  T pick(std::vector<T> items) {
    return items[static_cast<std::size_t>(below(static_cast<std::int64_t>(items.size())))];
  }

  Tensor bytes(DType type, const Shape& shape) {
    Tensor tensor(type, shape);
    for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(below(256));
    return tensor;
  }
  Tensor integers(const Shape& shape, std::int32_t reach) {
    Tensor tensor(DType::kInt32, shape);
    for (std::int32_t& number : tensor.mutable_as<std::int32_t>())
      number = static_cast<std::int32_t>(between(-reach, reach));
    return tensor;
  }
  Tensor reals(const Shape& shape, double reach) {
    Tensor tensor(DType::kFloat, shape);
    for (float& number : tensor.mutable_as<float>()) number = static_cast<float>((2 * real() - 1) * reach);
    return tensor;
  }

 private:
  std::uint64_t state_;
};

Tensor byte_of(DType type, std::int64_t value) {
  Tensor tensor(type, {});
  tensor.mutable_bytes()[0] = static_cast<std::byte>(value);
  return tensor;
}

Tensor int64s_of(const Ints& values) {
  return Tensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())}, std::span<const std::int64_t>(values));
}

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : numbers_(seed) {
    model_.ir_version = 10;
    opset_ = numbers_.pick<std::int64_t>({13, 17, 21});
    model_.opset_imports = {{"", opset_}, {"com.microsoft", 1}};
    model_.graph.name = "random";
    symbolic_ = numbers_.chance(0.4);
    types_ = numbers_.pick<std::vector<DType>>({{DType::kUint8}, {DType::kInt8}, {DType::kInt8, DType::kUint8}});
  }

  RandomNetwork write() {
    const std::int64_t spatial = numbers_.pick<std::int64_t>({0, 1, 2, 2, 2, 3});
    Shape shape = {symbolic_ ? kBatch : numbers_.between(1, 2), numbers_.pick<std::int64_t>({1, 2, 3, 4, 6})};
    for (std::int64_t d = 0; d < spatial; ++d) shape.push_back(numbers_.between(2, spatial == 3 ? 4 : 7));
    add_input(shape);
    for (std::int64_t layers = numbers_.between(1, 9); layers > 0; --layers) add_layer();
    std::set<std::string> read;
    for (const Node& node : model_.graph.nodes) read.insert(node.inputs.begin(), node.inputs.end());
    for (const Node& node : model_.graph.nodes)
      for (const std::string& output : node.outputs)
        if (!read.contains(output)) declare(model_.graph.outputs, output, DType::kUndefined, std::nullopt);
    if (numbers_.chance(0.3))  // one that others read too
      if (const Quantized& value = any(); read.contains(value.name) && value.name != "x")
        declare(model_.graph.outputs, value.name, DType::kUndefined, std::nullopt);
    return {std::move(model_), symbolic_};
  }

 private:
  // ---- the parts of a graph

  static void declare(std::vector<Value>& values, std::string name, DType type, std::optional<SymbolicShape> shape) {
    Value value;
    value.name = std::move(name);
    value.type.dtype = type;
    value.type.shape = std::move(shape);
    values.push_back(std::move(value));
  }

  std::string constant(Tensor tensor) {
    Initializer initializer;
    initializer.name = "c" + std::to_string(model_.graph.initializers.size());
    initializer.tensor = std::move(tensor);
    model_.graph.initializers.push_back(initializer);
    return initializer.name;
  }
  std::string constant(float value) { return constant(Tensor::scalar(value)); }

  std::vector<std::string> node(std::string op, Inputs inputs, const NamedAttributes& attributes, std::size_t outputs) {
    static const std::set<std::string> standard = {"QLinearConv", "QLinearMatMul"};
    Node node;
    if ((op.starts_with("Q") && op != "QuantizeLinear" && !standard.contains(op)) || op == "MatMulIntegerToFloat" ||
        op == "NhwcMaxPool" || op == "DynamicQuantizeMatMul")
      node.domain = "com.microsoft";
    node.op_type = std::move(op);
    node.name = node.op_type + "_" + std::to_string(model_.graph.nodes.size());
    node.inputs = std::move(inputs);
    for (const auto& [key, value] : attributes) node.attributes.set(key, value);
    for (std::size_t k = 0; k < outputs; ++k)
      node.outputs.push_back("v" + std::to_string(model_.graph.nodes.size()) + (k == 0 ? "" : "_" + std::to_string(k)));
    model_.graph.nodes.push_back(node);
    return node.outputs;
  }
  std::string node(std::string op, Inputs inputs, const NamedAttributes& attributes = {}) {
    return node(std::move(op), std::move(inputs), attributes, 1)[0];
  }

  // ---- what integers mean

  DType type() { return numbers_.pick(types_); }

  // Now and then a power of two, where ties are common.
  float scale(double around) {
    const double exponent = std::log2(around) + 2 * numbers_.real() - 1;
    return static_cast<float>(std::exp2(numbers_.chance(0.4) ? std::round(exponent) : exponent));
  }

  std::int32_t zero_point(DType type) {
    const auto [low, high] = integer_range(type);
    return static_cast<std::int32_t>(
        numbers_.pick<std::int64_t>({low, 0, (low + high + 1) / 2, numbers_.between(low, high)}));
  }

  Quantized meaning(DType type, Shape shape, double magnitude) {
    return {"", type, std::move(shape), scale(std::max(magnitude, 1e-6) / 64), zero_point(type)};
  }

  std::string scale_of(const Quantized& value) { return constant(value.scale); }
  std::string zero_point_of(const Quantized& value) { return constant(byte_of(value.type, value.zero_point)); }
  Inputs with_meaning(const Quantized& value) { return {value.name, scale_of(value), zero_point_of(value)}; }
  static Inputs joined(std::vector<Inputs> lists) {
    Inputs all;
    for (const Inputs& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  std::string real(const Quantized& value) { return node("DequantizeLinear", with_meaning(value)); }

  void quantize(const std::string& value, Quantized as) {
    as.name = node("QuantizeLinear", {value, scale_of(as), zero_point_of(as)});
    values_.push_back(std::move(as));
  }
  void clamp_and_quantize(std::string value, const Quantized& as) {
    if (numbers_.chance(0.3)) value = node("Relu", {value});
    if (numbers_.chance(0.2)) value = node("Clip", {value, constant(-as.scale * 20), constant(as.scale * 60)});
    quantize(value, as);
  }
  void keep(std::string name, Quantized as) {
    as.name = std::move(name);
    values_.push_back(std::move(as));
  }

  const Quantized& any() {
    return values_[static_cast<std::size_t>(numbers_.below(static_cast<std::int64_t>(values_.size())))];
  }
  // Mostly the newest: what is nobody else's operand may become a part of the step that makes it.
  Quantized newest_or_any() { return numbers_.chance(0.6) ? values_.back() : any(); }
  // Nothing where some tries found none.
  template <typename Condition>
  std::optional<Quantized> any_with(Condition&& condition) {
    for (int tries = 0; tries < 12; ++tries)
      if (const Quantized& value = numbers_.chance(0.4) ? values_.back() : any(); condition(value)) return value;
    return std::nullopt;
  }
  std::optional<Quantized> image() {
    return any_with([](const Quantized& value) { return value.shape.size() >= 3; });
  }
  static double reach(const Quantized& value) { return 100.0 * value.scale; }

  void add_input(const Shape& shape) {
    SymbolicShape declared = symbolic(shape);
    if (symbolic_) declared[0] = Dim::symbol("N");
    const Quantized as = meaning(type(), shape, 1);
    if (numbers_.chance(0.5)) {
      declare(model_.graph.inputs, "x", DType::kFloat, declared);
      quantize("x", as);
    } else {
      declare(model_.graph.inputs, "x", as.type, declared);
      keep("x", as);
    }
  }

  // ---- layers

  void add_layer() {
    switch (numbers_.below(20)) {
      case 0:
      case 1:
      case 2: return convolution();
      case 3: return gemm();
      case 4:
      case 5: return matrix_product();
      case 6:
      case 7:
      case 8: return pair();
      case 9: return pool();
      case 10: return global_pool();
      case 11: return concatenation();
      case 12: return selection();
      case 13: return softmax();
      case 14: return function();
      case 15: return clip();
      case 16: return dynamic();
      case 17: return residual();
      default: return move();
    }
  }

  struct Weights {
    std::string integers, scales, zero_points;
    DType type = DType::kInt8;
    std::vector<float> values;  // of the scales
  };
  Weights weights(const Shape& shape, std::int64_t channels) {
    Weights made;
    made.type = numbers_.chance(0.7) ? DType::kInt8 : DType::kUint8;
    made.integers = constant(numbers_.bytes(made.type, shape));
    const Shape each = numbers_.chance(0.5) ? Shape{channels} : Shape{};
    Tensor scales(DType::kFloat, each), zero_points(made.type, each);
    for (float& value : scales.mutable_as<float>()) value = scale(0.01);
    const std::int32_t centre = made.type == DType::kUint8 ? 128 : 0;
    const bool odd = numbers_.chance(0.3);
    for (std::byte& byte : zero_points.mutable_bytes())
      byte = static_cast<std::byte>(odd ? centre + numbers_.between(-9, 9) : centre);
    made.values.assign(scales.as<float>().begin(), scales.as<float>().end());
    made.scales = constant(std::move(scales));
    made.zero_points = constant(std::move(zero_points));
    return made;
  }
  std::string real(const Weights& weights, std::int64_t axis) {
    const NamedAttributes attributes = weights.values.size() == 1 ? NamedAttributes{} : NamedAttributes{{"axis", axis}};
    return node("DequantizeLinear", {weights.integers, weights.scales, weights.zero_points}, attributes);
  }
  std::string real_bias(const Quantized& x, const Weights& weights, std::int64_t channels) {
    const auto count = static_cast<std::int64_t>(weights.values.size());
    Tensor scales(DType::kFloat, count == 1 ? Shape{} : Shape{count});
    std::transform(weights.values.begin(), weights.values.end(), scales.mutable_as<float>().begin(),
                   [&](float w_scale) { return x.scale * w_scale; });
    return node("DequantizeLinear", {constant(numbers_.integers({channels}, 3000)), constant(std::move(scales))},
                count == 1 ? NamedAttributes{} : NamedAttributes{{"axis", std::int64_t{0}}});
  }

  // The attributes of a window that fits an image, and what comes out.
  struct Geometry {
    NamedAttributes attributes;
    Shape output;
  };
  Geometry geometry(const Shape& image, const Shape& kernel, bool dilates) {
    Geometry found;
    Ints strides, dilations, begin, end;
    const std::string auto_pad = numbers_.pick<std::string>({"NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
    for (std::size_t d = 0; d < image.size(); ++d) {
      strides.push_back(numbers_.pick<std::int64_t>({1, 1, 2, 3}));
      const bool wide = dilates && numbers_.chance(0.3) && (kernel[d] - 1) * 2 + 1 <= image[d];
      dilations.push_back(wide ? 2 : 1);
      const bool pads = auto_pad == "NOTSET" && kernel[d] > 1;
      begin.push_back(pads ? numbers_.below(kernel[d]) : 0);
      end.push_back(pads ? numbers_.below(kernel[d]) : 0);
      const std::int64_t effective = (kernel[d] - 1) * dilations[d] + 1;
      found.output.push_back(auto_pad.starts_with("SAME")
                                 ? (image[d] + strides[d] - 1) / strides[d]
                                 : (image[d] + begin[d] + end[d] - effective) / strides[d] + 1);
    }
    found.attributes = {{"kernel_shape", kernel}, {"strides", strides}};
    if (dilates) found.attributes.emplace_back("dilations", dilations);
    if (auto_pad != "NOTSET") {
      found.attributes.emplace_back("auto_pad", auto_pad);
    } else {
      begin.insert(begin.end(), end.begin(), end.end());
      found.attributes.emplace_back("pads", begin);
    }
    return found;
  }
  Shape kernel_for(const Shape& image, std::int64_t least) {
    Shape kernel;
    for (const std::int64_t size : image) kernel.push_back(std::min(size, numbers_.between(least, 3)));
    return kernel;
  }
  static Shape image_of(const Quantized& value) { return {value.shape.begin() + 2, value.shape.end()}; }
  static Shape with_image(std::int64_t n, std::int64_t c, const Shape& image) {
    Shape shape = {n, c};
    shape.insert(shape.end(), image.begin(), image.end());
    return shape;
  }

  struct ConvolutionSetting {
    std::int64_t group = 1, channels = 1;
    Shape weights;
    Geometry geometry;
    double magnitude = 1;
    Shape output;
  };
  ConvolutionSetting convolution_of(const Quantized& x) {
    ConvolutionSetting setting;
    const std::int64_t c = x.shape[1];
    setting.group = numbers_.pick<std::int64_t>({1, 1, c % 2 == 0 ? 2 : 1, c});
    setting.channels = setting.group * numbers_.between(1, setting.group > 2 ? 2 : 5);
    const Shape kernel = kernel_for(image_of(x), 1);
    setting.weights = with_image(setting.channels, c / setting.group, kernel);
    setting.geometry = geometry(image_of(x), kernel, true);
    setting.geometry.attributes.emplace_back("group", setting.group);
    setting.magnitude = reach(x) * 0.7 * std::sqrt(static_cast<double>(element_count(kernel) * c / setting.group));
    setting.output = with_image(x.shape[0], setting.channels, setting.geometry.output);
    return setting;
  }

  void convolution() {
    const std::optional<Quantized> x = image();
    if (!x) return;
    const ConvolutionSetting setting = convolution_of(*x);
    const Weights w = weights(setting.weights, setting.channels);
    const bool biased = numbers_.chance(0.7);
    const Quantized y = meaning(numbers_.chance(0.8) ? x->type : type(), setting.output, setting.magnitude);
    if (numbers_.chance(0.5)) {
      Inputs inputs = {real(*x), real(w, 0)};
      if (biased) inputs.push_back(real_bias(*x, w, setting.channels));
      return clamp_and_quantize(node("Conv", inputs, setting.geometry.attributes), y);
    }
    Inputs inputs = joined({with_meaning(*x), {w.integers, w.scales, w.zero_points, scale_of(y), zero_point_of(y)}});
    if (biased) inputs.push_back(constant(numbers_.integers({setting.channels}, 3000)));
    keep(node("QLinearConv", inputs, setting.geometry.attributes), y);
  }

  void gemm() {
    const std::optional<Quantized> x = any_with([](const Quantized& value) { return value.shape.size() == 2; });
    if (!x) return flatten();
    const bool x_transposed = !symbolic_ && numbers_.chance(0.3), w_transposed = numbers_.chance(0.5);
    const std::int64_t m = x->shape[x_transposed ? 1 : 0], k = x->shape[x_transposed ? 0 : 1],
                       n = numbers_.between(1, 6);
    const Weights w = weights(w_transposed ? Shape{n, k} : Shape{k, n}, n);
    const float alpha = numbers_.chance(0.4) ? 0.75F : 1.0F;
    const NamedAttributes attributes = {
        {"transA", std::int64_t{x_transposed}}, {"transB", std::int64_t{w_transposed}}, {"alpha", alpha}};
    const double magnitude = reach(*x) * 0.7 * std::sqrt(static_cast<double>(k));
    const Quantized y = meaning(numbers_.chance(0.8) ? x->type : type(), {m, n}, magnitude);
    const bool biased = numbers_.chance(0.7);
    if (numbers_.chance(0.4)) {
      Inputs inputs = {real(*x), real(w, w_transposed ? 0 : 1)};
      if (biased) inputs.push_back(real_bias(*x, w, n));
      return clamp_and_quantize(node("Gemm", inputs, attributes), y);
    }
    std::string bias;
    if (biased)
      bias = constant(
          numbers_.integers(numbers_.pick<Shape>({{n}, {1, n}, {1}, symbolic_ ? Shape{n} : Shape{m, 1}}), 3000));
    const Inputs operands = joined({with_meaning(*x), {w.integers, w.scales, w.zero_points, bias}});
    if (numbers_.chance(0.7))
      return keep(node("QGemm", joined({operands, {scale_of(y), zero_point_of(y)}}), attributes), y);
    quantize(node("QGemm", operands, attributes), y);
  }

  void matrix_product() {
    const std::optional<Quantized> x = any_with([](const Quantized& value) { return value.shape.size() >= 2; });
    if (!x) return;
    const std::int64_t k = x->shape.back();
    const double magnitude = reach(*x) * 0.7 * std::sqrt(static_cast<double>(k));
    const auto product = [&](const Inputs& w, const std::string& real_w, const Shape& shape, double size) {
      const Quantized y = meaning(numbers_.chance(0.8) ? x->type : type(), shape, size);
      if (numbers_.chance(0.5)) return clamp_and_quantize(node("MatMul", {real(*x), real_w}), y);
      keep(node("QLinearMatMul", joined({with_meaning(*x), w, {scale_of(y), zero_point_of(y)}})), y);
    };
    Shape shape = x->shape;
    if (numbers_.chance(0.35)) {  // by another value, the other way round
      const std::optional<Quantized> w = any_with([&](const Quantized& value) { return value.shape == x->shape; });
      if (!w || (symbolic_ && x->shape.size() == 2)) return;
      Ints order(x->shape.size());
      for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<std::int64_t>(d);
      std::swap(order[order.size() - 2], order[order.size() - 1]);
      Quantized turned = *w;
      turned.name = node("Transpose", {w->name}, {{"perm", order}});
      std::swap(turned.shape[order.size() - 2], turned.shape[order.size() - 1]);
      values_.push_back(turned);
      shape.back() = turned.shape.back();
      return product(with_meaning(turned), real(turned), shape, reach(*x) * reach(turned));
    }
    const std::int64_t n = numbers_.between(1, 6);
    shape.back() = n;
    if (x->shape.size() >= 3 && numbers_.chance(0.3)) {  // another matrix for each of a batch
      Shape each(x->shape.begin() + 1, x->shape.end());
      each[each.size() - 2] = k;
      each.back() = n;
      Quantized w = meaning(type(), each, 1);
      w.name = constant(numbers_.bytes(w.type, each));
      return product(with_meaning(w), real(w), shape, magnitude);
    }
    const Weights w = weights({k, n}, n);
    product({w.integers, w.scales, w.zero_points}, real(w, 1), shape, magnitude);
  }

  void pair() {
    const Quantized a = newest_or_any();
    Quantized b;
    if (const auto other = any_with([&](const Quantized& v) {
          return v.shape == a.shape && v.type == a.type && (v.name != a.name || numbers_.chance(0.1));
        });
        other && numbers_.chance(0.6)) {
      b = *other;
    } else {  // a constant that broadcasts, from either side
      Shape shape(a.shape.begin() + numbers_.below(static_cast<std::int64_t>(a.shape.size()) + 1), a.shape.end());
      for (std::size_t d = 0; d < shape.size(); ++d)
        if (numbers_.chance(0.4) || (symbolic_ && shape.size() - d == a.shape.size())) shape[d] = 1;
      b = meaning(a.type, shape, reach(a));
      b.name = constant(numbers_.bytes(b.type, shape));
    }
    const bool product = numbers_.chance(0.35), turned = numbers_.chance(0.3);
    const Quantized y = meaning(a.type, a.shape, product ? reach(a) * reach(b) : std::max(reach(a), reach(b)));
    const Quantized &first = turned ? b : a, &second = turned ? a : b;
    if (numbers_.chance(0.5)) {
      const std::string op = product ? "Mul" : numbers_.chance(0.8) ? "Add" : "Sub";
      return clamp_and_quantize(node(op, {real(first), real(second)}), y);
    }
    keep(node(product ? "QLinearMul" : "QLinearAdd",
              joined({with_meaning(first), with_meaning(second), {scale_of(y), zero_point_of(y)}})),
         y);
  }

  // A product or a convolution that keeps the shape, x added or multiplied to it, and perhaps a function of that: nobody else reads between.
  void residual() {
    const Quantized x = newest_or_any();
    const bool image = x.shape.size() >= 3 && numbers_.chance(0.6);
    const std::int64_t k = image ? x.shape[1] : x.shape.back();
    const Weights w = weights(image ? with_image(k, k, Shape(x.shape.size() - 2, 1)) : Shape{k, k}, k);
    Quantized y = meaning(x.type, x.shape, reach(x) * 0.7 * std::sqrt(static_cast<double>(k)));
    y.name = node(image ? "QLinearConv" : "QLinearMatMul",
                  joined({with_meaning(x), {w.integers, w.scales, w.zero_points}, {scale_of(y), zero_point_of(y)}}));
    const bool product = numbers_.chance(0.3), turned = numbers_.chance(0.5);
    Quantized z = meaning(x.type, x.shape, product ? reach(x) * reach(y) : reach(x) + reach(y));
    z.name =
        node(product ? "QLinearMul" : "QLinearAdd",
             joined({with_meaning(turned ? x : y), with_meaning(turned ? y : x), {scale_of(z), zero_point_of(z)}}));
    if (numbers_.chance(0.4)) return values_.push_back(z);
    const Quantized end = meaning(x.type, x.shape, reach(z));
    keep(node("QLinearLeakyRelu", joined({with_meaning(z), {scale_of(end), zero_point_of(end)}}), {{"alpha", 0.3F}}),
         end);
  }

  void pool() {
    const std::optional<Quantized> x = image();
    if (!x) return;
    const bool channels_last = numbers_.chance(0.3), maximum = numbers_.chance(0.4);
    const Shape image = channels_last ? Shape(x->shape.begin() + 1, x->shape.end() - 1) : image_of(*x);
    const Shape kernel = numbers_.chance(0.15) ? image : kernel_for(image, 1);
    Geometry window = geometry(image, kernel, maximum && !channels_last);
    const bool ceil_mode = numbers_.chance(0.2);
    Shape shape = {x->shape[0]};
    if (!channels_last) shape.push_back(x->shape[1]);
    shape.insert(shape.end(), window.output.begin(), window.output.end());
    if (channels_last) shape.push_back(x->shape.back());
    if (ceil_mode) {  // what it adds is left to the operator: nobody reads the result
      window.attributes.emplace_back("ceil_mode", std::int64_t{1});
    }
    Quantized y = meaning(x->type, shape, reach(*x) * 0.6);
    std::string made;
    if (maximum && (channels_last || numbers_.chance(0.5))) {
      y.scale = x->scale, y.zero_point = x->zero_point;
      made = node(channels_last ? "NhwcMaxPool" : "MaxPool", {x->name}, window.attributes);
      if (!ceil_mode) keep(made, y);
      return;
    }
    if (!maximum) window.attributes.emplace_back("count_include_pad", std::int64_t{numbers_.chance(0.5)});
    if (!channels_last && numbers_.chance(0.5)) {
      const std::string averaged = node(maximum ? "MaxPool" : "AveragePool", {real(*x)}, window.attributes);
      if (ceil_mode) return static_cast<void>(node("QuantizeLinear", {averaged, scale_of(y), zero_point_of(y)}));
      return maximum && numbers_.chance(0.7) ? quantize(averaged, {"", x->type, shape, x->scale, x->zero_point})
                                             : clamp_and_quantize(averaged, y);
    }
    if (maximum) return;
    window.attributes.emplace_back("channels_last", std::int64_t{channels_last});
    made = node("QLinearAveragePool", joined({with_meaning(*x), {scale_of(y), zero_point_of(y)}}), window.attributes);
    if (!ceil_mode) keep(made, y);
  }

  void global_pool() {
    const std::optional<Quantized> x = image();
    if (!x) return;
    const bool channels_last = numbers_.chance(0.3);
    Shape shape(x->shape.size(), 1);
    shape[0] = x->shape[0];
    (channels_last ? shape.back() : shape[1]) = channels_last ? x->shape.back() : x->shape[1];
    const Quantized y = meaning(x->type, shape, reach(*x) * 0.5);
    if (!channels_last && numbers_.chance(0.5)) return clamp_and_quantize(node("GlobalAveragePool", {real(*x)}), y);
    keep(node("QLinearGlobalAveragePool", joined({with_meaning(*x), {scale_of(y), zero_point_of(y)}}),
              {{"channels_last", std::int64_t{channels_last}}}),
         y);
  }

  void concatenation() {
    const Quantized first = any();
    const std::int64_t axis = numbers_.between(symbolic_ ? 1 : 0, static_cast<std::int64_t>(first.shape.size()) - 1);
    std::vector<Quantized> parts = {first};
    for (std::int64_t more = numbers_.between(1, 2); more > 0; --more)
      if (const auto part = any_with([&](const Quantized& value) {
            if (value.type != first.type || value.shape.size() != first.shape.size()) return false;
            for (std::size_t d = 0; d < value.shape.size(); ++d)
              if (d != static_cast<std::size_t>(axis) && value.shape[d] != first.shape[d]) return false;
            return true;
          }))
        parts.push_back(*part);
    Shape shape = first.shape;
    shape[static_cast<std::size_t>(axis)] = 0;
    for (const Quantized& part : parts)
      shape[static_cast<std::size_t>(axis)] += part.shape[static_cast<std::size_t>(axis)];
    const bool same = numbers_.chance(0.3);
    const Quantized y = same ? Quantized{"", first.type, shape, first.scale, first.zero_point}
                             : meaning(first.type, shape, reach(first));
    Inputs inputs;
    switch (numbers_.below(3)) {
      case 0:
        for (const Quantized& part : parts) inputs.push_back(real(part));
        return clamp_and_quantize(node("Concat", inputs, {{"axis", axis}}), y);
      case 1:
        for (const Quantized& part : parts) inputs.push_back(part.name);
        return keep(node("Concat", inputs, {{"axis", axis}}), {"", first.type, shape, first.scale, first.zero_point});
      default:
        inputs = {scale_of(y), zero_point_of(y)};
        for (const Quantized& part : parts) inputs = joined({inputs, with_meaning(part)});
        return keep(node("QLinearConcat", inputs,
                         {{"axis", axis - static_cast<std::int64_t>(numbers_.chance(0.3) ? first.shape.size() : 0)}}),
                    y);
    }
  }

  void selection() {
    const Quantized a = any();
    const auto b = any_with([&](const Quantized& value) { return value.type == a.type && value.shape == a.shape; });
    Shape shape = a.shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (numbers_.chance(0.5) || (symbolic_ && d == 0)) shape[d] = 1;
    Tensor condition(DType::kBool, shape);
    for (bool& choice : condition.mutable_as<bool>()) choice = numbers_.chance(0.5);
    const Quantized y = numbers_.chance(0.3) ? a : meaning(a.type, a.shape, reach(a));
    keep(node("QLinearWhere", joined({{constant(std::move(condition))},
                                      with_meaning(a),
                                      with_meaning(b ? *b : a),
                                      {scale_of(y), zero_point_of(y)}})),
         y);
  }

  void softmax() {
    const Quantized x = any();
    const std::int64_t axis = numbers_.between(-1, static_cast<std::int64_t>(x.shape.size()) - 1);
    Quantized y = meaning(x.type, x.shape, 0.25);
    if (numbers_.chance(0.5)) {
      y.scale = 1.0F / 256;
      y.zero_point = x.type == DType::kInt8 ? -128 : 0;
    }
    if (numbers_.chance(0.4)) return quantize(node("Softmax", {real(x)}, {{"axis", axis}}), y);
    keep(node("QLinearSoftmax", joined({with_meaning(x), {scale_of(y), zero_point_of(y)}}),
              {{"axis", axis}, {"opset", numbers_.pick<std::int64_t>({12, 13})}}),
         y);
  }

  void function() {
    const Quantized x = newest_or_any();
    const Quantized y = meaning(x.type, x.shape, numbers_.chance(0.5) ? 1 : reach(x));
    if (numbers_.chance(0.5)) {
      const bool leaky = numbers_.chance(0.5);
      return keep(node(leaky ? "QLinearLeakyRelu" : "QLinearSigmoid",
                       joined({with_meaning(x), {scale_of(y), zero_point_of(y)}}),
                       leaky ? NamedAttributes{{"alpha", 0.3F}} : NamedAttributes{}),
                  y);
    }
    if (x.shape.size() >= 2 && numbers_.chance(0.3)) {  // numbers of its own for each index of an axis
      const auto axis = static_cast<std::size_t>(numbers_.between(1, std::ssize(x.shape) - 1));
      Shape shape(x.shape.size() - axis, 1);
      shape[0] = x.shape[axis];
      return quantize(node("PRelu", {real(x), constant(numbers_.reals(shape, 2))}), y);
    }
    quantize(node(numbers_.pick<std::string>({"Sigmoid", "LeakyRelu", "Tanh", "Relu", "HardSigmoid", "Elu", "Abs"}),
                  {real(x)}),
             y);
  }

  void clip() {
    const Quantized x = newest_or_any();
    const auto [low, high] = integer_range(x.type);
    const std::int64_t from = numbers_.between(low, high), to = numbers_.between(from, high);
    const std::string lowest = numbers_.chance(0.8) ? constant(byte_of(x.type, from)) : "";
    const std::string highest = numbers_.chance(0.8) ? constant(byte_of(x.type, to)) : "";
    keep(node("Clip", {x.name, lowest, highest}), x);
  }

  // Float in, its scale found at run time, float out.
  void dynamic() {
    const std::optional<Quantized> x = any_with([](const Quantized& value) { return value.shape.size() >= 2; });
    if (!x) return;
    const std::string in_float = real(*x);
    const auto quantized = [&] { return node("DynamicQuantizeLinear", {in_float}, {}, 3); };
    const auto chain = [&](const std::string& sums, const std::string& x_scale, const Weights& w, const Shape& each,
                           const Quantized& y) {
      Tensor scales(DType::kFloat, w.values.size() == 1 ? Shape{} : each);
      std::copy(w.values.begin(), w.values.end(), scales.mutable_as<float>().begin());
      const std::string cast = node("Cast", {sums}, {{"to", std::int64_t{1}}});
      std::string scaled = node("Mul", {cast, node("Mul", {x_scale, constant(std::move(scales))})});
      if (numbers_.chance(0.5)) scaled = node("Add", {scaled, constant(numbers_.reals(each, y.scale * 30))});
      quantize(scaled, y);
    };
    if (x->shape.size() >= 3 && numbers_.chance(0.5)) {
      const ConvolutionSetting setting = convolution_of(*x);
      const Weights w = weights(setting.weights, setting.channels);
      const auto q = quantized();
      const std::string sums =
          node("ConvInteger", {q[0], w.integers, q[2], w.zero_points}, setting.geometry.attributes);
      return chain(sums, q[1], w, with_image(1, setting.channels, Shape(image_of(*x).size(), 1)),
                   meaning(type(), setting.output, setting.magnitude));
    }
    const std::int64_t k = x->shape.back(), n = numbers_.between(1, 5);
    const Weights w = weights({k, n}, n);
    Shape shape = x->shape;
    shape.back() = n;
    const Quantized y = meaning(type(), shape, reach(*x) * 0.7 * std::sqrt(static_cast<double>(k)));
    const std::string bias = numbers_.chance(0.5) ? constant(numbers_.reals({n}, y.scale * 30)) : "";
    switch (numbers_.below(4)) {
      case 0: {
        const auto q = quantized();
        return chain(node("MatMulInteger", {q[0], w.integers, q[2], w.zero_points}), q[1], w, {n}, y);
      }
      case 1: {
        const auto q = quantized();
        return quantize(node("MatMulIntegerToFloat", {q[0], w.integers, q[1], w.scales, q[2], w.zero_points, bias}), y);
      }
      case 2:
        return quantize(node("MatMulIntegerToFloat",
                             {x->name, w.integers, scale_of(*x), w.scales, zero_point_of(*x), w.zero_points, bias}),
                        y);
      default: return quantize(node("DynamicQuantizeMatMul", {in_float, w.integers, w.scales, w.zero_points, bias}), y);
    }
  }

  void flatten() {
    const Quantized x = any();
    Quantized y = x;
    y.shape = {x.shape[0], element_count(Shape(x.shape.begin() + 1, x.shape.end()))};
    keep(node("Flatten", {x.name}), y);
  }

  // Of bytes, or of what they mean in float. The first dimension stays where it is N.
  void move() {
    const Quantized x = any();
    Quantized y = x;
    const bool in_float = numbers_.chance(0.5);
    const std::string from = in_float ? real(x) : x.name;
    const auto rank = static_cast<std::int64_t>(x.shape.size());
    const std::int64_t first = symbolic_ ? 1 : 0, axis = rank > 1 ? numbers_.between(first, rank - 1) : 0;
    const auto at = static_cast<std::size_t>(axis);
    std::string made;
    switch (numbers_.below(12)) {
      case 0: {
        y.shape = {x.shape[0], element_count(Shape(x.shape.begin() + 1, x.shape.end()))};
        made = node("Reshape", {from, constant(int64s_of({0, -1}))});
        break;
      }
      case 1: {
        Ints order(x.shape.size());
        for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<std::int64_t>(d);
        std::rotate(order.begin() + first, order.begin() + axis, order.end());
        for (std::size_t d = 0; d < order.size(); ++d) y.shape[d] = x.shape[static_cast<std::size_t>(order[d])];
        made = node("Transpose", {from}, {{"perm", order}});
        break;
      }
      case 2: {
        const std::int64_t step = numbers_.pick<std::int64_t>({1, 2, -1}), size = x.shape[at];
        const std::int64_t begin = step < 0 ? size - 1 : numbers_.below(size);
        y.shape[at] = step < 0 ? size : (size - begin + step - 1) / step;
        made = node("Slice", {from, constant(int64s_of({begin})), constant(int64s_of({step < 0 ? -100 : 100})),
                              constant(int64s_of({axis})), constant(int64s_of({step}))});
        break;
      }
      case 3: {
        Ints indices;
        for (std::int64_t count = numbers_.between(1, 4); count > 0; --count)
          indices.push_back(numbers_.between(-x.shape[at], x.shape[at] - 1));
        y.shape[at] = static_cast<std::int64_t>(indices.size());
        made = node("Gather", {from, constant(int64s_of(indices))}, {{"axis", axis}});
        break;
      }
      case 4: {
        Ints pads(x.shape.size() * 2, 0);
        for (std::int64_t d = first; d < rank; ++d) {
          const auto e = static_cast<std::size_t>(d);
          pads[e] = numbers_.below(std::min<std::int64_t>(x.shape[e], 2)),
          pads[x.shape.size() + e] = numbers_.below(std::min<std::int64_t>(x.shape[e], 3));
          y.shape[e] += pads[e] + pads[x.shape.size() + e];
        }
        const std::string mode = numbers_.pick<std::string>({"constant", "constant", "reflect", "edge"});
        Inputs inputs = {from, constant(int64s_of(pads))};
        if (mode == "constant" && !in_float && numbers_.chance(0.7)) inputs.push_back(zero_point_of(x));
        made = node("Pad", inputs, {{"mode", mode}});
        break;
      }
      case 5: {
        Ints target = x.shape;
        target.insert(target.begin(), 1);
        if (symbolic_) target[1] = 1;
        if (symbolic_ && rank > 1) return;
        target[0] = numbers_.between(1, 2);
        y.shape = target;
        made = node("Expand", {from, constant(int64s_of(target))});
        break;
      }
      case 6: {
        if (rank != 4 || x.shape[1] % 4 != 0) return;
        y.shape = {x.shape[0], x.shape[1] / 4, x.shape[2] * 2, x.shape[3] * 2};
        made = node("DepthToSpace", {from},
                    {{"blocksize", std::int64_t{2}}, {"mode", numbers_.pick<std::string>({"DCR", "CRD"})}});
        break;
      }
      case 7: {
        if (rank != 4 || x.shape[2] % 2 != 0 || x.shape[3] % 2 != 0) return;
        y.shape = {x.shape[0], x.shape[1] * 4, x.shape[2] / 2, x.shape[3] / 2};
        made = node("SpaceToDepth", {from}, {{"blocksize", std::int64_t{2}}});
        break;
      }
      case 8: {
        if (rank < 3) return;
        Tensor factors(DType::kFloat, {rank});
        for (std::int64_t d = 0; d < rank; ++d) {
          factors.mutable_as<float>()[static_cast<std::size_t>(d)] = d < 2 ? 1 : 2;
          if (d >= 2) y.shape[static_cast<std::size_t>(d)] *= 2;
        }
        made = node("Resize", {from, "", constant(std::move(factors))},
                    {{"mode", "nearest"}, {"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}});
        break;
      }
      case 9: {
        Ints repeats(x.shape.size(), 1);
        repeats[at] = 2;
        if (symbolic_ && at == 0) return;
        y.shape[at] *= 2;
        made = node("Tile", {from, constant(int64s_of(repeats))});
        break;
      }
      case 10: {
        y.shape.insert(y.shape.begin() + axis, 1);
        if (symbolic_ && axis == 0) return;
        made = node("Unsqueeze", {from, constant(int64s_of({axis}))});
        break;
      }
      default: made = node("Identity", {from}); break;
    }
    if (element_count(y.shape) > 600) {  // stays small: nobody reads it
      if (in_float) node("QuantizeLinear", {made, scale_of(x), zero_point_of(x)});
      return;
    }
    if (!in_float) return keep(made, y);
    numbers_.chance(0.8) ? quantize(made, y) : clamp_and_quantize(made, meaning(x.type, y.shape, reach(x)));
  }

  Numbers numbers_;
  Model model_;
  std::int64_t opset_ = 13;
  bool symbolic_ = false;
  std::vector<DType> types_;
  std::vector<Quantized> values_;
};

}  // namespace

std::map<std::string, Tensor> RandomNetwork::inputs(std::int64_t batch, std::uint64_t seed) const {
  Numbers numbers(mix({seed, static_cast<std::uint64_t>(batch)}));
  std::map<std::string, Tensor> made;
  for (const Value& input : model.graph.inputs) {
    Shape shape;
    for (const Dim& dim : *input.type.shape) shape.push_back(dim.known() ? dim.value() : batch);
    made[input.name] =
        input.type.dtype == DType::kFloat ? numbers.reals(shape, 4) : numbers.bytes(input.type.dtype, shape);
  }
  return made;
}

RandomNetwork random_network(std::uint64_t seed) { return Writer(seed).write(); }

}  // namespace octet
