#include "python/src/options.h"

#include <cmath>

#include "octet/base/fail.h"
#include "octet/text/byte_size.h"

namespace octet::python {

void Options::refuse(const char* option, nb::handle value, std::string_view wanted) const {
  fail(ErrorCode::kUsage, "{}: {} is {}; wanted {}", command_, option, shown(value), wanted);
}

nb::object Options::object(const char* option) const {
  PyObject* const value = PyDict_GetItemString(values_.ptr(), option);
  return value == nullptr ? nb::none() : nb::borrow(value);
}

std::string Options::text(const char* option) const {
  const nb::object value = object(option);
  if (value.is_none()) return "";
  if (PyUnicode_Check(value.ptr()) == 0) refuse(option, value, "a str");
  const std::string text = name_from(value, option);
  if (text.empty()) fail(ErrorCode::kUsage, "{}: {} is empty; leave it out, or give it a value", command_, option);
  return text;
}

std::string Options::to_path(const char* option, nb::handle value) const {
  const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
  if (!path.is_valid()) {
    PyErr_Clear();
    refuse(option, value, "a path");
  }
  const nb::object bytes =
      nb::steal(PyUnicode_Check(path.ptr()) != 0 ? PyUnicode_EncodeFSDefault(path.ptr()) : PyObject_Bytes(path.ptr()));
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes.is_valid() || PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  if (size == 0) fail(ErrorCode::kUsage, "{}: {} is empty; leave it out, or name a file", command_, option);
  std::string text(data, static_cast<std::size_t>(size));
  if (text.find('\0') != std::string::npos) refuse(option, value, "a path without null characters");
  return text;
}

std::string Options::path(const char* option) const {
  const nb::object value = object(option);
  return value.is_none() ? "" : to_path(option, value);
}

bool Options::flag(const char* option) const {
  const nb::object value = object(option);
  const int is_flag = PyBool_Check(value.ptr()) != 0 ? 1 : 0;
  const bool of_numpy =
      is_flag == 0 && name_from(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr()))).attr("__name__"), option)
                          .starts_with("bool");
  if (is_flag == 0 && !of_numpy) refuse(option, value, "True or False");
  return PyObject_IsTrue(value.ptr()) == 1;
}

std::int64_t Options::to_integer(const char* option, nb::handle value, std::int64_t low, std::int64_t high) const {
  const std::string wanted = fmt::format("a whole number from {} to {}", low, high);
  if (PyBool_Check(value.ptr()) != 0) refuse(option, value, wanted);
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse(option, value, wanted);
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || number < low || number > high) refuse(option, value, wanted);
  return number;
}

std::int64_t Options::integer(const char* option, std::int64_t low, std::int64_t high) const {
  return to_integer(option, object(option), low, high);
}

std::optional<std::int64_t> Options::optional_integer(const char* option, std::int64_t low, std::int64_t high) const {
  if (!given(option)) return std::nullopt;
  return integer(option, low, high);
}

double Options::to_number(const char* option, nb::handle value) const {
  const bool is_text = PyUnicode_Check(value.ptr()) != 0 || PyBool_Check(value.ptr()) != 0;
  const double number = is_text ? 0 : PyFloat_AsDouble(value.ptr());
  const bool failed = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (is_text || failed || std::isnan(number)) refuse(option, value, "a number");
  return number;
}

double Options::number(const char* option) const { return to_number(option, object(option)); }

std::optional<double> Options::optional_number(const char* option) const {
  if (!given(option)) return std::nullopt;
  return number(option);
}

nb::list Options::to_list(const char* option, const char* wanted) const {
  const nb::object value = object(option);
  nb::list list;
  if (value.is_none()) return list;
  const bool is_one = PyUnicode_Check(value.ptr()) != 0 || PyNumber_Check(value.ptr()) != 0 ||
                      PyObject_HasAttrString(value.ptr(), "__fspath__") != 0;
  if (is_one) {
    list.append(value);
    return list;
  }
  if (PyDict_Check(value.ptr()) != 0 || PyBytes_Check(value.ptr()) != 0) refuse(option, value, wanted);
  nb::object items = nb::steal(PySequence_List(value.ptr()));
  if (items.is_valid()) return nb::borrow<nb::list>(items);
  PyErr_Clear();
  refuse(option, value, wanted);
}

std::vector<std::string> Options::texts(const char* option) const {
  std::vector<std::string> texts;
  for (const nb::handle item : to_list(option, "a list of str")) {
    if (PyUnicode_Check(item.ptr()) == 0) refuse(option, object(option), "a list of str");
    texts.push_back(name_from(item, option));
  }
  return texts;
}

std::vector<std::string> Options::paths(const char* option) const {
  std::vector<std::string> paths;
  for (const nb::handle item : to_list(option, "a list of paths")) paths.push_back(to_path(option, item));
  return paths;
}

std::vector<double> Options::numbers(const char* option) const {
  std::vector<double> numbers;
  for (const nb::handle item : to_list(option, "a list of numbers")) numbers.push_back(to_number(option, item));
  return numbers;
}

std::vector<std::int64_t> Options::integers(const char* option, std::int64_t low, std::int64_t high) const {
  std::vector<std::int64_t> integers;
  for (const nb::handle item : to_list(option, "a list of whole numbers"))
    integers.push_back(to_integer(option, item, low, high));
  return integers;
}

std::map<std::string, std::int64_t> Options::sizes(const char* option) const {
  const nb::object value = object(option);
  std::map<std::string, std::int64_t> sizes;
  if (value.is_none()) return sizes;
  if (PyDict_Check(value.ptr()) == 0) refuse(option, value, "a dict such as {\"N\": 1}");
  for (const auto& [name, size] : nb::borrow<nb::dict>(value))
    sizes[name_from(name, option)] = to_integer(option, size, 0, INT64_MAX);
  return sizes;
}

std::map<std::string, std::string> Options::names(const char* option) const {
  const nb::object value = object(option);
  std::map<std::string, std::string> names;
  if (value.is_none()) return names;
  if (PyDict_Check(value.ptr()) == 0) refuse(option, value, "a dict of names");
  for (const auto& [from, to] : nb::borrow<nb::dict>(value)) names[name_from(from, option)] = name_from(to, option);
  return names;
}

std::optional<std::int64_t> Options::bytes(const char* option) const {
  const nb::object value = object(option);
  if (value.is_none()) return std::nullopt;
  if (PyUnicode_Check(value.ptr()) == 0) return to_integer(option, value, 1, INT64_MAX);
  const std::optional<std::uint64_t> size = byte_size(name_from(value, option));
  if (!size) refuse(option, value, "a number of bytes, such as \"512M\" or \"2G\"");
  return static_cast<std::int64_t>(std::min<std::uint64_t>(*size, INT64_MAX));
}

}  // namespace octet::python
