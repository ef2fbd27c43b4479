#include "octet/export/vectors.h"

#include <algorithm>

#include "octet/base/closest_names.h"
#include "octet/base/fail.h"
#include "octet/engine/reference_engine.h"
#include "octet/export/manifest.h"
#include "octet/export/step_constants.h"
#include "octet/export/step_json.h"
#include "octet/export/tensor_names.h"
#include "octet/integer/integer_program.h"
#include "octet/integer/one_step.h"
#include "octet/version.h"

namespace octet {
namespace {

std::size_t step_named(const Program& program, const std::string& wanted) {
  std::vector<std::string> names;
  for (std::size_t step = 0; step < program.steps.size(); ++step) {
    if (program.steps[step].name == wanted) return step;
    names.push_back(program.steps[step].name);
  }
  fail(ErrorCode::kUsage, "the program has no step {}; the nearest are {}", wanted, closest_names(wanted, names));
}

// The values of the network, of one run.
NamedTensors values_of(const Engine& engine, const NamedTensors& inputs, const Progress& progress) {
  NamedTensors values = engine.run(inputs, {.keep_all = true, .progress = progress});
  values.insert(inputs.begin(), inputs.end());
  return values;
}

class VectorWriter {
 public:
  VectorWriter(const Program& program, const IntegerProgram& integers, const VectorOptions& options)
      : program_(program), integers_(integers), options_(options), names_(program) {
    for (const IntegerTensor& tensor : integers.tensors) {
      std::string& name = identifiers_.emplace_back(names_.identifiers.at(tensor.name));
      if (!given_.insert(name).second) name = names_.taken.make(tensor.name);  // weights in two orders
    }
  }

  Vectors write(const VectorModel& model, const std::vector<VectorInput>& inputs) {
    const std::vector<NamedTensors> values = run(inputs);
    const Json tensors = add_tensors(values), constants = add_constants(), steps = add_steps();
    Vectors vectors{.files = array_files(arrays_, options_.style),
                    .tensors = tensors.size(),
                    .constants = constants.size(),
                    .steps = steps.size(),
                    .inputs = inputs.size()};
    Json sources = Json::array();
    for (const VectorInput& input : inputs) sources.push_back(input.source);
    const Json manifest = {{"schema", "octet.vectors/1"},
                           {"octet", kVersion},
                           {"model", model_json(model)},
                           {"format", name(options_.style.format)},
                           {"layout", name(options_.style.layout)},
                           {"byte_order", "little"},
                           {"step", options_.step.empty() ? Json() : Json(options_.step)},
                           {"inputs", sources},
                           {"host", host_json(program_, integers_)},
                           {"tensors", tensors},
                           {"constants", constants},
                           {"steps", steps},
                           {"files", files_json(vectors.files)}};
    vectors.files.push_back({"manifest.json", json_text(manifest)});
    return vectors;
  }

 private:
  std::vector<NamedTensors> run(const std::vector<VectorInput>& inputs) const {
    std::vector<NamedTensors> values;
    if (inputs.empty()) return values;
    const ReferenceEngine engine(program_);
    for (const VectorInput& input : inputs) values.push_back(values_of(engine, input.tensors, options_.progress));
    return values;
  }

  Json model_json(const VectorModel& model) const {
    return {{"file", model.file},
            {"name", program_.name},
            {"sha256", model.sha256},
            {"policy", name(program_.policy)},
            {"arithmetic", named_arithmetics().front().name}};
  }

  Json add_tensors(const std::vector<NamedTensors>& values) {
    Json list = Json::array();
    for (TensorId id = 0; id < integers_.tensors.size(); ++id) {
      const IntegerTensor& tensor = integers_.tensors[id];
      if (!tensor.constant.empty()) continue;
      std::vector<FileArray> arrays;
      for (std::size_t run = 0; run < values.size(); ++run) {
        const std::string folder = values.size() == 1 ? "tensors/" : "tensors/" + std::to_string(run) + "/";
        arrays.push_back({folder + identifiers_[id], tensor.name, values[run].at(tensor.name), true});
      }
      list.push_back(tensor_json(integers_, id, identifiers_[id], arrays, options_.style));
      arrays_.insert(arrays_.end(), arrays.begin(), arrays.end());
    }
    return list;
  }

  // Constant tensors, and the constants inside the steps.
  Json add_constants() {
    Json list = Json::array();
    for (TensorId id = 0; id < integers_.tensors.size(); ++id) {
      const IntegerTensor& tensor = integers_.tensors[id];
      if (!tensor.constant.empty())
        add_constant(list, {{"name", tensor.name}, {"identifier", identifiers_[id]}, {"what", "tensor"}},
                     {"constants/" + identifiers_[id], tensor.name, tensor.constant, true});
    }
    for (const IntegerStep& step : integers_.steps)
      for (const StepConstant& constant : step_constants(integers_, step)) {
        const std::string name = step.name + "." + constant.what, identifier = names_.taken.make(name);
        add_constant(list, {{"name", name}, {"identifier", identifier}, {"what", constant.what}, {"step", step.name}},
                     {"constants/" + identifier, name, constant.elements, false});
      }
    return list;
  }

  void add_constant(Json& list, Json facts, FileArray array) {
    facts.update(array_json(array, options_.style));
    list.push_back(std::move(facts));
    arrays_.push_back(std::move(array));
  }

  Json add_steps() const {
    Json list = Json::array();
    for (const IntegerStep& step : integers_.steps)
      list.push_back(step_json(step, [&](TensorId tensor) { return identifiers_[tensor]; }));
    return list;
  }

  const Program& program_;
  const IntegerProgram& integers_;
  const VectorOptions& options_;
  TensorNames names_;
  std::vector<std::string> identifiers_;  // by TensorId
  std::set<std::string> given_;
  std::vector<FileArray> arrays_;
};

}  // namespace

Vectors export_vectors(const Program& program, const VectorModel& model, const std::vector<VectorInput>& inputs,
                       const VectorOptions& options) {
  const IntegerProgram integers = options.step.empty()
                                      ? integer_program(program, {.host_border = true})
                                      : integer_program(one_step(program, step_named(program, options.step)));
  return VectorWriter(program, integers, options).write(model, inputs);
}

}  // namespace octet
