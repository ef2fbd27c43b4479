#include "python/src/errors.h"

#include "octet/base/error.h"
#include "python/src/python.h"

namespace octet::python {
namespace {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kFormat: return "format";
    case ErrorCode::kModel: return "model";
    case ErrorCode::kConstraint: return "constraint";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kLimit: return "limit";
    case ErrorCode::kCancelled: return "cancelled";
  }
  return "";
}

void raise(const Error& error) {
  try {
    const nb::object type = nb::module_::import_("octet._errors").attr("Error");
    const nb::object value = type(to_text(error.what()), name_of(error.code()), to_text(error.message()),
                                  to_text(error.where()), to_text(error.constraint()));
    PyErr_SetObject(type.ptr(), value.ptr());
  } catch (nb::python_error& other) {
    other.restore();
  }
}

}  // namespace

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace octet::python
