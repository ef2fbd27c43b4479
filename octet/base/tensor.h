// tensor.h: a typed, shaped array as a value.
//
// Copies share the elements; the first write through mutable_as() to shared elements makes a private copy. A tensor may
// also borrow bytes that another owner keeps alive (a model file's weights), so loading a model copies them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "octet/base/dtype.h"
#include "octet/base/minifloat.h"
#include "octet/base/shape.h"

namespace octet {

class Tensor {
 public:
  // An absent tensor: kUndefined, no elements.
  Tensor() = default;
  // Elements are zero. Strings are empty.
  Tensor(DType dtype, Shape shape);
  // Takes `bytes` that `owner` keeps alive: size_of(dtype) * element_count(shape) of them, aligned for the type.
  // Throws kFormat when the size does not fit; copies when the alignment does not.
  Tensor(DType dtype, Shape shape, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  template <typename T>
  static Tensor from(Shape shape, std::span<const T> values, DType dtype = dtype_of<T>());
  template <typename T>
  static Tensor from(Shape shape, std::initializer_list<T> values, DType dtype = dtype_of<T>()) {
    return from(std::move(shape), std::span<const T>(values.begin(), values.size()), dtype);
  }
  template <typename T>
  static Tensor scalar(T value, DType dtype = dtype_of<T>()) {
    return from<T>({}, {value}, dtype);
  }
  static Tensor from_strings(Shape shape, std::vector<std::string> values);
  // Like Tensor(dtype, shape) with elements left uninitialized: for kernels that write every element.
  static Tensor uninitialized(DType dtype, Shape shape);

  bool empty() const { return dtype_ == DType::kUndefined; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape_.size()); }
  std::int64_t size() const { return size_; }
  std::size_t byte_size() const { return static_cast<std::size_t>(size_) * size_of(dtype_); }

  // The elements, in row-major order. T must be the storage type of dtype() (see stored_as).
  template <typename T>
  std::span<const T> as() const {
    require_storage(stored_as<T>(dtype_));
    return {reinterpret_cast<const T*>(data_), static_cast<std::size_t>(size_)};
  }
  template <typename T>
  std::span<T> mutable_as() {
    require_storage(stored_as<T>(dtype_));
    return {reinterpret_cast<T*>(mutable_data()), static_cast<std::size_t>(size_)};
  }
  std::span<const std::byte> bytes() const { return {data_, byte_size()}; }
  std::span<std::byte> mutable_bytes() { return {mutable_data(), byte_size()}; }
  const std::vector<std::string>& strings() const;
  std::vector<std::string>& mutable_strings();

  // The same elements under another shape of the same size; nothing is copied.
  Tensor reshaped(Shape shape) const;
  // Columns become rows, of a matrix.
  Tensor transposed() const;
  // The same elements read as another type of the same storage (int4 as int8, ...); nothing is copied.
  Tensor retyped(DType dtype) const;

  // Element `index` as an integer or a floating-point number, whatever the type (halves are widened, bool is 0 or 1).
  // Minifloats are numbers, and no integers.
  std::int64_t int_at(std::int64_t index) const;
  double number_at(std::int64_t index) const;
  // All elements as int64: shapes, axes, repeats.
  std::vector<std::int64_t> to_ints() const;

  // Same type, shape and bytes. NaNs with equal bits are equal; 0.0 and -0.0 are not.
  bool identical(const Tensor& other) const;
  bool operator==(const Tensor& other) const { return identical(other); }

 private:
  void require_storage(bool ok) const;
  std::byte* mutable_data();

  DType dtype_ = DType::kUndefined;
  Shape shape_;
  std::int64_t size_ = 0;
  const std::byte* data_ = nullptr;    // null for strings and tensors without elements
  std::shared_ptr<const void> owner_;  // keeps data_ alive; the vector itself for strings
  bool writable_ = false;              // owner_ is our own allocation, writable while unshared
};

template <typename T>
Tensor Tensor::from(Shape shape, std::span<const T> values, DType dtype) {
  Tensor tensor = uninitialized(dtype, std::move(shape));
  tensor.require_storage(stored_as<T>(dtype) && static_cast<std::int64_t>(values.size()) == tensor.size_);
  std::span<T> out = tensor.mutable_as<T>();
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return tensor;
}

// Converts element by element. Floating point to integer truncates toward zero; as on x86 it goes through int64 for
// uint32 and 64 bits and through int32 for the others, whose minimum stands for what they don't hold, and then wraps.
// Anything to bool is != 0; halves round to nearest, ties to even; minifloats as minifloat.h says. Throws kUnsupported for
// strings and complex types.
Tensor convert(const Tensor& tensor, DType dtype, const MinifloatRounding& rounding = {});

}  // namespace octet
