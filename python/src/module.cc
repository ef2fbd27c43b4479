// module.cc: octet._octet, what the Python package calls. python/octet has the public interface.
#include "octet/version.h"
#include "python/src/commands.h"
#include "python/src/errors.h"
#include "python/src/model.h"
#include "python/src/program.h"
#include "python/src/report.h"
#include "python/src/session.h"
#include "python/src/work.h"

NB_MODULE(_octet, m) {
  using namespace octet::python;
  translate_errors();
  bind_report(m);
  bind_model(m);
  bind_program(m);
  bind_session(m);
  bind_commands(m);
  m.attr("__version__") = octet::kVersion;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(wait_for_abandoned_work));
}
