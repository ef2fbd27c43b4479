#include "octet/engine/reference_engine.h"

#include <set>
#include <unordered_map>
#include <vector>

#include "octet/base/fail.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/lookup.h"
#include "octet/graph/validate.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

// A node whose names have become indices into the list of values.
struct Step {
  const Node* node = nullptr;
  const Operator* op = nullptr;
  int opset = 0;
  std::vector<std::size_t> inputs, outputs;  // kAbsent where the name is empty
  std::vector<std::size_t> last_used;        // values nobody needs after this step
};

std::string joined(const std::vector<const Value*>& values) {
  std::string text;
  for (const Value* value : values) text += (text.empty() ? "" : ", ") + value->name;
  return text;
}

std::string type_of(const Tensor& tensor) { return std::string(name(tensor.dtype())) + to_string(tensor.shape()); }

std::string type_of(const ValueType& type) {
  return std::string(name(type.dtype)) + (type.shape ? to_string(*type.shape) : " of any shape");
}

// Types that Octet reads, writes and shows.
void require_computable(DType dtype, std::string_view what, const std::string& name_of_value) {
  if (dtype == DType::kString || dtype == DType::kComplex64 || dtype == DType::kComplex128 || is_minifloat(dtype))
    fail(ErrorCode::kUnsupported, "{} {} is of type {}, which Octet does not compute with", what, name_of_value,
         name(dtype));
}

const Operator& operator_of(const Model& model, const Node& node) {
  if (const Operator* op = find_operator(model, node)) return *op;
  const std::string_view domain = node.domain.empty() ? "ai.onnx" : std::string_view(node.domain);
  const int opset = model.opset(node);
  if (!node.subgraphs.empty())
    fail(ErrorCode::kUnsupported, "{} runs a graph of its own; Octet runs straight networks only", node.op_type);
  if (opset == 0) fail(ErrorCode::kModel, "the model does not import the operators of {}", domain);
  if (const Operator* op = find_operator(node.domain, node.op_type))
    fail(ErrorCode::kUnsupported, "Octet knows {} in the opsets {} to {} of {}, not in opset {}", node.op_type,
         op->versions.front(), kNewestOpset, domain, opset);
  fail(ErrorCode::kUnsupported, "Octet does not know the operator {} of {} opset {}", node.op_type, domain, opset);
}

// Throws unless `tensor` is what the model declares for this input. `symbols` remembers what each symbol means.
void check_input(const Value& input, const Tensor& tensor, std::map<std::string_view, std::int64_t>& symbols) {
  const auto refuse = [&](const std::string& why) {
    fail(ErrorCode::kUsage, "input {} is {}, and the model wants {}{}", input.name, type_of(tensor),
         type_of(input.type), why);
  };
  if (tensor.dtype() != input.type.dtype) refuse("");
  if (!input.type.shape) return;
  const SymbolicShape& wanted = *input.type.shape;
  if (wanted.size() != tensor.shape().size()) refuse("");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::int64_t found = tensor.shape()[i];
    if (wanted[i].known() && !wanted[i].is(found)) refuse("");
    if (!wanted[i].is_symbol()) continue;
    const auto [meaning, is_new] = symbols.emplace(wanted[i].symbol(), found);
    if (meaning->second != found) refuse(fmt::format(", where {} is {} already", wanted[i].symbol(), meaning->second));
  }
}

}  // namespace

struct ReferenceEngine::Plan {
  Plan(Model the_model, const EngineOptions& options)
      : model(expand_functions(std::move(the_model))),
        arithmetic(options.arithmetic),
        parallel(options.threads),
        max_output_bytes(options.max_output_bytes) {
    validate(model);
    if (model.opset("") > kNewestOpset)
      fail(ErrorCode::kUnsupported, "the model is written in opset {} of ai.onnx; Octet knows the opsets up to {}",
           model.opset(""), kNewestOpset);

    const Graph& graph = model.graph;
    for (const Value& input : graph.inputs) {
      if (!input.type.is_tensor())
        fail(ErrorCode::kUnsupported, "input {} is not a tensor, and Octet computes with tensors only", input.name);
      require_computable(input.type.dtype, "input", input.name);
      index_of(input.name);
    }
    for (const Initializer& initializer : graph.initializers) {
      if (initializer.tensor.empty())
        fail(ErrorCode::kUnsupported, "initializer {} is sparse, and Octet computes with dense tensors only",
             initializer.name);
      require_computable(initializer.tensor.dtype(), "initializer", initializer.name);
      initializers.emplace_back(index_of(initializer.name), initializer.tensor);
    }
    for (const Node& node : graph.nodes) {
      try {
        add_step(node);
      } catch (const Error& error) {
        throw error.at(describe(node));
      }
    }
    for (const Value& output : graph.outputs) outputs.push_back(index_of(output.name));
    find_last_uses();
  }

  std::size_t index_of(const std::string& value) {
    if (value.empty()) return kAbsent;
    const auto [it, is_new] = indices.emplace(value, names.size());
    if (is_new) names.push_back(value);
    return it->second;
  }

  void add_step(const Node& node) {
    Step step{&node, &operator_of(model, node), model.opset(node), {}, {}, {}};
    for (const std::string& input : node.inputs) step.inputs.push_back(index_of(input));
    for (const std::string& output : node.outputs) step.outputs.push_back(index_of(output));
    steps.push_back(std::move(step));
  }

  // Walks backwards: the first step that mentions a value is the last one to need it.
  void find_last_uses() {
    std::vector<bool> needed(names.size());
    for (const std::size_t output : outputs) needed[output] = true;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
      for (const auto* values : {&step->outputs, &step->inputs})
        for (const std::size_t value : *values)
          if (value != kAbsent && !needed[value]) {
            needed[value] = true;
            step->last_used.push_back(value);
          }
  }

  // The values before the first step: the initializers, and the inputs once they have been checked.
  std::vector<Tensor> initial_values(const NamedTensors& inputs) const {
    std::vector<Tensor> values(names.size());
    for (const auto& [index, tensor] : initializers) values[index] = tensor;

    std::map<std::string_view, std::int64_t> symbols;
    std::set<std::string_view> known;
    for (const Value& input : model.graph.inputs) {
      known.insert(input.name);
      Tensor& value = values[indices.at(input.name)];
      if (const auto given = inputs.find(input.name); given != inputs.end()) value = given->second;
      if (value.empty()) fail(ErrorCode::kUsage, "input {} ({}) is missing", input.name, type_of(input.type));
      check_input(input, value, symbols);
    }
    for (const auto& [name, tensor] : inputs)
      if (!known.contains(name))
        fail(ErrorCode::kUsage, "the model has no input {}; it wants {}", name, joined(required_inputs(model.graph)));
    return values;
  }

  const Model model;
  const Arithmetic arithmetic;
  const Parallel parallel;
  const std::int64_t max_output_bytes;

  std::vector<std::string> names;  // of the values, by index
  std::unordered_map<std::string, std::size_t> indices;
  std::vector<std::pair<std::size_t, Tensor>> initializers;
  std::vector<Step> steps;
  std::vector<std::size_t> outputs;
};

ReferenceEngine::ReferenceEngine(Model model, const EngineOptions& options)
    : plan_(std::make_unique<const Plan>(std::move(model), options)) {}

ReferenceEngine::~ReferenceEngine() = default;

const Model& ReferenceEngine::model() const { return plan_->model; }

NamedTensors ReferenceEngine::run(const NamedTensors& inputs, const RunOptions& options) const {
  const Environment environment{plan_->arithmetic, plan_->parallel, plan_->max_output_bytes};
  std::vector<Tensor> values = plan_->initial_values(inputs);
  NamedTensors results;
  std::size_t done = 0;
  for (const Step& step : plan_->steps) {
    try {
      std::vector<Tensor> arguments;
      for (const std::size_t input : step.inputs) arguments.push_back(input == kAbsent ? Tensor() : values[input]);
      std::vector<Tensor> computed =
          execute(*step.op, step.opset, step.node->attributes, arguments, step.outputs.size(), environment);
      for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (step.outputs[i] == kAbsent) continue;
        const std::string& name = plan_->names[step.outputs[i]];
        require_computable(computed[i].dtype(), "output", name);
        if (options.keep_all) results[name] = computed[i];
        values[step.outputs[i]] = std::move(computed[i]);
      }
    } catch (const Error& error) {
      throw error.at(describe(*step.node));
    }
    for (const std::size_t value : step.last_used) values[value] = Tensor();
    if (options.progress) options.progress(++done, plan_->steps.size());
  }
  for (const std::size_t output : plan_->outputs) results[plan_->names[output]] = values[output];
  return results;
}

}  // namespace octet
