// program.h: programs that Python holds.
#pragma once

#include <memory>
#include <string>

#include "octet/program/program.h"
#include "python/src/model.h"
#include "python/src/python.h"

namespace octet::python {

// A program, and the model that it was lowered from: with its dimensions bound.
struct PythonProgram {
  std::shared_ptr<const Program> program;
  SharedModel model;
};

void bind_program(nb::module_& m);

}  // namespace octet::python
