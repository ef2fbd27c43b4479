#include "octet/onnx/support/attribute.h"

#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/leftover.h"
#include "octet/onnx/support/take.h"
#include "octet/onnx/support/tensor_reader.h"
#include "octet/onnx/support/tensor_writer.h"

namespace octet {
namespace {

using format::AttributeProto;

template <typename T, typename Field>
std::vector<T> take_numbers(Field* field) {
  std::vector<T> values(field->begin(), field->end());
  field->Clear();
  return values;
}

Tensor take_tensor(AttributeProto& message, ExternalData& external) {
  Tensor tensor = read_tensor(*message.mutable_t(), external);
  if (message.t().ByteSizeLong() == 0) message.clear_t();
  return tensor;
}

std::vector<Tensor> take_tensors(AttributeProto& message, ExternalData& external) {
  std::vector<Tensor> tensors;
  tensors.reserve(static_cast<std::size_t>(message.tensors_size()));
  bool spent = true;
  for (format::TensorProto& member : *message.mutable_tensors()) {
    tensors.push_back(read_tensor(member, external));
    spent = spent && member.ByteSizeLong() == 0;
  }
  if (spent) message.clear_tensors();
  return tensors;
}

std::optional<AttributeValue> take_value(AttributeProto& message, ExternalData& external) {
  AttributeValue value;
  switch (attribute_type(message)) {
    case AttributeProto::FLOAT:
      value = message.f();
      message.clear_f();
      return value;
    case AttributeProto::INT:
      value = message.i();
      message.clear_i();
      return value;
    case AttributeProto::STRING:
      value = std::move(*message.mutable_s());
      message.clear_s();
      return value;
    case AttributeProto::TENSOR: return take_tensor(message, external);
    case AttributeProto::FLOATS: return take_numbers<float>(message.mutable_floats());
    case AttributeProto::INTS: return take_numbers<std::int64_t>(message.mutable_ints());
    case AttributeProto::STRINGS: return take_strings(message.mutable_strings());
    case AttributeProto::TENSORS: return take_tensors(message, external);
    default: return std::nullopt;
  }
}

void write(std::int64_t value, AttributeProto& message) {
  message.set_type(AttributeProto::INT);
  message.set_i(value);
}

void write(float value, AttributeProto& message) {
  message.set_type(AttributeProto::FLOAT);
  message.set_f(value);
}

void write(const std::string& value, AttributeProto& message) {
  message.set_type(AttributeProto::STRING);
  message.set_s(value);
}

void write(const Tensor& value, AttributeProto& message) {
  message.set_type(AttributeProto::TENSOR);
  write_tensor(value, *message.mutable_t(), nullptr);
}

void write(const std::vector<std::int64_t>& values, AttributeProto& message) {
  message.set_type(AttributeProto::INTS);
  message.mutable_ints()->Add(values.begin(), values.end());
}

void write(const std::vector<float>& values, AttributeProto& message) {
  message.set_type(AttributeProto::FLOATS);
  message.mutable_floats()->Add(values.begin(), values.end());
}

void write(const std::vector<std::string>& values, AttributeProto& message) {
  message.set_type(AttributeProto::STRINGS);
  for (const std::string& value : values) message.add_strings(value);
}

void write(const std::vector<Tensor>& values, AttributeProto& message) {
  message.set_type(AttributeProto::TENSORS);
  auto& tensors = *message.mutable_tensors();
  const int count = static_cast<int>(values.size());
  if (tensors.size() > count) tensors.DeleteSubrange(count, tensors.size() - count);
  for (int i = 0; i < count; ++i)
    write_tensor(values[static_cast<std::size_t>(i)], i < tensors.size() ? tensors[i] : *tensors.Add(), nullptr);
}

}  // namespace

int attribute_type(const AttributeProto& message) {
  if (message.type() != AttributeProto::UNDEFINED) return message.type();
  if (message.has_f()) return AttributeProto::FLOAT;
  if (message.has_i()) return AttributeProto::INT;
  if (message.has_s()) return AttributeProto::STRING;
  if (message.has_t()) return AttributeProto::TENSOR;
  if (message.has_g()) return AttributeProto::GRAPH;
  if (message.floats_size() > 0) return AttributeProto::FLOATS;
  if (message.ints_size() > 0) return AttributeProto::INTS;
  if (message.strings_size() > 0) return AttributeProto::STRINGS;
  if (message.tensors_size() > 0) return AttributeProto::TENSORS;
  if (message.graphs_size() > 0) return AttributeProto::GRAPHS;
  return AttributeProto::UNDEFINED;
}

std::optional<Attribute> read_attribute(AttributeProto& message, ExternalData& external) {
  std::optional<AttributeValue> value = take_value(message, external);
  if (!value) return std::nullopt;
  message.clear_type();
  std::string name = take_name(message);
  Attribute attribute;
  attribute.value = *std::move(value);
  attribute.doc = take_doc(message);
  attribute.unknown_fields = leftover(message);
  message.set_name(std::move(name));
  return attribute;
}

void write_attribute(const std::string& name, const Attribute& attribute, AttributeProto& message) {
  restore(attribute.unknown_fields, message);
  message.set_name(name);
  // What is left of tensors belongs to tensors only: the value may have been replaced since.
  if (!std::holds_alternative<Tensor>(attribute.value)) message.clear_t();
  if (!std::holds_alternative<std::vector<Tensor>>(attribute.value)) message.clear_tensors();
  std::visit([&](const auto& value) { write(value, message); }, attribute.value);
  if (!attribute.doc.empty()) message.set_doc_string(attribute.doc);
}

}  // namespace octet
