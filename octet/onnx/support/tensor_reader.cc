#include "octet/onnx/support/tensor_reader.h"

#include <algorithm>
#include <memory>

#include "octet/base/fail.h"
#include "octet/base/visit.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/external_data.h"
#include "octet/onnx/support/packing.h"
#include "octet/onnx/support/skeleton.h"

namespace octet {
namespace {

using format::TensorProto;

DType element_type(const TensorProto& message) {
  const int number = message.data_type();
  if (number <= 0 || number >= kDTypeCount)
    fail(ErrorCode::kUnsupported, "element type {} is not one that Octet knows", number);
  return static_cast<DType>(number);
}

// Fails unless a field that holds the elements has as many bytes or values as the type and the shape need.
void require_size(std::string_view field, std::int64_t found, std::string_view unit, std::int64_t wanted, DType dtype,
                  const Shape& shape) {
  if (found != wanted)
    fail(ErrorCode::kFormat, "{} has {} {}, {} of shape {} needs {}", field, found, unit, name(dtype), to_string(shape),
         wanted);
}

// Bytes as a file stores them, kept alive by an owner, become a tensor; they are copied only where the two differ.
Tensor from_bytes(DType dtype, Shape shape, const FileBytes& stored) {
  if (bits(dtype) < 8) {
    Tensor tensor = Tensor::uninitialized(dtype, std::move(shape));
    unpack(stored.bytes, dtype, tensor.mutable_bytes());
    return tensor;
  }
  Tensor tensor(dtype, std::move(shape), stored.bytes, stored.memory);
  // Any byte but 0 means true; a C++ bool holds nothing but 0 and 1.
  const auto is_bool = [](std::byte byte) { return byte <= std::byte{1}; };
  if (dtype == DType::kBool && !std::ranges::all_of(stored.bytes, is_bool))
    for (std::byte& byte : tensor.mutable_bytes()) byte = std::min(byte, std::byte{1});
  return tensor;
}

Tensor from_raw(TensorProto& message, DType dtype, Shape shape, std::int64_t count, const Skeleton* skeleton) {
  FileBytes stored;
  if (skeleton) {
    stored = skeleton->resolve(message.raw_data());
  } else {
    const std::shared_ptr<const std::string> raw(message.release_raw_data());
    stored = {std::as_bytes(std::span(*raw)), raw};
  }
  require_size("raw_data", static_cast<std::int64_t>(stored.bytes.size()), "bytes", packed_size(dtype, count), dtype,
               shape);
  return from_bytes(dtype, std::move(shape), stored);
}

Tensor from_external(TensorProto& message, DType dtype, Shape shape, std::int64_t count, ExternalData& external) {
  ExternalEntry entry;
  for (format::StringStringEntryProto& field : *message.mutable_external_data()) {
    if (field.key() == "location") entry.location = std::move(*field.mutable_value());
    if (field.key() == "offset") entry.offset = std::move(*field.mutable_value());
    if (field.key() == "length") entry.length = std::move(*field.mutable_value());
  }
  message.clear_external_data();
  message.clear_data_location();
  return from_bytes(dtype, std::move(shape), external.read(entry, packed_size(dtype, count)));
}

Tensor from_strings(TensorProto& message, Shape shape, std::int64_t count) {
  require_size("string_data", message.string_data_size(), "values", count, DType::kString, shape);
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::string& value : *message.mutable_string_data()) values.push_back(std::move(value));
  message.clear_string_data();
  return Tensor::from_strings(std::move(shape), std::move(values));
}

// Numbers in a field that is at least as wide as the element: the low bits count, as for every other reader.
template <typename Stored, typename Field>
Tensor narrowed(const Field& field, std::string_view field_name, DType dtype, Shape shape, std::int64_t count) {
  require_size(field_name, field.size(), "values", count, dtype, shape);
  Tensor tensor = Tensor::uninitialized(dtype, std::move(shape));
  std::ranges::transform(field, reinterpret_cast<Stored*>(tensor.mutable_bytes().data()),
                         [](auto value) { return static_cast<Stored>(value); });
  return tensor;
}

Tensor from_int32s(const TensorProto& message, DType dtype, Shape shape, std::int64_t count) {
  const auto& field = message.int32_data();
  if (bits(dtype) < 8) {  // packed bytes, one to a number
    require_size("int32_data", field.size(), "values", packed_size(dtype, count), dtype, shape);
    std::vector<std::byte> packed(static_cast<std::size_t>(field.size()));
    std::ranges::transform(field, packed.begin(), [](int value) { return static_cast<std::byte>(value); });
    return from_bytes(dtype, std::move(shape), {packed, nullptr});
  }
  if (dtype == DType::kBool) {
    require_size("int32_data", field.size(), "values", count, dtype, shape);
    Tensor tensor = Tensor::uninitialized(dtype, std::move(shape));
    std::ranges::transform(field, tensor.mutable_as<bool>().begin(), [](int value) { return value != 0; });
    return tensor;
  }
  switch (size_of(dtype)) {
    case 1: return narrowed<std::uint8_t>(field, "int32_data", dtype, std::move(shape), count);
    case 2: return narrowed<std::uint16_t>(field, "int32_data", dtype, std::move(shape), count);
    default: return narrowed<std::uint32_t>(field, "int32_data", dtype, std::move(shape), count);
  }
}

Tensor from_typed_field(TensorProto& message, DType dtype, Shape shape, std::int64_t count) {
  using enum DType;
  switch (dtype) {
    case kString: return from_strings(message, std::move(shape), count);
    case kFloat: return narrowed<float>(message.float_data(), "float_data", dtype, std::move(shape), count);
    case kDouble: return narrowed<double>(message.double_data(), "double_data", dtype, std::move(shape), count);
    case kInt64: return narrowed<std::int64_t>(message.int64_data(), "int64_data", dtype, std::move(shape), count);
    case kUint64: return narrowed<std::uint64_t>(message.uint64_data(), "uint64_data", dtype, std::move(shape), count);
    case kUint32: return narrowed<std::uint32_t>(message.uint64_data(), "uint64_data", dtype, std::move(shape), count);
    case kComplex64: return narrowed<float>(message.float_data(), "float_data", dtype, std::move(shape), 2 * count);
    case kComplex128: return narrowed<double>(message.double_data(), "double_data", dtype, std::move(shape), 2 * count);
    default: return from_int32s(message, dtype, std::move(shape), count);
  }
}

bool has_typed_data(const TensorProto& message) {
  return message.float_data_size() + message.int32_data_size() + message.string_data_size() +
             message.int64_data_size() + message.double_data_size() + message.uint64_data_size() >
         0;
}

void clear_elements(TensorProto& message) {
  message.clear_dims();
  message.clear_data_type();
  message.clear_float_data();
  message.clear_int32_data();
  message.clear_string_data();
  message.clear_int64_data();
  message.clear_raw_data();
  message.clear_double_data();
  message.clear_uint64_data();
  message.clear_external_data();
  message.clear_data_location();
}

Tensor read_elements(TensorProto& message, ExternalData& external, const Skeleton* skeleton) {
  const DType dtype = element_type(message);
  Shape shape(message.dims().begin(), message.dims().end());
  if (std::ranges::any_of(shape, [](std::int64_t dim) { return dim < 0; }))
    fail(ErrorCode::kFormat, "shape {} has a negative dimension", to_string(shape));
  const std::int64_t count = element_count(shape);
  if (dtype != DType::kString) packed_size(dtype, count);  // throws where a count of bytes would overflow
  if (message.has_segment()) fail(ErrorCode::kUnsupported, "the elements are stored in segments");

  const bool is_external = message.data_location() == TensorProto::EXTERNAL;
  const bool is_raw = !message.raw_data().empty();
  const bool is_typed = has_typed_data(message);
  if (is_external + is_raw + is_typed > 1)
    fail(ErrorCode::kFormat, "the elements are stored more than once; raw, typed and external data exclude each other");
  if (dtype == DType::kString && (is_external || is_raw))
    fail(ErrorCode::kFormat, "strings are stored as raw bytes, wanted string_data");
  if (is_external) return from_external(message, dtype, std::move(shape), count, external);
  if (is_raw) return from_raw(message, dtype, std::move(shape), count, skeleton);
  if (!is_typed && count > 0)
    fail(ErrorCode::kFormat, "{} of shape {} has no elements stored", name(dtype), to_string(shape));
  return from_typed_field(message, dtype, std::move(shape), count);
}

}  // namespace

Tensor read_tensor(format::TensorProto& message, ExternalData& external, const Skeleton* skeleton) {
  Tensor tensor = read_elements(message, external, skeleton);
  clear_elements(message);
  return tensor;
}

}  // namespace octet
