#include "python/src/python.h"

#include "octet/base/fail.h"
#include "octet/text/fit.h"

namespace octet::python {
namespace {

nb::object decoded(std::string_view text, const char* errors) {
  PyObject* const result = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), errors);
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

constexpr std::size_t kLongestShown = 60;

}  // namespace

nb::object to_text(std::string_view text) { return decoded(text, "backslashreplace"); }

nb::object to_name(std::string_view name) { return decoded(name, "surrogateescape"); }

std::string name_from(nb::handle value, std::string_view what) {
  if (PyUnicode_Check(value.ptr()) == 0) fail(ErrorCode::kUsage, "{} is {}; wanted a str", what, shown(value));
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape"));
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes.is_valid() || PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

std::string shown(nb::handle value) {
  const nb::object text = nb::steal(PyObject_Repr(value.ptr()));
  std::string words = "a value";
  if (text.is_valid())
    words = name_from(text, "repr");
  else
    PyErr_Clear();
  const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())));
  const std::string kind = name_from(type.attr("__name__"), "__name__");
  return value.is_none() ? "None" : fmt::format("{} ({})", shorten(words, kLongestShown), kind);
}

SharedObject share(nb::object object) {
  return {new nb::object(std::move(object)), [](const nb::object* shared) {
            const nb::gil_scoped_acquire gil;
            delete shared;
          }};
}

}  // namespace octet::python
