#include "octet/analyze/explain_model.h"

#include <set>

#include "octet/base/one_nan.h"

namespace octet {
namespace {

// The values that the step reads in a run with these inputs.
NamedTensors values_read_by(const Engine& engine, std::size_t step, const NamedTensors& inputs,
                            const Progress& progress) {
  std::set<std::string> wanted;
  for (const ValueId value : inputs_of(engine.program(), engine.program().steps[step]))
    wanted.insert(engine.program().values[value].name);
  NamedTensors values = engine.checked_inputs(inputs);
  const auto keep = [&](const std::string& name, const Tensor& tensor) {
    if (wanted.contains(name)) values[name] = with_one_nan(tensor);
  };
  engine.run(inputs, {.progress = progress, .observe = keep});
  return values;
}

}  // namespace

ExplainResult explain_model(const Model& model, const ElementName& element, const std::function<NamedTensors()>& inputs,
                            const ExplainOptions& options) {
  const EngineOptions engine_options{.arithmetic = options.arithmetic, .threads = options.threads};
  const NamedEngine& named = engine_for(options.engine, engine_options);
  Program program = lower(model, options.policy);
  const std::size_t step = step_that_makes(program, model, element.tensor);
  const NamedTensors given = inputs();
  const auto engine = make_engine(named, std::move(program), engine_options);
  const NamedTensors values = values_read_by(*engine, step, given, options.progress);
  return {explain_element(engine->program(), step, element.tensor, element.index, values, options.arithmetic),
          options.policy, std::string(engine->name())};
}

}  // namespace octet
