#include "octet/graph/raise_opset.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "octet/base/fail.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/standard_functions.h"
#include "octet/graph/unique_names.h"
#include "octet/spec/registry.h"
#include "octet/spec/softmax_axis.h"

namespace octet {
namespace {

class Raiser;
// Rewrites a node of that opset; nodes that come before it go to the raiser. Returns whether it changed.
using RaisingRule = bool (*)(Raiser& raiser, Node& node, int opset);

class Raiser {
 public:
  explicit Raiser(Model& model) : model_(model), facts_(infer(model, [](const Error&) {})), names_(model.graph) {}

  void raise(Graph& graph) {
    Graph* const outer = std::exchange(graph_, &graph);
    std::vector<Node> before = std::exchange(graph.nodes, {});
    for (Node& node : before) {
      for (auto& [attribute, graphs] : node.subgraphs)
        for (Graph& inner : graphs.graphs) raise(inner);
      try {
        raise(node);
      } catch (const Error& error) {
        throw error.at(describe(node));
      }
      graph.nodes.push_back(std::move(node));
      std::move(after_.begin(), after_.end(), std::back_inserter(graph.nodes));
      after_.clear();
    }
    graph_ = outer;
  }

  std::vector<std::string> operators() const { return {operators_.begin(), operators_.end()}; }
  std::size_t nodes() const { return nodes_; }

  // ---- for rules

  std::string constant(const Node& node, std::string_view role, Tensor tensor) {
    const std::string name = new_name(node.outputs.front() + "_" + std::string(role));
    graph_->initializers.push_back({.name = name, .tensor = std::move(tensor)});
    return name;
  }

  std::string integers(const Node& node, std::string_view role, const std::vector<std::int64_t>& values) {
    return constant(
        node, role,
        Tensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())}, std::span<const std::int64_t>(values)));
  }

  // A number of the type of the node's first input.
  std::string number(const Node& node, std::string_view role, float value) {
    const Fact* x = fact(node.inputs[0]);
    return constant(node, role, convert(Tensor::scalar(value), x ? x->dtype : DType::kFloat));
  }

  // Null where nothing is known of the value.
  const Fact* fact(const std::string& value) const {
    const auto found = facts_.find(value);
    return found == facts_.end() ? nullptr : &found->second;
  }

  std::string new_name(const std::string& wish) { return names_.make(wish); }

  void add_before(Node node) { graph_->nodes.push_back(std::move(node)); }
  void add_after(Node node) { after_.push_back(std::move(node)); }

  // Moves a list from an attribute to an input, behind those that are there; absent ones stay absent.
  bool attribute_to_input(Node& node, const char* attribute) {
    const std::vector<std::int64_t> values = node.attributes.get_ints(attribute);
    node.attributes.erase(attribute);
    if (!values.empty()) node.inputs.push_back(integers(node, attribute, values));
    return !values.empty();
  }

 private:
  void raise(Node& node);

  Model& model_;
  const Facts facts_;
  Graph* graph_ = nullptr;
  std::vector<Node> after_;
  NewNames names_;
  std::set<std::string> operators_;
  std::size_t nodes_ = 0;
};

[[noreturn]] void refuse(const Node& node, int opset, std::string_view why) {
  fail(ErrorCode::kUnsupported, "{} of opset {} can't be written in opset {}: {}", node.op_type, opset, kRaisedOpset,
       why);
}

bool is_read(const Node& node, std::size_t output) {
  return output < node.outputs.size() && !node.outputs[output].empty();
}

// min and max went from attributes to inputs in opset 11.
bool raise_clip(Raiser& raiser, Node& node, int opset) {
  if (opset >= 11) return false;
  node.inputs.resize(1);
  for (const char* bound : {"min", "max"}) {
    const bool given = node.attributes.has(bound);
    node.inputs.push_back(given ? raiser.number(node, bound, node.attributes.get_float(bound, 0)) : "");
    node.attributes.erase(bound);
  }
  while (node.inputs.back().empty()) node.inputs.pop_back();
  return true;
}

// starts, ends and axes went from attributes to inputs in opset 10.
bool raise_slice(Raiser& raiser, Node& node, int opset) {
  if (opset >= 10) return false;
  for (const char* list : {"starts", "ends", "axes"}) raiser.attribute_to_input(node, list);
  return true;
}

// axes went from an attribute to an input in opset 13.
bool raise_axes(Raiser& raiser, Node& node, int) { return raiser.attribute_to_input(node, "axes"); }

// So did the lengths.
bool raise_split(Raiser& raiser, Node& node, int) { return raiser.attribute_to_input(node, "split"); }

// pads and value went from attributes to inputs in opset 11.
bool raise_pad(Raiser& raiser, Node& node, int opset) {
  if (opset >= 11) return false;
  const float value = node.attributes.get_float("value", 0);
  node.inputs.push_back(raiser.integers(node, "pads", node.attributes.get_ints("pads")));
  if (value != 0) node.inputs.push_back(raiser.number(node, "value", value));
  node.attributes.erase("pads");
  node.attributes.erase("value");
  return true;
}

// ratio went from an attribute to an input in opset 12; without training it changes nothing. The mask became bool.
bool raise_dropout(Raiser&, Node& node, int opset) {
  if (opset >= 12) return false;
  if (is_read(node, 1)) refuse(node, opset, "its mask is of another type there");
  node.outputs.resize(1);
  node.attributes.erase("ratio");
  return true;
}

// spatial = 0, statistics for each position, is gone since opset 9.
bool raise_batch_normalization(Raiser&, Node& node, int opset) {
  if (opset >= 9) return false;
  if (node.attributes.get_int("spatial", 1) == 0) refuse(node, opset, "spatial = 0 is gone");
  for (std::size_t k = 1; k < node.outputs.size(); ++k)
    if (is_read(node, k)) refuse(node, opset, "it has more than one output");
  node.outputs.resize(1);
  const bool had = node.attributes.has("spatial");
  node.attributes.erase("spatial");
  return had;
}

// Up to opset 12, everything from `axis` on is one axis: a flat tensor, and back.
bool raise_softmax(Raiser& raiser, Node& node, int opset) {
  const auto [axis, flattens] = softmax_axis(node.attributes, opset);
  if (!flattens || axis == -1) return false;
  if (const Fact* x = raiser.fact(node.inputs[0]);
      x && x->shape && axis == static_cast<std::int64_t>(x->shape->size()) - 1) {
    node.attributes.set("axis", std::int64_t{-1});
    return true;
  }
  const std::string y = node.outputs.front();
  const auto name = [&](const char* role) { return raiser.new_name(y + role); };
  const std::string shape = name("_shape"), flat = name("_flat"), result = name("_flat_result");
  raiser.add_before({.name = shape, .op_type = "Shape", .inputs = {node.inputs[0]}, .outputs = {shape}});
  Node flatten{.name = flat, .op_type = "Flatten", .inputs = {node.inputs[0]}, .outputs = {flat}};
  flatten.attributes.set("axis", axis);
  raiser.add_before(std::move(flatten));
  node.inputs = {flat};
  node.outputs = {result};
  node.attributes.set("axis", std::int64_t{-1});
  raiser.add_after({.name = name("_back"), .op_type = "Reshape", .inputs = {result, shape}, .outputs = {y}});
  return true;
}

// k went from an attribute to an input in opset 10.
bool raise_top_k(Raiser& raiser, Node& node, int opset) {
  if (opset >= 10) return false;
  node.inputs.push_back(raiser.integers(node, "k", {node.attributes.get_int("k", 0)}));
  node.attributes.erase("k");
  return true;
}

void become_resize(Node& node, const std::string& scales, const char* nearest = "floor") {
  node.op_type = "Resize";
  node.inputs = {node.inputs[0], "", scales};
  const bool is_nearest = node.attributes.get_string("mode", "nearest") == "nearest";
  node.attributes.set("mode", std::string(is_nearest ? "nearest" : "linear"));
  node.attributes.set("coordinate_transformation_mode", std::string("asymmetric"));
  if (is_nearest) node.attributes.set("nearest_mode", std::string(nearest));
}

// Upsample became Resize in opset 10. Its scales are an attribute before opset 9.
bool raise_upsample(Raiser& raiser, Node& node, int opset) {
  std::string scales = opset >= 9 ? node.inputs[1] : "";
  if (opset < 9) {
    const std::vector<float> values = node.attributes.get_floats("scales");
    scales = raiser.constant(
        node, "scales",
        Tensor::from<float>({static_cast<std::int64_t>(values.size())}, std::span<const float>(values)));
    node.attributes.erase("scales");
  }
  become_resize(node, scales);
  return true;
}

// Opset 10 has no choice of coordinates; the nearest element is the one below when growing and the one above when shrinking.
bool raise_resize(Raiser& raiser, Node& node, int opset) {
  if (opset >= 11) return false;
  const Fact* scales = raiser.fact(node.inputs[1]);
  bool grows = false, shrinks = false;
  if (!scales || scales->constant.dtype() != DType::kFloat) refuse(node, opset, "its scales are not constant");
  for (const float scale : scales->constant.as<float>()) {
    grows = grows || scale > 1;
    shrinks = shrinks || scale < 1;
  }
  if (grows && shrinks) refuse(node, opset, "it grows along one axis and shrinks along another");
  become_resize(node, node.inputs[1], shrinks ? "ceil" : "floor");
  return true;
}

// Opset 8 scans a batch of sequences.
bool raise_scan(Raiser&, Node& node, int opset) {
  if (opset < 9) refuse(node, opset, "it scans batches there");
  return false;
}

// Scatter became ScatterElements in opset 11.
bool raise_scatter(Raiser&, Node& node, int) {
  node.op_type = "ScatterElements";
  return true;
}

constexpr std::array<std::pair<const Operator*, RaisingRule>, 16> kRules = {
    {{&ops::kBatchNormalization, raise_batch_normalization},
     {&ops::kClip, raise_clip},
     {&ops::kDropout, raise_dropout},
     {&ops::kLogSoftmax, raise_softmax},
     {&ops::kPad, raise_pad},
     {&ops::kReduceSum, raise_axes},
     {&ops::kResize, raise_resize},
     {&ops::kScan, raise_scan},
     {&ops::kScatter, raise_scatter},
     {&ops::kSlice, raise_slice},
     {&ops::kSoftmax, raise_softmax},
     {&ops::kSplit, raise_split},
     {&ops::kSqueeze, raise_axes},
     {&ops::kTopK, raise_top_k},
     {&ops::kUnsqueeze, raise_axes},
     {&ops::kUpsample, raise_upsample}}};

// Null where the operator needs none.
RaisingRule rule_for(const Node& node) {
  for (const auto& [op, rule] : kRules)
    if (is(node, *op)) return rule;
  return nullptr;
}

void Raiser::raise(Node& node) {
  if (!node.domain.empty()) return;
  const int opset = model_.opset(node);
  if (opset > kRaisedOpset) return;  // in the body of a function, of a newer opset than the model's
  const Operator* op = find_operator(model_, node);
  if (!op && standard_function(node, opset)) {  // MeanVarianceNormalization, which did not change
    node.opset = 0;
    return;
  }
  if (!op) refuse(node, opset, "Octet does not know the operator");
  check_arguments(model_, node, *op);  // before rules take them for granted
  node.opset = 0;
  if (opset == kRaisedOpset) return;
  // Upsample and Scatter are no operators of opset 13, whatever their versions.
  if (const RaisingRule rule = rule_for(node)) {
    const std::string op_type = node.op_type;
    if (!rule(*this, node, opset)) return;
    operators_.insert(op_type);
    ++nodes_;
    return;
  }
  if (!means_the_same(*op, opset, kRaisedOpset))
    refuse(node, opset, "it means something else there, and Octet has no rule for it");
}

// As ONNX Runtime has it: before IR version 4 all initializers had to be inputs too, and no caller gives them.
void drop_repeated_inputs(Model& model) {
  if (model.ir_version >= 4) return;
  std::set<std::string_view> constants;
  for (const Initializer& initializer : model.graph.initializers) constants.insert(initializer.name);
  std::erase_if(model.graph.inputs, [&](const Value& input) { return constants.contains(input.name); });
}

}  // namespace

RaisedModel raise_opset(Model model) {
  constexpr std::int64_t kIrVersion = 7;  // of opset 13
  const int opset = model.opset("");
  if (opset >= kRaisedOpset) return {std::move(model), {}, 0};
  if (opset < kLeastRaisedOpset)
    fail(ErrorCode::kUnsupported, "the model is written in opset {} of ai.onnx; those from {} on can be raised to {}",
         opset, kLeastRaisedOpset, kRaisedOpset);
  model = with_unique_names(expand_own_functions(std::move(model)));
  drop_repeated_inputs(model);
  Raiser raiser(model);
  raiser.raise(model.graph);
  for (auto& [domain, version] : model.opset_imports)
    if (domain.empty()) version = kRaisedOpset;
  model.ir_version = std::max(model.ir_version, kIrVersion);
  return {std::move(model), raiser.operators(), raiser.nodes()};
}

}  // namespace octet
