// models FOLDER: writes the models of the sessions beside this file.
#include "tests/support/models.h"

#include <octet/octet.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

namespace octet {
namespace {

Tensor pattern(DType dtype, Shape shape) {
  Tensor tensor(dtype, std::move(shape));
  std::int8_t next = -100;
  for (std::int8_t& element : tensor.mutable_as<std::int8_t>()) element = next = static_cast<std::int8_t>(next * 5 + 3);
  return tensor;
}

// A QDQ network: convolution per channel with Relu, a residual addition, pooling, a dense layer in float.
Model qdq() {
  Model model = model_from(
      "qdq (image) => (scores) {\n"
      "  image_q = QuantizeLinear (image, image_scale, image_zero)\n"
      "  image_d = DequantizeLinear (image_q, image_scale, image_zero)\n"
      "  w_d = DequantizeLinear <axis: int = 0> (w, w_scale, w_zero)\n"
      "  b_d = DequantizeLinear <axis: int = 0> (b, b_scale)\n"
      "  conv = Conv <pads: ints = [1, 1, 1, 1]> (image_d, w_d, b_d)\n"
      "  relu = Relu (conv)\n"
      "  relu_q = QuantizeLinear (relu, relu_scale, relu_zero)\n"
      "  relu_d = DequantizeLinear (relu_q, relu_scale, relu_zero)\n"
      "  sum = Add (relu_d, image_d)\n"
      "  sum_q = QuantizeLinear (sum, sum_scale, sum_zero)\n"
      "  sum_d = DequantizeLinear (sum_q, sum_scale, sum_zero)\n"
      "  pooled = GlobalAveragePool (sum_d)\n"
      "  flat = Flatten (pooled)\n"
      "  scores = MatMul (flat, dense) }",
      {value("image", DType::kFloat, {{N(), 3, 6, 6}})});
  model.producer_name = "tests";
  model.graph.outputs = {value("scores", DType::kFloat, {{N(), 2}})};
  const auto activation = [&](const std::string& name, float scale, std::uint8_t zero_point) {
    add_initializer(model, name + "_scale", Tensor::scalar(scale));
    add_initializer(model, name + "_zero", Tensor::scalar(zero_point));
  };
  activation("image", 1.0F / 128, 128);
  activation("relu", 0.02F, 0);
  activation("sum", 0.03F, 100);
  add_initializer(model, "w", pattern(DType::kInt8, {3, 3, 3, 3}));
  add_initializer(model, "w_scale", Tensor::from<float>({3}, {0.01F, 0.003F, 0.0125F}));
  add_initializer(model, "w_zero", Tensor(DType::kInt8, {3}));
  add_initializer(model, "b", Tensor::from<std::int32_t>({3}, {10, -20, 30}));
  add_initializer(model, "b_scale", Tensor::from<float>({3}, {7.8125e-05F, 2.34375e-05F, 9.765625e-05F}));
  add_initializer(model, "dense", Tensor::from<float>({3, 2}, {1, -1, 0.5F, 0.25F, -2, 3}));
  return model;
}

// What dynamic quantization makes of a matrix product.
Model dynamic() {
  Model model = model_from(
      "dynamic (x) => (y) {\n"
      "  x_q, x_scale, x_zero = DynamicQuantizeLinear (x)\n"
      "  sums = MatMulInteger (x_q, w, x_zero, w_zero)\n"
      "  sums_float = Cast <to: int = 1> (sums)\n"
      "  scale = Mul (x_scale, w_scale)\n"
      "  y = Mul (sums_float, scale) }",
      {value("x", DType::kFloat, {{2, 4}})});
  add_initializer(model, "w", pattern(DType::kInt8, {4, 3}));
  add_initializer(model, "w_zero", Tensor::scalar<std::int8_t>(0));
  add_initializer(model, "w_scale", Tensor::scalar(0.01F));
  return model;
}

// Names as frameworks give them, and types that NumPy lacks.
Model names() {
  return model_from(
      "names (a, b, c) => (d, e, f) { d = Identity (a)\n e = Identity (b)\n f = Identity (c) }",
      {value("a", DType::kUint8, {{2, 2}}), value("b", DType::kBFloat16, {{3}}), value("c", DType::kInt4, {{3}})});
}

// An operator and types that Octet does not compute with.
Model strange() {
  Model model = model_from("strange (x) => (y) { h = Mystery (x)\n y = Identity (h) }",
                           {value("x", DType::kComplex64, {{N(), 4}})});
  model.opset_imports.emplace_back("com.example", 1);
  model.graph.nodes[0].domain = "com.example";
  model.graph.value_info = {value("h", DType::kString, {{N(), 4}})};
  return model;
}

// A convolution whose weights do not fit its input.
Model wrong() {
  Model model =
      model_from("wrong (x) => (y) { c = Conv (x, w)\n y = Relu (c) }", {value("x", DType::kFloat, {{1, 3, 8, 8}})});
  model.graph.nodes[0].name = "conv_1";
  add_initializer(model, "w", Tensor(DType::kFloat, {4, 2, 3, 3}));
  return model;
}

// A convolution on integers with float weights, which ONNX Runtime quantizes by itself.
Model rewritten() {
  Model model = model_from(
      "rewritten (x) => (y) {\n"
      "  x_q = QuantizeLinear (x, s, z)\n"
      "  x_d = DequantizeLinear (x_q, s, z)\n"
      "  c = ConvTranspose (x_d, w)\n"
      "  c_q = QuantizeLinear (c, s, z)\n"
      "  y = DequantizeLinear (c_q, s, z) }",
      {value("x", DType::kFloat, {{1, 1, 4, 4}})}, 17);
  model.graph.outputs = {value("y", DType::kFloat, {{1, 1, 5, 5}})};
  add_initializer(model, "s", Tensor::scalar(0.01F));
  add_initializer(model, "z", Tensor::scalar<std::uint8_t>(128));
  add_initializer(model, "w", Tensor::from<float>({1, 1, 2, 2}, {0.1234F, -0.7531F, 0.3579F, 1}));
  return model;
}

// An output whose declared shape contradicts the graph.
Model declared() {
  Model model = model_from("declared (x) => (y) { y = Relu (x) }", {value("x", DType::kFloat, {{2, 1, 3}})});
  model.graph.outputs = {value("y", DType::kFloat, {{1, Dim::symbol("seqlen")}})};
  return model;
}

// Nodes in another order than that of execution.
Model unordered() {
  return model_from("unordered (x) => (y) { y = Abs (a)\n a = Neg (x) }", {value("x", DType::kFloat, {{2}})});
}

// A float classifier to quantize: convolution with Relu, pooling, a dense layer, Softmax. `weight` is the first of the
// convolution.
Model classifier(float weight = 0.75F) {
  Model model = model_from(
      "classifier (image) => (probabilities) {\n"
      "  conv = Conv (image, w, b)\n"
      "  relu = Relu (conv)\n"
      "  pooled = GlobalAveragePool (relu)\n"
      "  flat = Flatten (pooled)\n"
      "  scores = Gemm (flat, dense, offset)\n"
      "  probabilities = Softmax (scores) }",
      {value("image", DType::kFloat, {{N(), 1, 4, 4}})}, 17);
  for (Node& node : model.graph.nodes) node.name = node.outputs[0] + "_node";
  model.graph.outputs = {value("probabilities", DType::kFloat, {{N(), 2}})};
  add_initializer(model, "w", Tensor::from<float>({2, 1, 2, 2}, {weight, -0.5F, 0.25F, 1, 0.5F, 0.5F, -1, -0.125F}));
  add_initializer(model, "b", Tensor::from<float>({2}, {0.125F, -0.25F}));
  add_initializer(model, "dense", Tensor::from<float>({2, 2}, {1, -1, 0.5F, 0.25F}));
  add_initializer(model, "offset", Tensor::from<float>({2}, {0, 0.5F}));
  return model;
}

// The same with a layer of zeros.
Model zeros() {
  Model model = classifier();
  for (Initializer& initializer : model.graph.initializers)
    if (initializer.name == "dense") initializer.tensor = Tensor(DType::kFloat, {2, 2});
  return model;
}

// Nothing in it has an 8-bit form.
Model elementary() {
  return model_from("elementary (x) => (y) { e = Exp (x)\n y = Log (e) }", {value("x", DType::kFloat, {{N(), 4}})});
}

}  // namespace
}  // namespace octet

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: models FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  octet::save_model(octet::qdq(), folder / "qdq.onnx");
  octet::save_model(octet::dynamic(), folder / "dynamic.onnx");
  octet::save_model(octet::names(), folder / "names.onnx");
  octet::save_model(octet::strange(), folder / "strange.onnx");
  octet::save_model(octet::wrong(), folder / "wrong.onnx");
  octet::save_model(octet::rewritten(), folder / "rewritten.onnx");
  octet::save_model(octet::declared(), folder / "declared.onnx");
  octet::save_model(octet::unordered(), folder / "unordered.onnx");
  octet::save_model(octet::classifier(), folder / "float.onnx");
  octet::save_model(octet::classifier(std::nanf("")), folder / "nan.onnx");
  octet::save_model(octet::classifier(std::numeric_limits<float>::infinity()), folder / "infinite.onnx");
  octet::save_model(octet::zeros(), folder / "zeros.onnx");
  octet::save_model(octet::elementary(), folder / "elementary.onnx");
  return 0;
} catch (const octet::Error& error) {
  std::fprintf(stderr, "models: %s\n", error.what());
  return 2;
}
