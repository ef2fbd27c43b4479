// report.h: what a command found: JSON, text, a picture and whatever else Python wants of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "python/src/python.h"

namespace octet::python {

struct Report {
  std::function<std::string()> json;
  std::function<std::string(std::size_t width)> text;
  std::function<std::string()> picture = {};  // SVG; empty: there is none
  bool passed = true;                         // the command's exit code is 0
  nb::dict extras = {};                       // objects by name: models, arrays, paths
};

void bind_report(nb::module_& m);

}  // namespace octet::python
