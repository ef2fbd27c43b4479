// errors.h: octet::Error as the Python exception octet.Error.
#pragma once

namespace octet::python {

// For all functions of the module. Call once, while it is imported.
void translate_errors();

}  // namespace octet::python
