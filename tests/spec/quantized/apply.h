// apply.h: quantized operators of either domain, in any arithmetic, and short names for small tensors.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/run_operator.h"

namespace octet {

using Bytes = std::vector<std::uint8_t>;
using SignedBytes = std::vector<std::int8_t>;
using Integers = std::vector<std::int32_t>;
using Floats = std::vector<float>;

inline constexpr IntegerRange kInt8 = {-128, 127};
inline constexpr IntegerRange kUint8 = {0, 255};

inline Tensor u8(Shape shape, const Bytes& elements) { return Tensor::from<std::uint8_t>(std::move(shape), elements); }
inline Tensor s8(Shape shape, const SignedBytes& elements) {
  return Tensor::from<std::int8_t>(std::move(shape), elements);
}
inline Tensor i32(Shape shape, const Integers& elements) {
  return Tensor::from<std::int32_t>(std::move(shape), elements);
}
inline Tensor f32(Shape shape, const Floats& elements) { return Tensor::from<float>(std::move(shape), elements); }
inline Tensor u8(int value) { return u8({}, {static_cast<std::uint8_t>(value)}); }
inline Tensor s8(int value) { return s8({}, {static_cast<std::int8_t>(value)}); }
inline Tensor f32(float value) { return f32({}, {value}); }

// Every number of the type, from the smallest on.
inline Tensor every_u8() { return counting<std::uint8_t>({256}); }
inline Tensor every_s8() { return counting<std::int8_t>({256}, -128); }

inline const Operator& quantized_operator(std::string_view name) {
  const Operator* op = find_operator("", name);
  if (op == nullptr) op = find_operator("com.microsoft", name);
  if (op == nullptr) throw Error(ErrorCode::kUsage, "no operator " + std::string(name));
  return *op;
}

inline std::vector<Tensor> apply_all(std::string_view name, const AttributeList& attributes,
                                     const std::vector<Tensor>& inputs, std::size_t outputs,
                                     const Arithmetic& arithmetic = {}) {
  static const Parallel parallel(2);
  return execute(quantized_operator(name), kNewestOpset, attributes_of(attributes), inputs, outputs,
                 {arithmetic, parallel});
}

inline Tensor apply(std::string_view name, const AttributeList& attributes, const std::vector<Tensor>& inputs,
                    const Arithmetic& arithmetic = {}) {
  return apply_all(name, attributes, inputs, 1, arithmetic)[0];
}

// The label of the constraint that fails; "" when none does.
inline std::string refused(std::string_view name, const AttributeList& attributes, const std::vector<Tensor>& inputs) {
  try {
    apply(name, attributes, inputs);
  } catch (const Error& error) {
    return error.constraint();
  }
  return "";
}

// The same inputs with one replaced, or taken away when it is empty.
inline std::vector<Tensor> with(std::vector<Tensor> inputs, std::size_t index, Tensor tensor) {
  inputs.at(index) = std::move(tensor);
  return inputs;
}

// What the shape rule says of the first output when nothing but types, shapes and symbols is known.
inline Fact inferred(std::string_view name, const AttributeList& attributes, std::vector<Fact> inputs) {
  const Attributes values = attributes_of(attributes);
  Inference inference(kNewestOpset, values, std::move(inputs), 1);
  quantized_operator(name).infer(inference);
  return inference.outputs()[0];
}

// "uint8[N,3]", "int8 of any rank".
inline std::string text(const Fact& fact) {
  return std::string(name(fact.dtype)) + (fact.shape ? to_string(*fact.shape) : " of any rank");
}

}  // namespace octet
