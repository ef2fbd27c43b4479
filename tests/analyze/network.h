// network.h: small networks of quantized operators on random numbers, for tests of what is said about them.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "octet/engine/reference_engine.h"
#include "octet/graph/model.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {

class Network {
 public:
  explicit Network(unsigned seed = 1) : random_(seed) {
    model_.ir_version = 10;
    model_.opset_imports = {{"", 21}, {"com.microsoft", 1}};
    model_.graph.name = "network";
  }

  // Bytes over their whole range, or int32 or floats around zero.
  Tensor random(DType dtype, const Shape& shape) {
    Tensor tensor(dtype, shape);
    if (dtype == DType::kFloat)
      for (float& value : tensor.mutable_as<float>()) value = real(-2, 2);
    else if (dtype == DType::kInt32)
      for (std::int32_t& value : tensor.mutable_as<std::int32_t>())
        value = static_cast<std::int32_t>(random_() % 4001) - 2000;
    else
      for (std::byte& value : tensor.mutable_bytes()) value = static_cast<std::byte>(random_());
    return tensor;
  }
  float real(float low, float high) { return low + (high - low) * static_cast<float>(random_() % 65536) / 65536.0F; }
  Tensor scales(const Shape& shape, float low, float high) {
    Tensor tensor(DType::kFloat, shape);
    for (float& value : tensor.mutable_as<float>()) value = real(low, high);
    return tensor;
  }

  // A graph input and its value.
  std::string input(const std::string& name, Tensor tensor) {
    model_.graph.inputs.push_back(value(name, tensor.dtype(), symbolic(tensor.shape())));
    values_[name] = std::move(tensor);
    return name;
  }
  std::string input(const std::string& name, DType dtype, const Shape& shape) {
    return input(name, random(dtype, shape));
  }
  std::string constant(const std::string& name, Tensor tensor) {
    add_initializer(model_, name, std::move(tensor));
    return name;
  }
  std::string scale(const std::string& name, float value) { return constant(name, Tensor::scalar(value)); }
  // A random zero point of the type.
  std::string zero_point(const std::string& name, DType dtype) { return constant(name, random(dtype, {})); }

  // A node whose output is a graph output; com.microsoft for the operators that are its own.
  Network& node(const std::string& op, std::vector<std::string> inputs, const std::string& output,
                Attributes attributes = {}) {
    Node node{.name = output + "_node", .op_type = op, .inputs = std::move(inputs), .outputs = {output}};
    const bool standard = op == "QLinearConv" || op == "QLinearMatMul" || op.find("QLinear") != 0;
    if (!standard || op == "QGemm" || op == "MatMulIntegerToFloat" || op == "DynamicQuantizeMatMul")
      node.domain = "com.microsoft";
    node.attributes = std::move(attributes);
    model_.graph.nodes.push_back(std::move(node));
    model_.graph.outputs.push_back(value(output, {}, std::nullopt));
    return *this;
  }

  Model& model() { return model_; }
  const NamedTensors& values() const { return values_; }

 private:
  std::mt19937 random_;
  Model model_;
  NamedTensors values_;
};

inline Attributes attributes(std::vector<std::pair<std::string, AttributeValue>> list) {
  Attributes result;
  for (auto& [name, value] : list) result.set(name, std::move(value));
  return result;
}

}  // namespace octet
