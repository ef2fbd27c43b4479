// arrays.h: NumPy's arrays as tensors and back.
#pragma once

#include "octet/base/tensor.h"
#include "octet/engine/engine.h"
#include "python/src/python.h"

namespace octet::python {

enum class Elements {
  kBorrowed,  // the array's own memory where its layout is a tensor's; whoever computes with it must not trust it to stay
  kCopied,
};

// What NumPy makes of a value: arrays, scalars, nested lists, whatever has DLPack. `what` is the value in messages. Throws
// kUsage for what is no array of a type that tensors have.
Tensor tensor_from(nb::handle value, Elements elements, std::string_view what);

// A NumPy array that owns the elements; of types that NumPy lacks, one of ml_dtypes.
nb::object to_array(Tensor tensor);

// A dict of arrays by name. An array without a name, the only one, has "".
nb::dict to_arrays(const NamedTensors& tensors);
NamedTensors tensors_from(nb::handle value, Elements elements, std::string_view what);

// The memory of an array that is to be written: while it lives, the array is there and is not resized.
class WritableArray {
 public:
  // Throws kUsage for what is no array that can be written in place.
  WritableArray(nb::handle value, std::string_view what);
  const Buffer& buffer() const { return buffer_; }

 private:
  std::shared_ptr<void> view_;
  Buffer buffer_;
};

}  // namespace octet::python
