// run_operator.h: one operator of the registry, applied to tensors or to facts about them.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "octet/spec/operator.h"
#include "octet/spec/registry.h"
#include "tests/support/failure.h"

namespace octet {

using AttributeList = std::vector<std::pair<std::string, AttributeValue>>;

inline Attributes attributes_of(const AttributeList& list) {
  Attributes attributes;
  for (const auto& [name, value] : list) attributes.set(name, value);
  return attributes;
}

inline std::vector<std::int64_t> ints(std::vector<std::int64_t> values) { return values; }

// Operators of the standard. The outputs.
inline std::vector<Tensor> run_operator(std::string_view name, int opset, const AttributeList& attributes,
                                        const std::vector<Tensor>& inputs, std::size_t outputs = 1) {
  static const Parallel parallel(2);
  static const Arithmetic arithmetic;
  const Operator* op = find_operator("", name);
  if (op == nullptr) throw Error(ErrorCode::kUsage, "no operator " + std::string(name));
  return execute(*op, opset, attributes_of(attributes), inputs, outputs, {arithmetic, parallel});
}

// The label of the constraint that fails.
inline std::string broken_constraint(std::string_view name, int opset, const AttributeList& attributes,
                                     const std::vector<Tensor>& inputs, std::size_t outputs = 1) {
  return failure_of([&] { run_operator(name, opset, attributes, inputs, outputs); }).constraint();
}

// What the shape rule says of output `output`.
inline Fact infer_operator(std::string_view name, int opset, const AttributeList& attributes, std::vector<Fact> inputs,
                           std::size_t outputs = 1, std::size_t output = 0) {
  const Attributes values = attributes_of(attributes);
  Inference inference(opset, values, std::move(inputs), outputs);
  find_operator("", name)->infer(inference);
  return inference.outputs()[output];
}

inline Fact fact(DType dtype, std::optional<SymbolicShape> shape) {
  Fact result;
  result.dtype = dtype;
  result.shape = std::move(shape);
  return result;
}

template <typename T>
std::vector<T> values(const Tensor& tensor) {
  const std::span<const T> elements = tensor.as<T>();
  return {elements.begin(), elements.end()};
}

// Shapes, axes and indices.
inline Tensor int64s(Shape shape, const std::vector<std::int64_t>& elements) {
  return Tensor::from<std::int64_t>(std::move(shape), elements);
}
inline Tensor int64s(const std::vector<std::int64_t>& elements) {
  return int64s({static_cast<std::int64_t>(elements.size())}, elements);
}

// 0, 1, 2, ... : inputs on which results are easily worked out by hand.
template <typename T>
Tensor counting(Shape shape, T first = T(0)) {
  Tensor tensor(dtype_of<T>(), std::move(shape));
  for (T& element : tensor.mutable_as<T>()) element = first++;
  return tensor;
}

}  // namespace octet
