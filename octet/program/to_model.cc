#include <algorithm>
#include <array>
#include <set>

#include "octet/base/fail.h"
#include "octet/graph/lookup.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/unique_names.h"
#include "octet/program/lower.h"
#include "octet/program/value_names.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

// 128 more, or less, as the type wants it.
Tensor exchanged(const Tensor& from, DType type) {
  Tensor to(type, from.shape());
  for (std::size_t k = 0; k < static_cast<std::size_t>(from.size()); ++k)
    to.mutable_bytes()[k] = from.bytes()[k] ^ std::byte{0x80};
  return to;
}

// Exchanges int8 weights that meet uint8 for uint8 ones, 128 added to them and to their zero points.
class UnsignedWeights {
 public:
  UnsignedWeights(const Program& program, NewNames& names, Graph& graph)
      : program_(program), names_(names), graph_(graph) {}

  // `node` is what the operation becomes; what must come before it is added to the graph.
  void exchange(const Operation& operation, Node& node) {
    for (const InnerWeights& inner : kInnerWeights)
      if (operation.op == inner.op && program_.values[operation.inputs[0]].dtype != DType::kInt8 &&
          program_.values[operation.inputs[inner.w]].dtype == DType::kInt8)
        exchange(operation, node, inner.w, inner.zero_point, DType::kUint8);
    const std::optional<StepKind> kind = operation.op->kind;
    if (kind != StepKind::kConvolution && kind != StepKind::kMatMul) return;
    // DynamicQuantizeMatMul makes uint8 of its float input. ConvInteger's weights are the other operand of the instruction:
    // uint8 weights saturate with int8 activations there, and int8 ones do not.
    const bool first = is(operation.op, ops::kConvInteger);
    const bool x_signed = find_input(program_, operation, Role::kX)->dtype == DType::kInt8;
    if (x_signed != first || find_input(program_, operation, Role::kW)->dtype != (first ? DType::kUint8 : DType::kInt8))
      return;
    exchange(operation, node, *input_number(*operation.op, Role::kW), *input_number(*operation.op, Role::kWZeroPoint),
             first ? DType::kInt8 : DType::kUint8);
  }

 private:
  // Operators that multiply inside and make no step of sums: which inputs are weights that uint8 meets.
  struct InnerWeights {
    const Operator* op;
    std::size_t w, zero_point;
  };
  static constexpr std::array<InnerWeights, 3> kInnerWeights = {
      {{&ops::kDynamicQuantizeLSTM, 1, 9}, {&ops::kDynamicQuantizeLSTM, 2, 11}, {&ops::kQAttention, 1, 7}}};

  void exchange(const Operation& operation, Node& node, std::size_t w, std::size_t zero_point, DType type) {
    const bool to_unsigned = type == DType::kUint8;
    node.inputs.resize(std::max(node.inputs.size(), zero_point + 1));
    node.inputs[w] = exchanged_of(operation.inputs[w], type);
    const bool given = zero_point < operation.inputs.size() && operation.inputs[zero_point] != kNoValue;
    node.inputs[zero_point] =
        given ? exchanged_of(operation.inputs[zero_point], type)
              : constant(names_.of(to_unsigned ? "zero_point_128" : "zero_point_minus_128", ""),
                         exchanged(Tensor(to_unsigned ? DType::kInt8 : DType::kUint8, Shape{}), type));
  }

  std::string constant(const std::string& name, const Tensor& tensor) {
    if (!find_initializer(graph_, name)) graph_.initializers.push_back({.name = name, .tensor = tensor});
    return name;
  }

  // The name of a constant, or of what three nodes make of the value.
  std::string exchanged_of(ValueId value, DType type) {
    const ProgramValue& from = program_.values[value];
    const bool is_unsigned = type == DType::kUint8;
    const std::string to = names_.of(from.name, is_unsigned ? "_unsigned" : "_signed");
    if (!from.constant.empty()) return constant(to, exchanged(from.constant, type));
    if (!made_.insert(to).second) return to;
    const std::string wide = names_.make(to + "_wide"), sum = names_.make(to + "_sum");
    add_cast(from.name, wide, DType::kInt32);
    graph_.nodes.push_back({.name = sum,
                            .op_type = "Add",
                            .inputs = {wide, constant(names_.of(is_unsigned ? "offset_128" : "offset_minus_128", ""),
                                                      Tensor::scalar<std::int32_t>(is_unsigned ? 128 : -128))},
                            .outputs = {sum}});
    add_cast(sum, to, type);
    return to;
  }

  void add_cast(const std::string& from, const std::string& to, DType dtype) {
    Node node{.name = to, .op_type = "Cast", .inputs = {from}, .outputs = {to}};
    node.attributes.set("to", static_cast<std::int64_t>(dtype));
    graph_.nodes.push_back(std::move(node));
  }

  const Program& program_;
  NewNames& names_;
  Graph& graph_;
  std::set<std::string> made_;
};

Value declared_value(const ProgramValue& value) {
  Value declared{.name = value.name};
  declared.type.dtype = value.dtype;
  declared.type.shape = value.shape;
  return declared;
}

// `own` is how many of the inputs are the graph's: the others are values around it.
Graph to_graph(const Program& program, std::size_t own, const WriteOptions& options) {
  Graph graph;
  graph.name = program.name;
  const auto name_of = [&](ValueId value) { return value == kNoValue ? std::string() : program.values[value].name; };
  NewNames node_names, value_names = new_value_names(program);
  UnsignedWeights unsigned_weights(program, value_names, graph);
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations) {
      Node node{.name = node_names.make(step.name),
                .op_type = std::string(operation.op->name),
                .domain = std::string(operation.op->domain),
                .attributes = operation.attributes};
      for (std::size_t i = 0; i < own_inputs(operation); ++i) node.inputs.push_back(name_of(operation.inputs[i]));
      for (const ValueId output : operation.outputs) node.outputs.push_back(name_of(output));
      for (const Subprogram& inner : operation.graphs)
        node.subgraphs[inner.attribute].graphs.push_back(
            to_graph(*inner.program, inner.program->inputs.size() - inner.taken.size(), options));
      if (options.unsigned_weights) unsigned_weights.exchange(operation, node);
      graph.nodes.push_back(std::move(node));
    }
  for (std::size_t i = 0; i < own; ++i)
    graph.inputs.push_back({.name = name_of(program.inputs[i].value), .type = program.inputs[i].type});
  for (const ValueId output : program.outputs) {
    Value declared = declared_value(program.values[output]);
    const auto around = std::find_if(program.inputs.begin() + static_cast<std::ptrdiff_t>(own), program.inputs.end(),
                                     [&](const ProgramInput& input) { return input.value == output; });
    if (around != program.inputs.end()) {  // ONNX Runtime wants what a graph gives to be made in it
      declared.name = value_names.make(declared.name + "_given");
      graph.nodes.push_back({.name = node_names.make(declared.name),
                             .op_type = "Identity",
                             .inputs = {program.values[output].name},
                             .outputs = {declared.name}});
    }
    graph.outputs.push_back(std::move(declared));
  }
  for (const ProgramInput& input : program.inputs)
    if (!input.default_value.empty())
      graph.initializers.push_back({.name = name_of(input.value), .tensor = input.default_value});
  for (const ProgramValue& value : program.values)
    if (!value.constant.empty()) graph.initializers.push_back({.name = value.name, .tensor = value.constant});
  return graph;
}

template <typename F>
void for_each_operation(const Program& program, const F& f) {
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations) {
      f(step, operation);
      for (const Subprogram& inner : operation.graphs) for_each_operation(*inner.program, f);
    }
}

// A file has one opset for all of its nodes: the newest that a function brought, where the others mean the same in it.
void settle_opset(const Program& program, Model& model) {
  int newest = model.opset("");
  const Step* newest_step = nullptr;
  const auto standard = [](const Operation& operation) { return operation.op->domain.empty(); };
  for_each_operation(program, [&](const Step& step, const Operation& operation) {
    if (!standard(operation) || operation.opset <= newest) return;
    newest = operation.opset;
    newest_step = &step;
  });
  for_each_operation(program, [&](const Step& step, const Operation& operation) {
    if (standard(operation) && !means_the_same(*operation.op, operation.opset, newest))
      fail(ErrorCode::kUnsupported, "{} ({}) is of opset {}, {} of opset {}: wanted one that both mean the same in",
           step.name, operation.op->name, operation.opset, newest_step ? newest_step->name : "the model", newest);
  });
  for (auto& [domain, version] : model.opset_imports)
    if (domain.empty()) version = newest;
}

}  // namespace

Model to_model(const Program& program, const WriteOptions& options) {
  Model model;
  model.ir_version = program.ir_version;
  model.opset_imports = program.opset_imports;
  model.producer_name = "octet";
  settle_opset(program, model);
  model.graph = to_graph(program, program.inputs.size(), options);
  return remove_unused(with_unique_names(std::move(model)));
}

}  // namespace octet
