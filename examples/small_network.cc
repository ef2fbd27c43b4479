// small_network FILE: writes a small 8-bit network, made up on the spot: one residual block and a classifier over
// colour images of 32 x 32 pixels. Its weights are random but fixed, so everyone gets the same file.
//
//   image -> QuantizeLinear -> QLinearConv -+-> QLinearConv -> QLinearAdd -> QLinearGlobalAveragePool -> Flatten
//                                           +---------------------^                                         |
//                                            probabilities <- Softmax <- DequantizeLinear <- QGemm <--------+
#include <octet/octet.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using octet::DType;
using octet::Tensor;
using Names = std::vector<std::string>;

class SmallNetwork {
 public:
  SmallNetwork() {
    model_.ir_version = 8;
    model_.opset_imports = {{"", 17}, {kMicrosoft, 1}};
    model_.producer_name = "octet";
    model_.graph.name = "small_network";
    const octet::Dim n = octet::Dim::symbol("N");
    model_.graph.inputs = {{.name = "image", .type = {.dtype = DType::kFloat, .shape = {{n, 3, 32, 32}}}}};
    model_.graph.outputs = {{.name = "probabilities", .type = {.dtype = DType::kFloat, .shape = {{n, 10}}}}};

    activation("pixels", 1.0F / 255.0F, 0);
    node("QuantizeLinear", join({{"image"}, parameters("pixels")}), "pixels");
    convolution("pixels", "conv1", 3, 16, 0.05F);
    convolution("conv1", "conv2", 16, 16, 0.12F);
    activation("sum", 0.15F, 120);
    node("QLinearAdd", join({quantized("conv1"), quantized("conv2"), parameters("sum")}), "sum", kMicrosoft);
    activation("pooled", 0.05F, 128);
    node("QLinearGlobalAveragePool", join({quantized("sum"), parameters("pooled")}), "pooled", kMicrosoft);
    node("Flatten", {"pooled"}, "features");
    weights("dense_w", {10, 16});
    constant("dense_bias", Tensor(DType::kInt32, {10}));
    activation("logits", 0.05F, 128);
    node("QGemm",
         join({{"features"}, parameters("pooled"), quantized("dense_w"), {"dense_bias"}, parameters("logits")}),
         "logits", kMicrosoft);
    model_.graph.nodes.back().attributes.set("transB", std::int64_t{1});
    node("DequantizeLinear", quantized("logits"), "scores");
    node("Softmax", {"scores"}, "probabilities");
  }

  const octet::Model& model() const { return model_; }

 private:
  static constexpr char kMicrosoft[] = "com.microsoft";

  // A quantized value goes by three names: itself, its scale and its zero point.
  static Names parameters(const std::string& name) { return {name + "_scale", name + "_zero_point"}; }
  static Names quantized(const std::string& name) { return join({{name}, parameters(name)}); }
  static Names join(const std::vector<Names>& lists) {
    Names all;
    for (const Names& names : lists) all.insert(all.end(), names.begin(), names.end());
    return all;
  }

  void node(const std::string& op_type, Names inputs, const std::string& output, const std::string& domain = "") {
    octet::Node node;
    node.name = output;
    node.op_type = op_type;
    node.domain = domain;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    model_.graph.nodes.push_back(std::move(node));
  }

  void constant(const std::string& name, Tensor tensor) {
    model_.graph.initializers.push_back({.name = name, .tensor = std::move(tensor)});
  }
  void activation(const std::string& name, float scale, std::uint8_t zero_point) {
    constant(name + "_scale", Tensor::scalar(scale));
    constant(name + "_zero_point", Tensor::scalar(zero_point));
  }
  // int8 weights with a scale per output channel, the first dimension.
  void weights(const std::string& name, const octet::Shape& shape) {
    Tensor values(DType::kInt8, shape), scales(DType::kFloat, {shape[0]});
    for (std::int8_t& value : values.mutable_as<std::int8_t>())
      value = static_cast<std::int8_t>(static_cast<int>(random_() % 255) - 127);
    for (float& scale : scales.mutable_as<float>()) scale = static_cast<float>(random_() % 64 + 64) / 16384.0F;
    constant(name, std::move(values));
    constant(name + "_scale", std::move(scales));
    constant(name + "_zero_point", Tensor(DType::kInt8, {shape[0]}));
  }
  // A 3 x 3 convolution that keeps the image's size.
  void convolution(const std::string& x, const std::string& y, std::int64_t inputs, std::int64_t outputs, float scale) {
    weights(y + "_w", {outputs, inputs, 3, 3});
    constant(y + "_bias", Tensor(DType::kInt32, {outputs}));
    activation(y, scale, 128);
    node("QLinearConv", join({quantized(x), quantized(y + "_w"), parameters(y), {y + "_bias"}}), y);
    model_.graph.nodes.back().attributes.set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
  }

  octet::Model model_;
  std::minstd_rand random_{8};
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: small_network FILE\n");
    return 2;
  }
  octet::save_model(SmallNetwork().model(), argv[1]);
  return 0;
} catch (const octet::Error& error) {
  std::fprintf(stderr, "small_network: %s\n", error.what());
  return 2;
}
