#include "python/src/report.h"

#include "octet/text/fold_lines.h"
#include "octet/text/utf8.h"

namespace octet::python {

void bind_report(nb::module_& m) {
  nb::class_<Report>(m, "Report")
      .def("json", [](const Report& report) { return to_text(report.json()); })
      .def("text", [](const Report& report,
                      std::size_t width) { return to_text(fold_lines(printable_lines(report.text(width)), width)); })
      .def("picture",
           [](const Report& report) { return report.picture ? to_text(report.picture()) : nb::object(nb::none()); })
      .def_ro("passed", &Report::passed)
      .def_ro("extras", &Report::extras);
}

}  // namespace octet::python
