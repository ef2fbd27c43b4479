#include "octet/onnx/support/tensor_writer.h"

#include "octet/base/fail.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/external_writer.h"
#include "octet/onnx/support/packing.h"

namespace octet {
namespace {

std::string packed_bytes(const Tensor& tensor) {
  std::string packed(static_cast<std::size_t>(stored_size(tensor)), '\0');
  pack(tensor.bytes(), tensor.dtype(), std::as_writable_bytes(std::span(packed)));
  return packed;
}

void add_external(format::TensorProto& message, std::string key, std::string value) {
  format::StringStringEntryProto& entry = *message.add_external_data();
  entry.set_key(std::move(key));
  entry.set_value(std::move(value));
}

void write_external(std::span<const std::byte> bytes, format::TensorProto& message, ExternalWriter& external) {
  const std::int64_t offset = external.append(bytes);
  message.set_data_location(format::TensorProto::EXTERNAL);
  add_external(message, "location", external.location());
  add_external(message, "offset", std::to_string(offset));
  add_external(message, "length", std::to_string(bytes.size()));
}

}  // namespace

std::int64_t stored_size(const Tensor& tensor) {
  return bits(tensor.dtype()) == 0 ? 0 : packed_size(tensor.dtype(), tensor.size());
}

void write_tensor(const Tensor& tensor, format::TensorProto& message, ExternalWriter* external) {
  if (tensor.empty()) fail(ErrorCode::kModel, "a tensor without type can't be written");
  message.set_data_type(static_cast<int>(tensor.dtype()));
  message.mutable_dims()->Add(tensor.shape().begin(), tensor.shape().end());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& value : tensor.strings()) message.add_string_data(value);
    return;
  }
  std::string packed;
  if (bits(tensor.dtype()) < 8) packed = packed_bytes(tensor);
  const std::span<const std::byte> bytes = bits(tensor.dtype()) < 8 ? std::as_bytes(std::span(packed)) : tensor.bytes();
  if (external && stored_size(tensor) >= external->threshold())
    write_external(bytes, message, *external);
  else
    message.set_raw_data(bytes.data(), bytes.size());
}

}  // namespace octet
