#include "octet/export/vectors.h"

#include <set>

#include "octet/base/fail.h"
#include "octet/engine/reference_engine.h"
#include "octet/export/step_constants.h"
#include "octet/export/support/directed_files.h"
#include "octet/export/support/manifest.h"
#include "octet/export/support/step_json.h"
#include "octet/export/tensor_names.h"
#include "octet/integer/integer_program.h"
#include "octet/integer/one_step.h"
#include "octet/text/closest_names.h"
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
  // `steps`: by each step of the integers, which one of the program it is.
  VectorWriter(const Program& program, const IntegerProgram& integers, std::vector<std::size_t> steps,
               const VectorOptions& options)
      : program_(program), integers_(integers), program_steps_(std::move(steps)), options_(options), names_(program) {
    for (const IntegerTensor& tensor : integers.tensors) {
      std::string& name = identifiers_.emplace_back(names_.identifiers.at(tensor.name));
      if (!given_.insert(name).second) name = names_.taken.make(tensor.name);  // weights in two orders
    }
  }

  Vectors write(const VectorModel& model, const std::vector<VectorInput>& inputs) {
    const std::vector<NamedTensors> values = run(inputs);
    const Json tensors = add_tensors(values), constants = add_constants(), steps = add_steps();
    const Json directed = options_.directed ? add_directed() : Json::array();
    Vectors vectors{.files = array_files(arrays_, options_.style),
                    .tensors = tensors.size(),
                    .constants = constants.size(),
                    .steps = steps.size(),
                    .inputs = inputs.size(),
                    .directed_rows = directed_rows_,
                    .directed_patches = directed_patches_};
    vectors.files.insert(vectors.files.end(), tables_.begin(), tables_.end());
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
                           {"directed", directed},
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

  Json add_directed() {
    Json list = Json::array();
    for (std::size_t step = 0; step < integers_.steps.size(); ++step)
      for (const DirectedSet& set :
           directed_vectors(program_.steps[program_steps_[step]], integers_, integers_.steps[step])) {
        DirectedFiles files = directed_files(set, names_.taken.make(set.step + "." + set.kind), options_.style);
        arrays_.insert(arrays_.end(), files.arrays.begin(), files.arrays.end());
        tables_.push_back(std::move(files.table));
        list.push_back(std::move(files.manifest));
        directed_rows_ += set.rows.size();
        for (const DirectedRow& row : set.rows) directed_patches_ += row.patch ? 1 : 0;
      }
    return list;
  }

  const Program& program_;
  const IntegerProgram& integers_;
  const std::vector<std::size_t> program_steps_;
  const VectorOptions& options_;
  TensorNames names_;
  std::vector<std::string> identifiers_;  // by TensorId
  std::set<std::string> given_;
  std::vector<FileArray> arrays_;
  ExportedFiles tables_;
  std::size_t directed_rows_ = 0, directed_patches_ = 0;
};

// All steps that are not the host's.
std::vector<std::size_t> integer_steps(const Program& program, const IntegerProgram& integers) {
  std::set<std::size_t> hosts;
  for (const HostStep& step : integers.before) hosts.insert(step.step);
  for (const HostStep& step : integers.after) hosts.insert(step.step);
  std::vector<std::size_t> steps;
  for (std::size_t step = 0; step < program.steps.size(); ++step)
    if (!hosts.contains(step)) steps.push_back(step);
  return steps;
}

}  // namespace

Vectors export_vectors(const Program& program, const VectorModel& model, const std::vector<VectorInput>& inputs,
                       const VectorOptions& options) {
  if (!options.step.empty()) {
    const std::size_t step = step_named(program, options.step);
    const IntegerProgram alone = integer_program(one_step(program, step));
    return VectorWriter(program, alone, {step}, options).write(model, inputs);
  }
  const IntegerProgram integers = integer_program(program, {.host_border = true});
  Vectors vectors = VectorWriter(program, integers, integer_steps(program, integers), options).write(model, inputs);
  vectors.host_products = host_products(integers);
  return vectors;
}

}  // namespace octet
