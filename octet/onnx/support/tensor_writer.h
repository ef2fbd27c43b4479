// tensor_writer.h: tensors into the format's messages.
#pragma once

#include "octet/base/tensor.h"

namespace octet {

namespace format {
class TensorProto;
}
class ExternalWriter;

// The bytes the elements take in a file; 0 for strings and an absent tensor.
std::int64_t stored_size(const Tensor& tensor);

// Sets type, dimensions and elements: strings as strings, everything else as bytes (types narrower than a byte packed),
// in the message or, from its threshold on, in `external`, which may be null. Throws kModel for an absent tensor.
void write_tensor(const Tensor& tensor, format::TensorProto& message, ExternalWriter* external);

}  // namespace octet
