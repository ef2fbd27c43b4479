#include "octet/program/run_operation.h"

#include "octet/base/fail.h"
#include "octet/program/computable.h"
#include "octet/program/last_uses.h"
#include "octet/program/support/subprogram.h"

namespace octet {
namespace {

// One graph, ready to run many times.
class Running {
 public:
  Running(const Subprogram& graph, const std::vector<Tensor>& arguments, const Environment& environment,
          const Arithmetic* border)
      : graph_(graph),
        program_(*graph.program),
        arguments_(arguments),
        quantized_(environment),
        border_(border),
        others_{border ? *border : environment.arithmetic, environment.parallel, environment.stop} {}

  std::vector<Tensor> operator()(std::vector<Tensor> inputs) {
    if (last_uses_.empty()) last_uses_ = last_uses(program_);
    std::vector<Tensor> values(program_.values.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ProgramInput& input = program_.inputs[i];
      if (input.type.is_tensor() && input.type.dtype != inputs[i].dtype())
        fail(ErrorCode::kModel, "input {} of its graph {} is declared {}, and is given {}",
             program_.values[input.value].name, graph_.attribute, name(input.type.dtype), name(inputs[i].dtype()));
      values[input.value] = std::move(inputs[i]);
    }
    for (std::size_t k = 0; k < graph_.taken.size(); ++k)
      values[program_.inputs[program_.inputs.size() - graph_.taken.size() + k].value] = arguments_[graph_.taken[k]];
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      run(program_.steps[s], values);
      for (const ValueId value : last_uses_[s]) values[value] = Tensor();
    }
    std::vector<Tensor> outputs;
    for (const ValueId output : program_.outputs) outputs.push_back(value_of(output, values));
    return outputs;
  }

 private:
  const Tensor& value_of(ValueId value, const std::vector<Tensor>& values) const {
    return values[value].empty() ? program_.values[value].constant : values[value];
  }

  void run(const Step& step, std::vector<Tensor>& values) const {
    for (const Operation& operation : step.operations) {
      try {
        std::vector<Tensor> arguments;
        for (const ValueId input : operation.inputs)
          arguments.push_back(input == kNoValue ? Tensor() : value_of(input, values));
        const bool as_quantized = is_quantized(step.kind) || !operation.graphs.empty();
        std::vector<Tensor> results =
            run_operation(operation, std::move(arguments), as_quantized ? quantized_ : others_, border_);
        for (std::size_t i = 0; i < results.size(); ++i) {
          if (operation.outputs[i] == kNoValue) continue;
          require_computable(results[i].dtype(), "output", program_.values[operation.outputs[i]].name);
          values[operation.outputs[i]] = std::move(results[i]);
        }
      } catch (const Error& error) {
        throw error.inside(graph_.attribute + ": " + step.name + " (" + std::string(operation.op->name) + ")");
      }
    }
  }

  const Subprogram& graph_;
  const Program& program_;
  const std::vector<Tensor>& arguments_;
  const Environment& quantized_;
  const Arithmetic* border_;
  Environment others_;
  std::vector<std::vector<ValueId>> last_uses_;
};

}  // namespace

std::vector<Tensor> run_operation(const Operation& operation, std::vector<Tensor> arguments,
                                  const Environment& environment, const Arithmetic* border) {
  const std::vector<Tensor> all = operation.graphs.empty() ? std::vector<Tensor>() : arguments;
  arguments.resize(own_inputs(operation));
  Bodies bodies;
  for (const Subprogram& graph : operation.graphs) {
    Body body = declared_body(graph);
    body.run = Running(graph, all, environment, border);
    bodies.emplace(graph.attribute, std::move(body));
  }
  return execute(*operation.op, operation.opset, operation.attributes, arguments, operation.outputs.size(), environment,
                 bodies);
}

}  // namespace octet
