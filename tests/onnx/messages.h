// messages.h: models as the format's messages, for tests that need bytes of their own making.
#pragma once

#include <span>
#include <string>

#include "octet/onnx/model_file.h"
#include "octet/onnx/onnx.pb.h"

namespace octet {

// x -> Neg -> y, of float32[2].
format::ModelProto small_message();

// The same with one initializer, "w".
format::ModelProto message_with(format::TensorProto tensor);

// A tensor message without elements.
format::TensorProto tensor_message(DType dtype, const Shape& shape);

Model parse(const format::ModelProto& message, const LoadOptions& options = {});
Model parse(const std::string& bytes, const LoadOptions& options = {});

// The elements of `tensor` after its way through a model.
Tensor parse_tensor(const format::TensorProto& tensor);

}  // namespace octet
