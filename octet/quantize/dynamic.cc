#include "octet/quantize/dynamic.h"

#include <algorithm>
#include <cmath>

#include "octet/base/fail.h"
#include "octet/graph/index.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/spec/requantize.h"
#include "octet/version.h"

namespace octet {
namespace {

// The header's equations for constants.
ScaleAndZeroPoint choose_dynamic(const Range& range, bool symmetric) {
  const float low = std::min(0.0F, range.min), high = std::max(0.0F, range.max);
  if (symmetric) {
    const float scale = std::max(-low, high) / 127.0F;
    return {scale > 0 ? scale : 1.0F, 0};
  }
  const float scale = (high - low) / 255.0F;
  if (!(scale > 0)) return {1.0F, -128};
  const float t = std::clamp(-128.0F - low / scale, -128.0F, 127.0F);
  return {scale, static_cast<std::int32_t>(round_ties_even(t))};
}

// Matrices [..., rows, columns] as [..., columns, rows].
template <typename T>
Tensor transposed(const Tensor& matrices) {
  Shape shape = matrices.shape();
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  std::swap(shape[shape.size() - 2], shape.back());
  Tensor result = Tensor::uninitialized(matrices.dtype(), shape);
  const auto in = matrices.as<T>();
  const auto out = result.template mutable_as<T>();
  for (std::int64_t first = 0; first < matrices.size(); first += rows * columns)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        out[static_cast<std::size_t>(first + c * rows + r)] = in[static_cast<std::size_t>(first + r * columns + c)];
  return result;
}

Parameters dynamic_parameters(const Tensor& weights, std::optional<std::int64_t> axis, bool symmetric,
                              const std::string& name) {
  Parameters parameters{.dtype = DType::kInt8, .axis = axis};
  for (const Range& range : ranges_of(weights, axis, name)) {
    const auto [scale, zero_point] = choose_dynamic(range, symmetric);
    parameters.scales.push_back(scale);
    parameters.zero_points.push_back(zero_point);
  }
  return parameters;
}

class DynamicWriter {
 public:
  DynamicWriter(Model model, const DynamicOptions& options, const Selection& selection)
      : options_(options),
        selection_(selection),
        facts_(infer(model)),
        source_(std::move(model)),
        index_(source_.graph),
        names_(source_.graph) {
    result_.model = source_;
    result_.model.graph.nodes.clear();
    result_.model.producer_name = "octet";
    result_.model.producer_version = kVersion;
  }

  DynamicResult run() {
    for (const Node& node : source_.graph.nodes) {
      NodeVerdict verdict{name_of(node), node.op_type, false, obstacle(node), selection_.choose(node, facts_)};
      verdict.quantized = verdict.reason.empty();
      if (verdict.quantized)
        write_quantized(node, verdict);
      else
        add(node);
      result_.report.push_back(std::move(verdict));
    }
    if (std::none_of(result_.report.begin(), result_.report.end(), [](const NodeVerdict& v) { return v.quantized; }))
      refuse();
    result_.model = remove_unused(std::move(result_.model));
    return std::move(result_);
  }

 private:
  // Says why, for the nodes that could have been meant.
  [[noreturn]] void refuse() const {
    std::string why;
    int listed = 0;
    for (std::size_t i = 0; i < result_.report.size(); ++i) {
      const NodeVerdict& verdict = result_.report[i];
      if ((has_dynamic_form(source_.graph.nodes[i]) || verdict.reason == kGraphsStay) && ++listed <= 3)
        why += fmt::format("; {}: {}", verdict.name, verdict.reason);
    }
    fail(ErrorCode::kUsage, "nothing in this model can be quantized dynamically{}",
         listed == 0 ? "; it has no MatMul, Gemm, Conv or LSTM" : why);
  }

  static constexpr std::string_view kGraphsStay = "the graphs that it runs stay as they are";

  static bool has_dynamic_form(const Node& node) {
    return is(node, ops::kMatMul) || is(node, ops::kGemm) || is(node, ops::kConv) || is(node, ops::kLSTM);
  }

  const Tensor* constant(const std::string& name) const {
    const Initializer* initializer = find_initializer(source_.graph, name);
    return initializer && !initializer->tensor.empty() ? &initializer->tensor : nullptr;
  }
  bool is_float32(const std::string& value) const {
    const auto it = facts_.find(value);
    return it != facts_.end() && it->second.dtype == DType::kFloat;
  }
  bool comes_from_integers(const std::string& value) const {
    const auto producer = index_.producer(value);
    return producer && is(source_.graph.nodes[*producer], ops::kDequantizeLinear);
  }

  std::string obstacle(const Node& node) const {
    if (!node.subgraphs.empty()) return std::string(kGraphsStay);
    if (!has_dynamic_form(node)) return "no dynamic form of " + node.op_type;
    const NodeChoice choice = selection_.choose(node, facts_);
    if (!choice.quantize) return choice.reason;
    if (choice.activations || choice.range || choice.calibration)
      fail(ErrorCode::kUsage,
           "{}: a rule says its activations' type, range or calibration, which dynamic quantization finds while the "
           "model runs",
           describe(node));
    if (node.inputs.size() < 2 || !is_float32(node.inputs[0])) return "its input is not float32";
    if (comes_from_integers(node.inputs[0]) || comes_from_integers(node.inputs[1])) return "already 8-bit";
    if (const std::string why = weights_obstacle(node.inputs[1]); !why.empty()) return why;
    if (is(node, ops::kLSTM)) return lstm_obstacle(node);
    if (!is(node, ops::kConv) && constant(node.inputs[1])->rank() != 2) return "its weights are not a matrix";
    if (is(node, ops::kGemm) && node.attributes.get_int("transA", 0) != 0) return "Gemm with transA";
    return {};
  }

  std::string weights_obstacle(const std::string& value) const {
    const Tensor* weights = constant(value);
    if (!weights) return "its weights are not constant";
    if (weights->dtype() != DType::kFloat || weights->size() == 0) return "its weights are not float32";
    return {};
  }

  std::string lstm_obstacle(const Node& node) const {
    if (node.inputs.size() < 3) return "its recurrent weights are not constant";
    if (const std::string why = weights_obstacle(node.inputs[2]); !why.empty()) return why;
    return node.attributes.get_int("layout", 0) != 0 ? "DynamicQuantizeLSTM has no layout 1" : "";
  }

  const std::string& name(const std::string& base, std::string_view role) { return names_.of(base, role); }

  void add(Node node) { result_.model.graph.nodes.push_back(std::move(node)); }
  // A node named after the value it makes.
  std::string add(const std::string& op, std::vector<std::string> inputs, const std::string& output,
                  Attributes attributes = {}) {
    add(Node{.name = name(output, "_" + op),
             .op_type = op,
             .inputs = std::move(inputs),
             .outputs = {output},
             .attributes = std::move(attributes)});
    return output;
  }
  std::string add_constant(const std::string& constant, Tensor tensor) {
    if (constants_.insert(constant).second)
      result_.model.graph.initializers.push_back({.name = constant, .tensor = std::move(tensor)});
    return constant;
  }
  std::string real(float value, std::string_view role) {
    return add_constant(name("octet", role), Tensor::scalar(value));
  }

  // Writes the integers, the scale and the zero point once for each activation.
  void write_activation(const std::string& x) {
    if (!activations_.insert(x).second) return;
    const std::string quantized = name(x, "_quantized"), scale = name(x, "_scale");
    if (options_.uint8_activations) {
      add(Node{.name = name(x, "_DynamicQuantizeLinear"),
               .op_type = "DynamicQuantizeLinear",
               .inputs = {x},
               .outputs = {quantized, scale, zero_point_of(x)}});
      return;
    }
    Attributes whole;
    whole.set("keepdims", std::int64_t{0});
    const std::string zero = real(0, "_zero"), one = real(1, "_one");
    std::string span;
    if (options_.symmetric_activations) {
      const std::string magnitude = add("Abs", {x}, name(x, "_magnitude"));
      const std::string largest = add("ReduceMax", {magnitude}, name(x, "_largest"), whole);
      span = add("Div", {largest, real(127, "_127")}, name(x, "_span"));
    } else {
      const std::string low = add("Min", {add("ReduceMin", {x}, name(x, "_min"), whole), zero}, name(x, "_low"));
      const std::string high = add("Max", {add("ReduceMax", {x}, name(x, "_max"), whole), zero}, name(x, "_high"));
      span = add("Div", {add("Sub", {high, low}, name(x, "_width")), real(255, "_255")}, name(x, "_span"));
    }
    const std::string is_zero = add("Equal", {span, zero}, name(x, "_is_zero"));
    add("Where", {is_zero, one, span}, scale);
    if (options_.symmetric_activations) {
      add_constant(zero_point_of(x), Tensor::scalar<std::int8_t>(0));
    } else {
      const std::string least = real(-128, "_minus_128"), most = real(127, "_127");
      const std::string steps = add("Div", {name(x, "_low"), scale}, name(x, "_steps"));
      const std::string offset = add("Sub", {least, steps}, name(x, "_offset"));
      const std::string saturated = add("Clip", {offset, least, most}, name(x, "_saturated"));
      Attributes to_int8;
      to_int8.set("to", static_cast<std::int64_t>(DType::kInt8));
      add("Cast", {add("Round", {saturated}, name(x, "_rounded"))}, zero_point_of(x), to_int8);
    }
    add("QuantizeLinear", {x, scale, zero_point_of(x)}, quantized);
  }

  // All symmetric activations share one.
  const std::string& zero_point_of(const std::string& x) {
    return options_.symmetric_activations ? name("octet", "_int8_zero") : name(x, "_zero_point");
  }

  void write_quantized(const Node& node, NodeVerdict& verdict) {
    if (is(node, ops::kLSTM)) return write_lstm(node, verdict);
    const std::string x = node.inputs[0], y = node.outputs[0];
    write_activation(x);
    const bool conv = is(node, ops::kConv);
    const NodeChoice& choice = verdict.choice;
    const bool symmetric = choice.symmetric_weights.value_or(options_.symmetric_weights);
    bool per_channel = choice.per_channel.value_or(options_.per_channel);
    if (conv && per_channel && !symmetric) {
      per_channel = false;
      verdict.reason = "weights per tensor: ConvInteger takes one weight zero point in ONNX Runtime";
    }
    const std::optional<std::int64_t> axis = per_channel ? std::optional<std::int64_t>(conv ? 0 : 1) : std::nullopt;
    verdict.weights.emplace();
    const std::string w_scale = write_weights(node, symmetric, axis, *verdict.weights);

    Node integer{
        .name = node.name,
        .op_type = conv ? "ConvInteger" : "MatMulInteger",
        .inputs = {name(x, "_quantized"), name(y, "_weights"), zero_point_of(x), name(y, "_weights_zero_point")},
        .outputs = {name(y, "_accumulator")}};
    if (conv) integer.attributes = node.attributes;
    add(std::move(integer));
    Attributes to_float;
    to_float.set("to", static_cast<std::int64_t>(DType::kFloat));
    const std::string accumulator = add("Cast", {name(y, "_accumulator")}, name(y, "_accumulator_float"), to_float);
    const std::string scales = add("Mul", {name(x, "_scale"), w_scale}, name(y, "_scales"));
    const bool has_bias = node.inputs.size() > 2 && !node.inputs[2].empty();
    const float alpha = is(node, ops::kGemm) ? node.attributes.get_float("alpha", 1) : 1;
    std::string scaled = add("Mul", {accumulator, scales}, has_bias || alpha != 1 ? name(y, "_scaled") : y);
    if (alpha != 1) {
      const std::string factor = add_constant(name(y, "_alpha"), Tensor::scalar(alpha));
      scaled = add("Mul", {scaled, factor}, has_bias ? name(y, "_product") : y);
    }
    if (has_bias) add("Add", {scaled, bias_of(node, conv)}, y);
  }

  // Chooses the parameters, for all weights or along their axis; returns the name of the weights' scale, shaped to
  // multiply the accumulator.
  std::string write_weights(const Node& node, bool symmetric, std::optional<std::int64_t> axis,
                            Parameters& parameters) {
    const std::string& y = node.outputs[0];
    const bool conv = is(node, ops::kConv), per_channel = axis.has_value();
    const Tensor& stored = *constant(node.inputs[1]);
    const bool flip = is(node, ops::kGemm) && node.attributes.get_int("transB", 0) != 0;
    const Tensor weights = flip ? transposed<float>(stored) : stored;
    parameters = dynamic_parameters(weights, axis, symmetric, node.inputs[1]);
    add_constant(name(y, "_weights"), quantize_constant(weights, parameters));
    const auto count = static_cast<std::int64_t>(parameters.scales.size());
    Shape shape = per_channel ? Shape{count} : Shape{};
    const bool one_zero_point = !per_channel || (conv && symmetric);
    add_constant(name(y, "_weights_zero_point"),
                 convert(one_zero_point
                             ? Tensor::scalar(parameters.zero_points[0])
                             : Tensor::from<std::int32_t>(shape, std::span<const std::int32_t>(parameters.zero_points)),
                         DType::kInt8));
    if (per_channel && conv) shape.resize(static_cast<std::size_t>(weights.rank()) - 1, 1);
    return add_constant(name(y, "_weights_scale"),
                        Tensor::from<float>(shape, std::span<const float>(parameters.scales)));
  }

  void write_lstm(const Node& node, NodeVerdict& verdict) {
    const bool symmetric = verdict.choice.symmetric_weights.value_or(options_.symmetric_weights);
    bool per_channel = verdict.choice.per_channel.value_or(options_.per_channel);
    if (per_channel && !symmetric) {
      per_channel = false;
      verdict.reason = "weights per tensor: DynamicQuantizeLSTM takes one weight zero point";
    } else if (!options_.uint8_activations) {
      verdict.reason = "uint8 activations: DynamicQuantizeLSTM has no others";
    }
    Node lstm = node;
    lstm.op_type = "DynamicQuantizeLSTM";
    lstm.domain = kMicrosoft;
    lstm.inputs.resize(8);
    verdict.weights = write_gates(lstm, 1, per_channel, symmetric);
    write_gates(lstm, 2, per_channel, symmetric);
    lstm.attributes.erase("layout");
    add(std::move(lstm));
    Model& model = result_.model;
    if (model.opset(kMicrosoft) == 0) model.opset_imports.emplace_back(kMicrosoft, 1);
  }

  // Replaces the weights [directions, 4 H, K] that are an input of an LSTM with bytes [directions, K, 4 H], and appends their
  // scales and zero points: one for each direction, or for each of its rows.
  Parameters write_gates(Node& lstm, std::size_t input, bool per_row, bool symmetric) {
    const std::string weights = lstm.inputs[input];
    const Tensor& stored = *constant(weights);
    const Shape& shape = stored.shape();
    const std::int64_t rows = per_row ? shape[0] * shape[1] : shape[0];
    const Tensor matrix = stored.reshaped({rows, stored.size() / rows});
    Parameters parameters = dynamic_parameters(matrix, 0, symmetric, weights);
    const Shape each = per_row ? Shape{shape[0], shape[1]} : Shape{shape[0]};
    lstm.inputs[input] = add_constant(name(weights, "_quantized"),
                                      transposed<std::int8_t>(quantize_constant(matrix, parameters).reshaped(shape)));
    lstm.inputs.push_back(
        add_constant(name(weights, "_scale"), Tensor::from<float>(each, std::span<const float>(parameters.scales))));
    lstm.inputs.push_back(
        add_constant(name(weights, "_zero_point"),
                     convert(Tensor::from<std::int32_t>(each, std::span<const std::int32_t>(parameters.zero_points)),
                             DType::kInt8)));
    return parameters;
  }

  std::string bias_of(const Node& node, bool conv) {
    const std::string &bias = node.inputs[2], &y = node.outputs[0];
    if (conv) {
      const auto spatial = static_cast<std::size_t>(constant(node.inputs[1])->rank()) - 2;
      std::vector<std::int64_t> shape(spatial + 1, 1);
      shape[0] = -1;
      const auto count = static_cast<std::int64_t>(shape.size());
      const std::string channels = add_constant(
          name(y, "_bias_shape"), Tensor::from<std::int64_t>({count}, std::span<const std::int64_t>(shape)));
      return add("Reshape", {bias, channels}, name(y, "_bias"));
    }
    const float beta = is(node, ops::kGemm) ? node.attributes.get_float("beta", 1) : 1;
    if (beta == 1) return bias;
    return add("Mul", {bias, add_constant(name(y, "_beta"), Tensor::scalar(beta))}, name(y, "_bias"));
  }

  DynamicOptions options_;
  const Selection& selection_;
  Facts facts_;
  Model source_;
  GraphIndex index_;
  DynamicResult result_;
  NewNames names_;
  std::set<std::string> activations_, constants_;
};

}  // namespace

DynamicResult quantize_dynamic(Model model, const DynamicOptions& options, const Selection& selection) {
  if (options.uint8_activations && options.symmetric_activations)
    fail(ErrorCode::kUsage, "uint8 activations are asymmetric; symmetric ones are int8");
  if (model.opset("") < 11)
    fail(ErrorCode::kUsage, "the model's opset is {}; dynamic quantization wants 11 or later", model.opset(""));
  return DynamicWriter(std::move(model), options, selection).run();
}

}  // namespace octet
