#include "python/src/commands.h"

#include <cstdlib>
#include <map>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"

namespace octet::python {
namespace {

using Command = Report (*)(const Call&);

const std::map<std::string, Command, std::less<>>& commands() {
  static const std::map<std::string, Command, std::less<>> table = {
      {"inspect", inspect_report},   {"lower", lower_report},
      {"run", run_report},           {"quantize", quantize_report},
      {"evaluate", evaluate_report}, {"loss", loss_report},
      {"tune", tune_report},         {"sensitivity", sensitivity_report},
      {"explain", explain_report},   {"verify", verify_report},
      {"compare", compare_report},   {"conformance", conformance_report},
      {"bounds", bounds_report},     {"simulate", simulate_report},
      {"sweep", sweep_report},       {"draw", draw_report},
      {"bench", bench_report},       {"export", export_report},
      {"compile", compile_report},   {"ops", ops_report},
      {"version", version_report}};
  return table;
}

WorkLimits limits_of(const Options& options) {
  WorkLimits limits{.memory = options.bytes("memory")};
  if (const std::optional<std::int64_t> trips = options.optional_integer("max_trips", 0, INT64_MAX))
    limits.trips = *trips;
  return limits;
}

Report call(const std::string& command, nb::dict values, nb::object show, nb::object warn) {
  Options options(command, std::move(values));
  Work work(std::move(show), std::move(warn), limits_of(options));
  return commands().at(command)({std::move(options), std::move(work)});
}

}  // namespace

SharedModel Call::source(const char* option) const { return nb::cast<SharedModel>(options.object(option)); }

std::shared_ptr<const Model> Call::model(const char* option, bool has_dims) const {
  const SharedModel source = this->source(option);
  const std::map<std::string, std::int64_t> dims =
      has_dims ? options.sizes("dim") : std::map<std::string, std::int64_t>();
  return run(
      [source, dims, work = work] { return std::make_shared<const Model>(source->prepared(dims, work.notes())); });
}

std::string Call::engine() const {
  std::string name = options.text("engine");
  if (!name.empty()) engine_named(name);
  return name;
}

std::unique_ptr<const Engine> engine_of(const PythonModel& model, const std::string& engine, Program program,
                                        const EngineOptions& options) {
  if (!model.compiled) return make_engine(engine_for(engine, options), std::move(program), options);
  if (options.arithmetic != Arithmetic())
    fail(ErrorCode::kUsage, "{} is compiled, and has ONNX Runtime's arithmetic alone", model.name);
  return compiled_engine(model.compiled, std::move(program));
}

std::string python_named(const std::string& given) {
  if (!given.empty()) return given;
  const char* const variable = std::getenv("OCTET_PYTHON");
  if (variable != nullptr && *variable != '\0') return variable;
  return name_from(nb::module_::import_("sys").attr("executable"), "sys.executable");
}

void write_text(const Options& options, const char* option, const std::function<std::string()>& text) {
  if (const std::string file = options.path(option); !file.empty()) write_file(file, text());
}

void bind_commands(nb::module_& m) {
  m.def("call", call, nb::arg("command"), nb::arg("options"), nb::arg("show").none(), nb::arg("warn"));
}

}  // namespace octet::python
