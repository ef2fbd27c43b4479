#include "python/src/model.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "octet/graph/infer.h"
#include "octet/graph/model_hash.h"
#include "octet/onnx/model_file.h"
#include "octet/spec/operator.h"
#include "python/src/options.h"

namespace octet::python {
namespace {

SharedModel load(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  PythonModel loaded{.name = file, .bytes = error ? 0 : size};
  if (file.ends_with(".so")) {
    loaded.compiled = std::make_shared<const CompiledNetwork>(file);
    loaded.model = std::make_shared<const Model>(parse_model(loaded.compiled->model()));
  } else {
    loaded.model = std::make_shared<const Model>(load_model(file));
  }
  return std::make_shared<PythonModel>(std::move(loaded));
}

SharedModel parse(nb::bytes bytes, const std::string& name) {
  const auto* const data = static_cast<const std::byte*>(bytes.data());
  // The tensors share this memory, whatever becomes of Python's bytes.
  auto model = std::make_shared<const Model>(parse_model({data, bytes.size()}));
  return std::make_shared<PythonModel>(
      PythonModel{.model = std::move(model), .name = name, .bytes = bytes.size(), .in_file = false});
}

nb::list values_of(const std::vector<Value>& values) {
  nb::list list;
  for (const Value& value : values) {
    nb::object shape = nb::none();
    if (value.type.shape) {
      nb::list dims;
      for (const Dim& dim : *value.type.shape)
        dims.append(dim.known()       ? nb::object(nb::int_(dim.value()))
                    : dim.is_symbol() ? to_name(dim.symbol())
                                      : nb::object(nb::none()));
      shape = dims;
    }
    list.append(nb::make_tuple(to_name(value.name), std::string(name(value.type.dtype)).c_str(), shape));
  }
  return list;
}

nb::list inputs_of(const PythonModel& of) {
  std::vector<Value> inputs;
  for (const Value* input : required_inputs(of.model->graph)) inputs.push_back(*input);
  return values_of(inputs);
}

void warn_of_newer_opset(const PythonModel& of, const std::function<void(const std::string&)>& warn) {
  std::int64_t opset = of.model->opset("");
  for (const Function& function : of.model->functions)
    for (const auto& [domain, version] : function.opset_imports)
      if (domain.empty()) opset = std::max(opset, version);
  if (opset > kNewestOpset)
    warn(of.name + " is written in opset " + std::to_string(opset) +
         " of ai.onnx; Octet knows the definitions up to opset " + std::to_string(kNewestOpset) +
         ", and computes each operator as it is defined there");
}

}  // namespace

Model PythonModel::prepared(const std::map<std::string, std::int64_t>& sizes,
                            const std::function<void(const std::string&)>& warn) const {
  warn_of_newer_opset(*this, warn);
  return correct_shapes(bind_dimensions(*model, sizes),
                        [&](const Error& error) { warn(std::string(error.what()) + "; what is computed counts"); });
}

SharedModel make_model(Model model, std::string name) {
  return std::make_shared<PythonModel>(
      PythonModel{.model = std::make_shared<const Model>(std::move(model)), .name = std::move(name), .in_file = false});
}

void bind_model(nb::module_& m) {
  nb::class_<PythonModel>(m, "Model")
      .def_prop_ro("name", [](const PythonModel& model) { return to_name(model.name); })
      .def_prop_ro("in_file", [](const PythonModel& model) { return model.in_file; })
      .def_prop_ro("compiled", [](const PythonModel& model) { return model.compiled != nullptr; })
      .def_prop_ro("inputs", inputs_of)
      .def_prop_ro("outputs", [](const PythonModel& model) { return values_of(model.model->graph.outputs); })
      .def_prop_ro("sha256", [](const PythonModel& model) { return model_hash(*model.model); })
      .def_prop_ro("producer", [](const PythonModel& model) { return to_text(model.model->producer_name); })
      .def_prop_ro("graph_name", [](const PythonModel& model) { return to_name(model.model->graph.name); })
      .def_prop_ro("version", [](const PythonModel& model) { return model.model->model_version; })
      .def_prop_ro("domain", [](const PythonModel& model) { return to_text(model.model->domain); })
      .def_prop_ro("doc", [](const PythonModel& model) { return to_text(model.model->doc); })
      .def_prop_ro("metadata",
                   [](const PythonModel& model) {
                     nb::dict metadata;
                     for (const auto& [key, value] : model.model->metadata) metadata[to_name(key)] = to_text(value);
                     return metadata;
                   })
      .def_prop_ro("opset", [](const PythonModel& model) { return model.model->opset(""); })
      .def("to_bytes",
           [](const PythonModel& model) {
             const std::string bytes = serialize_model(*model.model);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("save", [](const PythonModel& model, nb::dict options) {
        const std::string file = Options("save_model", std::move(options)).path("path");
        const nb::gil_scoped_release released;
        save_model(*model.model, file);
      });
  m.def("load_model", [](nb::dict values) {
    const std::string file = Options("load_model", std::move(values)).path("model");
    const nb::gil_scoped_release released;
    return load(file);
  });
  m.def("parse_model",
        [](nb::bytes bytes, nb::handle name) { return parse(std::move(bytes), name_from(name, "name")); });
}

}  // namespace octet::python
