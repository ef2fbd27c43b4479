// session.h: programs that run: on arrays of the caller, by any number of threads at once.
#pragma once

#include "python/src/python.h"

namespace octet::python {

void bind_session(nb::module_& m);

}  // namespace octet::python
