#include "python/src/arrays.h"

#include <nanobind/ndarray.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "octet/base/fail.h"

namespace octet::python {
namespace {

// The helpers in Python, for what is not simple.
nb::object helper(const char* name) { return nb::module_::import_("octet._arrays").attr(name); }

// The type that a format of the buffer protocol says; nothing where elements are not in the machine's order, or of
// another kind.
std::optional<DType> dtype_of_format(std::string_view format, std::size_t size) {
  if (!format.empty() && (format[0] == '<' || format[0] == '=' || format[0] == '@')) format.remove_prefix(1);
  if (format == "Zf") return DType::kComplex64;
  if (format == "Zd") return DType::kComplex128;
  if (format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case '?': return DType::kBool;
    case 'e': return DType::kFloat16;
    case 'f': return DType::kFloat;
    case 'd': return DType::kDouble;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q': return size == 1 ? DType::kInt8 : size == 2 ? DType::kInt16 : size == 4 ? DType::kInt32 : DType::kInt64;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return size == 1 ? DType::kUint8 : size == 2 ? DType::kUint16 : size == 4 ? DType::kUint32 : DType::kUint64;
    default: return std::nullopt;
  }
}

// A view of an array's memory, which Python keeps in place until the last copy is gone.
std::shared_ptr<Py_buffer> view_of(nb::handle array, int flags) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(array.ptr(), view.get(), flags) != 0) {
    PyErr_Clear();
    return nullptr;
  }
  return {view.release(), [](Py_buffer* held) {
            const nb::gil_scoped_acquire gil;
            PyBuffer_Release(held);
            delete held;
          }};
}

bool is_array(nb::handle value) {
  static PyObject* const type = nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
  const int found = PyObject_IsInstance(value.ptr(), type);
  if (found < 0) throw nb::python_error();
  return found != 0;
}

Shape shape_of(const Py_buffer& view) { return {view.shape, view.shape + view.ndim}; }

// Integers of 32 and 64 bits may be indices and sizes, and small arrays cost nothing: they are always copied, so that nobody
// can change them between the moment they are checked and the moment they are used. Bytes of a bool are 0 or 1 afterwards.
bool must_copy(DType dtype, std::size_t bytes) {
  constexpr std::size_t kSmall = 4096;
  return bytes <= kSmall || dtype == DType::kBool || (size_of(dtype) >= 4 && is_integer(dtype));
}

Tensor copied(DType dtype, Shape shape, std::span<const std::byte> bytes) {
  Tensor tensor = Tensor::uninitialized(dtype, std::move(shape));
  if (bytes.empty()) return tensor;
  std::memcpy(tensor.mutable_bytes().data(), bytes.data(), bytes.size());
  if (dtype == DType::kBool)
    for (std::byte& byte : tensor.mutable_bytes()) byte = std::byte{byte != std::byte{0}};
  return tensor;
}

Tensor tensor_of(std::shared_ptr<Py_buffer> view, DType dtype, Elements elements) {
  Shape shape = shape_of(*view);
  const std::span bytes(static_cast<const std::byte*>(view->buf), static_cast<std::size_t>(view->len));
  if (elements == Elements::kCopied || must_copy(dtype, bytes.size())) return copied(dtype, std::move(shape), bytes);
  return {dtype, std::move(shape), bytes, std::move(view)};
}

// An array of NumPy's own types, in order and in place; nothing for others.
std::optional<Tensor> plain_tensor(nb::handle value, Elements elements) {
  if (!is_array(value)) return std::nullopt;
  std::shared_ptr<Py_buffer> view = view_of(value, PyBUF_ND | PyBUF_FORMAT);
  if (!view || view->format == nullptr) return std::nullopt;
  const std::optional<DType> dtype = dtype_of_format(view->format, static_cast<std::size_t>(view->itemsize));
  if (!dtype) return std::nullopt;
  return tensor_of(std::move(view), *dtype, elements);
}

DType dtype_named(std::string_view text) {
  for (int k = 1; k < kDTypeCount; ++k)
    if (name(static_cast<DType>(k)) == text) return static_cast<DType>(k);
  return DType::kUndefined;
}

// Whatever octet._arrays makes of it: an array whose bytes are the elements, the type of these, or the strings of an array.
Tensor prepared_tensor(nb::handle value, Elements elements, std::string_view what) {
  const nb::object prepared = helper("prepare")(value, to_text(what));
  const nb::object array = prepared[0];
  const DType dtype = dtype_named(name_from(prepared[1], "the type"));
  if (dtype == DType::kString) {
    std::vector<std::string> strings;
    for (const nb::handle text : array) strings.push_back(name_from(text, what));
    Shape shape;
    for (const nb::handle size : nb::object(prepared[2])) shape.push_back(nb::cast<std::int64_t>(size));
    return Tensor::from_strings(std::move(shape), std::move(strings));
  }
  std::shared_ptr<Py_buffer> view = view_of(array, PyBUF_ND | PyBUF_FORMAT);
  if (!view || dtype == DType::kUndefined || size_of(dtype) != static_cast<std::size_t>(view->itemsize))
    fail(ErrorCode::kUsage, "{} is {}; wanted an array", what, shown(value));
  return tensor_of(std::move(view), dtype, elements);
}

// How NumPy is told of elements: of types that it lacks, as unsigned integers.
nb::dlpack::dtype dlpack_type(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  Code code = Code::UInt;
  if (is_signed_integer(dtype)) code = Code::Int;
  if (dtype == DType::kBool) code = Code::Bool;
  if (dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kFloat16) code = Code::Float;
  if (dtype == DType::kComplex64 || dtype == DType::kComplex128) code = Code::Complex;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(dtype)), 1};
}

bool is_of_numpy(DType dtype) { return dtype != DType::kBFloat16 && !is_minifloat(dtype) && bits(dtype) >= 8; }

nb::object shape_object(const Shape& shape) {
  nb::list sizes;
  for (const std::int64_t size : shape) sizes.append(size);
  return nb::tuple(sizes);
}

nb::object string_array(const Tensor& tensor) {
  nb::list texts;
  for (const std::string& text : tensor.strings()) texts.append(to_name(text));
  return helper("string_array")(texts, shape_object(tensor.shape()));
}

nb::object number_array(Tensor tensor) {
  const DType dtype = tensor.dtype();
  if (tensor.size() == 0) return helper("empty_array")(shape_object(tensor.shape()), std::string(name(dtype)).c_str());
  const std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  auto kept = std::make_unique<Tensor>(std::move(tensor));
  void* const data = kept->mutable_bytes().data();  // a copy where others have the elements, too
  const nb::capsule owner(kept.release(), [](void* freed) noexcept { delete static_cast<Tensor*>(freed); });
  nb::ndarray<nb::numpy> array(data, shape.size(), shape.data(), owner, nullptr, dlpack_type(dtype));
  return nb::cast(array, nb::rv_policy::reference);
}

}  // namespace

Tensor tensor_from(nb::handle value, Elements elements, std::string_view what) {
  if (std::optional<Tensor> tensor = plain_tensor(value, elements)) return *std::move(tensor);
  return prepared_tensor(value, elements, what);
}

nb::object to_array(Tensor tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kUndefined) return nb::none();
  if (dtype == DType::kString) return string_array(tensor);
  nb::object array = number_array(std::move(tensor));
  return is_of_numpy(dtype) ? array : helper("typed")(array, std::string(name(dtype)).c_str());
}

nb::dict to_arrays(const NamedTensors& tensors) {
  nb::dict arrays;
  for (const auto& [name, tensor] : tensors) arrays[to_name(name)] = to_array(tensor);
  return arrays;
}

NamedTensors tensors_from(nb::handle value, Elements elements, std::string_view what) {
  NamedTensors tensors;
  if (PyDict_Check(value.ptr()) == 0) {
    tensors[""] = tensor_from(value, elements, what);
    return tensors;
  }
  // A copy: what an array is asked for may run code that changes the dict.
  for (const auto& [key, array] : nb::steal<nb::dict>(PyDict_Copy(value.ptr()))) {
    const std::string name = name_from(key, fmt::format("a key of {}", what));
    tensors[name] = tensor_from(array, elements, name);
  }
  return tensors;
}

WritableArray::WritableArray(nb::handle value, std::string_view what) {
  if (!is_array(value)) fail(ErrorCode::kUsage, "{} is {}; wanted a NumPy array to write to", what, shown(value));
  std::shared_ptr<Py_buffer> view = view_of(value, PyBUF_ND | PyBUF_FORMAT | PyBUF_WRITABLE);
  const std::optional<DType> dtype =
      view && view->format ? dtype_of_format(view->format, static_cast<std::size_t>(view->itemsize)) : std::nullopt;
  if (!dtype || reinterpret_cast<std::uintptr_t>(view->buf) % size_of(*dtype) != 0)
    fail(ErrorCode::kUsage,
         "{} can't be written in place; wanted a writable, C-contiguous, aligned array of native numbers", what);
  buffer_ = {*dtype, shape_of(*view), {static_cast<std::byte*>(view->buf), static_cast<std::size_t>(view->len)}};
  view_ = std::move(view);
}

}  // namespace octet::python
