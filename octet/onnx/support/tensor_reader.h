// tensor_reader.h: tensors out of the format's messages.
#pragma once

#include "octet/base/tensor.h"

namespace octet {

namespace format {
class TensorProto;
}
class ExternalData;
struct Skeleton;

// The elements of `message`, from raw bytes (which are moved, not copied), typed fields or `external`. With a
// `skeleton`, raw_data is a reference into it. Type, dimensions and elements are cleared from the message, name and
// documentation stay. The number of bytes is checked before anything is allocated: throws kFormat when it does not fit
// the type and the dimensions, kLimit for dimensions whose product overflows, kUnsupported for segments and types that
// Octet does not know.
Tensor read_tensor(format::TensorProto& message, ExternalData& external, const Skeleton* skeleton = nullptr);

}  // namespace octet
