#include "octet/onnx/support/value_type.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/onnx/onnx.pb.h"
#include "octet/onnx/support/leftover.h"

namespace octet {
namespace {

using Dimension = format::TensorShapeProto::Dimension;

Dim take_dim(Dimension& message) {
  Dim dim;
  if (message.has_dim_value()) {
    if (message.dim_value() < -1) fail(ErrorCode::kFormat, "dimension {} is negative", message.dim_value());
    if (message.dim_value() >= 0) dim = Dim(message.dim_value());
  } else if (!message.dim_param().empty()) {
    dim = Dim::symbol(std::move(*message.mutable_dim_param()));
  }
  message.clear_value();
  return dim;
}

void take_shape(format::TensorShapeProto& message, ValueType& type) {
  SymbolicShape& shape = type.shape.emplace();
  shape.reserve(static_cast<std::size_t>(message.dim_size()));
  const bool denoted = std::ranges::any_of(message.dim(), [](const Dimension& dim) { return dim.has_denotation(); });
  for (Dimension& dim : *message.mutable_dim()) {
    shape.push_back(take_dim(dim));
    if (denoted) type.dim_denotations.push_back(dim.denotation());
    dim.clear_denotation();
  }
}

// Whether a taken tensor type still holds anything.
bool has_leftover(const format::TypeProto::Tensor& message) {
  return !message.unknown_fields().empty() || !message.shape().unknown_fields().empty() ||
         std::ranges::any_of(message.shape().dim(), [](const Dimension& dim) { return !dim.unknown_fields().empty(); });
}

}  // namespace

ValueType read_type(format::TypeProto& message) {
  ValueType type;
  type.denotation = message.denotation();
  message.clear_denotation();
  const int number = message.tensor_type().elem_type();
  if (number <= 0 || number >= kDTypeCount) {
    type.other = leftover(message);
    return type;
  }
  format::TypeProto::Tensor& tensor = *message.mutable_tensor_type();
  type.dtype = static_cast<DType>(number);
  tensor.clear_elem_type();
  if (tensor.has_shape()) take_shape(*tensor.mutable_shape(), type);
  if (!has_leftover(tensor)) message.clear_tensor_type();
  type.unknown_fields = leftover(message);
  return type;
}

void write_type(const ValueType& type, format::TypeProto& message) {
  restore(type.is_tensor() ? type.unknown_fields : type.other, message);
  if (!type.denotation.empty()) message.set_denotation(type.denotation);
  if (!type.is_tensor()) return;
  format::TypeProto::Tensor& tensor = *message.mutable_tensor_type();
  tensor.set_elem_type(static_cast<int>(type.dtype));
  if (!type.shape) {
    tensor.clear_shape();
    return;
  }
  auto& dims = *tensor.mutable_shape()->mutable_dim();
  const int rank = static_cast<int>(type.shape->size());
  if (dims.size() > rank) dims.DeleteSubrange(rank, dims.size() - rank);
  for (int i = 0; i < rank; ++i) {
    const auto index = static_cast<std::size_t>(i);
    Dimension& dim = i < dims.size() ? dims[i] : *dims.Add();
    if (const Dim& known = (*type.shape)[index]; known.known())
      dim.set_dim_value(known.value());
    else if (known.is_symbol())
      dim.set_dim_param(known.symbol());
    if (index < type.dim_denotations.size() && !type.dim_denotations[index].empty())
      dim.set_denotation(type.dim_denotations[index]);
  }
}

}  // namespace octet
