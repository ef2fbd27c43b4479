#include "python/src/program.h"

#include "octet/base/fail.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/program/memory_plan.h"
#include "octet/program/program_json.h"
#include "octet/program/program_text.h"
#include "python/src/arrays.h"
#include "python/src/options.h"

namespace octet::python {
namespace {

nb::object constant(const PythonProgram& of, nb::handle name) {
  const ProgramValue* const value = find_value(*of.program, name_from(name, "the name of a constant"));
  if (value == nullptr || value->constant.empty())
    fail(ErrorCode::kUsage, "the program has no constant {}", name_from(name, "name"));
  return to_array(value->constant);
}

// By position, role by role: weights and bias of a step, where they are known.
nb::dict step_constants(const PythonProgram& of, std::size_t index) {
  nb::dict arrays;
  const Program& program = *of.program;
  for (const Operation& operation : program.steps.at(index).operations)
    for (const ValueId input : operation.inputs)
      if (input != kNoValue && !program.values[input].constant.empty())
        arrays[to_name(program.values[input].name)] = to_array(program.values[input].constant);
  return arrays;
}

SharedModel as_model(const PythonProgram& of, bool unsigned_weights) {
  return make_model(to_model(*of.program, {unsigned_weights}), of.model->name);
}

}  // namespace

void bind_program(nb::module_& m) {
  nb::class_<PythonProgram>(m, "Program")
      .def_prop_ro("model", [](const PythonProgram& of) { return of.model; })
      .def_prop_ro("policy", [](const PythonProgram& of) { return std::string(name(of.program->policy)).c_str(); })
      .def("json",
           [](const PythonProgram& of) {
             return to_text(program_json(*of.program, plan_memory(*of.program), of.model->name));
           })
      .def("text",
           [](const PythonProgram& of, std::size_t width) {
             return to_text(program_text(*of.program, plan_memory(*of.program), width));
           })
      .def("constant", constant)
      .def("step_constants", step_constants)
      .def("to_model", [](const PythonProgram& of, bool unsigned_weights) { return as_model(of, unsigned_weights); });
}

}  // namespace octet::python
