// python.h: what every file of the module uses: nanobind, and strings in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <string_view>

namespace octet::python {

namespace nb = nanobind;

// Text for people: bytes that are not UTF-8 are shown as escapes.
nb::object to_text(std::string_view text);
// Names go in and come out with every byte, as Python does it for the names of files.
nb::object to_name(std::string_view name);
// Throws kUsage, saying what `what` is and that it should be a str.
std::string name_from(nb::handle value, std::string_view what);

// "'yes' (str)": a value as messages show it.
std::string shown(nb::handle value);

// A Python object that threads of C++ may hold, copy and free.
using SharedObject = std::shared_ptr<const nb::object>;
SharedObject share(nb::object object);

}  // namespace octet::python
