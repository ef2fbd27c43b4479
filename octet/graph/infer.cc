#include "octet/graph/infer.h"

#include <algorithm>
#include <set>

#include "octet/base/fail.h"
#include "octet/graph/apply_rule.h"
#include "octet/graph/expand_functions.h"
#include "octet/graph/index.h"
#include "octet/graph/lookup.h"

namespace octet {
namespace {

// Dimensions and symbolic elements of all values together: a bound on the memory that facts take.
constexpr std::int64_t kMostDimensions = std::int64_t{1} << 23;

std::string to_string(const Fact& fact) {
  return std::string(name(fact.dtype)) + (fact.shape ? octet::to_string(*fact.shape) : " of unknown rank");
}

bool contradict(const Fact& a, const Fact& b) {
  if (a.dtype != DType::kUndefined && b.dtype != DType::kUndefined && a.dtype != b.dtype) return true;
  if (!a.shape || !b.shape) return false;
  if (a.shape->size() != b.shape->size()) return true;
  return !std::equal(a.shape->begin(), a.shape->end(), b.shape->begin(),
                     [](const Dim& x, const Dim& y) { return !surely_different(x, y); });
}

// What is known wins over what is not, a number over a symbol; of two symbols, the rule's.
void add_what_the_file_says(Fact& fact, const Fact& file) {
  if (fact.dtype == DType::kUndefined) fact.dtype = file.dtype;
  if (!file.shape) return;
  if (!fact.shape) {
    fact.shape = file.shape;
    return;
  }
  for (std::size_t i = 0; i < fact.shape->size(); ++i) {
    Dim& dim = (*fact.shape)[i];
    const Dim& said = (*file.shape)[i];
    if (!dim.known() && (said.known() || !dim.is_symbol())) dim = said;
  }
}

Fact declared(const Value& value) { return {value.type.dtype, value.type.shape, {}, {}}; }

class Inferrer {
 public:
  // Without `found`, the first error ends it. With `corrected`, a shape that contradicts the file's goes there instead
  // of to `found`, and counts.
  Inferrer(const Model& model, const std::function<void(const Error&)>& found,
           std::map<std::string, Error>* corrected = nullptr)
      : model_(model), graph_(model.graph), found_(found), corrected_(corrected) {
    const Graph& graph = graph_;
    for (const auto* values : {&graph.inputs, &graph.value_info, &graph.outputs})
      for (const Value& value : *values)
        if (value.type.is_tensor()) file_[value.name].push_back(declared(value));
    for (const Initializer& initializer : graph.initializers)
      if (!initializer.tensor.empty()) facts_.emplace(initializer.name, Fact::of(initializer.tensor));
    for (const Value& input : graph.inputs) learn(input.name, take(input.name), "the graph's inputs");
  }

  // For a subgraph whose inputs are known to this extent. It may never run, or not with what is known before the run: what
  // is wrong inside it is reported only when it runs.
  Inferrer(Inferrer& outer, const Graph& graph, std::vector<Fact> inputs)
      : model_(outer.model_),
        graph_(graph),
        found_(kIgnored),
        corrected_(nullptr),
        outer_(&outer),
        own_names_(values_defined(graph)),
        rules_(outer.rules_) {
    for (const Initializer& initializer : graph.initializers)
      if (!initializer.tensor.empty()) facts_.emplace(initializer.name, Fact::of(initializer.tensor));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].dtype != DType::kUndefined) facts_.insert_or_assign(graph.inputs[i].name, std::move(inputs[i]));
  }

  std::vector<Fact> outputs() && {
    const Facts facts = std::move(*this).run();
    std::vector<Fact> outputs;
    for (const Value& output : graph_.outputs) {
      const auto own = facts.find(output.name);
      outputs.push_back(own != facts.end() ? own->second : take(output.name));
      if (outputs.back().dtype == DType::kUndefined) outputs.back().dtype = output.type.dtype;
    }
    return outputs;
  }

  Facts run() && {
    for (const Node& node : graph_.nodes) {
      const std::string where = describe(node);
      std::vector<Fact> outputs(node.outputs.size());
      try {
        outputs = apply(node);
      } catch (const Error& error) {
        // A valid node that Octet does not compute is no violation: the file's word is all there is.
        if (found_ || error.code() != ErrorCode::kUnsupported) report(error.at(where));
      }
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (!node.outputs[i].empty()) learn(node.outputs[i], std::move(outputs[i]), where);
    }
    return std::move(facts_);
  }

 private:
  // An input that repeats an initializer is known by it already.
  Fact take(const std::string& name) const {
    const auto it = facts_.find(name);
    if (it != facts_.end()) return it->second;
    return outer_ && !own_names_.contains(name) ? outer_->take(name) : Fact();
  }

  void report(const Error& error) {
    if (!found_) throw Error(error);
    found_(error);
  }

  // What one place in the file says of a value.
  void hold_to(const Fact& said, Fact& fact, const std::string& name, const std::string& where) {
    if (!contradict(fact, said)) return add_what_the_file_says(fact, said);
    const Error error(ErrorCode::kModel,
                      fmt::format("{} is {}, but the file says {}", name, to_string(fact), to_string(said)), where);
    if (corrected_ && fact.dtype == said.dtype) {
      corrected_->emplace(name, error);
    } else {
      report(error);
      fact = file_.at(name).front();
    }
  }

  void learn(const std::string& name, Fact fact, const std::string& where) {
    if (const auto said = file_.find(name); said != file_.end())
      for (const Fact& one : said->second) hold_to(one, fact, name, where);
    if (fact.dtype == DType::kUndefined) return;
    dimensions_ +=
        static_cast<std::int64_t>((fact.shape ? fact.shape->size() : 0) + (fact.elements ? fact.elements->size() : 0));
    if (dimensions_ > kMostDimensions)
      throw Error(ErrorCode::kLimit,
                  fmt::format("the shapes of all values together have more than {} dimensions", kMostDimensions),
                  where);
    facts_.insert_or_assign(name, std::move(fact));
  }

  // What the operator's own rule says of the outputs; nothing when there is no rule or an input's type is not known.
  std::vector<Fact> apply(const Node& node) {
    std::vector<Fact> outputs(node.outputs.size());
    const Operator* op = find_operator(model_, node);
    if (!op) return outputs;
    check_arguments(model_, node, *op);

    std::vector<Fact> inputs;
    for (const std::string& input : node.inputs) {
      inputs.push_back(take(input));
      if (!input.empty() && inputs.back().dtype == DType::kUndefined) return outputs;
    }
    return rules_.apply(*op, model_.opset(node), node.attributes, inputs, node.outputs.size(), bodies_of(node));
  }

  Bodies bodies_of(const Node& node) {
    Bodies bodies;
    for (const auto& [name, attribute] : node.subgraphs) {
      if (attribute.graphs.size() != 1) continue;
      const Graph& graph = attribute.graphs.front();
      Body body;
      for (const Value& input : graph.inputs) body.inputs.push_back(declared(input));
      for (const Value& output : graph.outputs) body.outputs.push_back(declared(output));
      body.infer = [this, &graph](std::vector<Fact> inputs) {
        return Inferrer(*this, graph, std::move(inputs)).outputs();
      };
      bodies.emplace(name, std::move(body));
    }
    return bodies;
  }

  static inline const std::function<void(const Error&)> kIgnored = [](const Error&) {};

  const Model& model_;
  const Graph& graph_;
  const std::function<void(const Error&)>& found_;
  std::map<std::string, Error>* const corrected_;
  const Inferrer* const outer_ = nullptr;  // of a subgraph
  const std::set<std::string> own_names_;  // of a subgraph
  RuleApplier own_rules_;
  RuleApplier& rules_ = own_rules_;  // a subgraph's are those of the main graph: what folding costs is counted once
  std::map<std::string_view, std::vector<Fact>> file_;  // by value, an input's own word first
  Facts facts_;
  std::int64_t dimensions_ = 0;
};

}  // namespace

Facts infer(const Model& model) { return infer(model, nullptr); }

Facts infer(const Model& model, const std::function<void(const Error&)>& found) {
  return Inferrer(expand_functions(model), found).run();
}

Model with_inferred_types(Model model) {
  const Facts facts = infer(model);
  const auto fill = [&](Value& value) {
    const auto fact = facts.find(value.name);
    if (fact == facts.end()) return;
    value.type.dtype = fact->second.dtype;
    value.type.shape = fact->second.shape;
  };

  Graph& graph = model.graph;
  std::set<std::string_view> listed;
  for (const auto* values : {&graph.inputs, &graph.outputs, &graph.value_info})
    for (const Value& value : *values) listed.insert(value.name);
  std::vector<Value> added;
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (!listed.contains(output) && facts.contains(output)) added.push_back(Value{output, {}, {}, {}, {}});
  graph.value_info.insert(graph.value_info.end(), added.begin(), added.end());

  std::for_each(graph.value_info.begin(), graph.value_info.end(), fill);
  std::for_each(graph.outputs.begin(), graph.outputs.end(), fill);
  return model;
}

Model correct_shapes(Model model, const std::function<void(const Error&)>& said) {
  std::map<std::string, Error> corrected;
  const std::function<void(const Error&)> ignored = [](const Error&) {};
  const Model expanded = expand_functions(model);
  const Facts facts = Inferrer(expanded, ignored, &corrected).run();
  std::set<std::string> told;
  for (auto* values : {&model.graph.outputs, &model.graph.value_info})
    for (Value& value : *values) {
      const auto wrong = corrected.find(value.name);
      if (wrong == corrected.end() || !contradict(facts.at(value.name), declared(value))) continue;
      value.type.shape = facts.at(value.name).shape;
      value.type.dim_denotations.clear();
      if (told.insert(value.name).second) said(wrong->second);
    }
  return model;
}

Model bind_dimensions(Model model, const std::map<std::string, std::int64_t>& values) {
  std::set<std::string> symbols;
  Graph& graph = model.graph;
  for (auto* group : {&graph.inputs, &graph.outputs, &graph.value_info})
    for (Value& value : *group)
      if (value.type.shape)
        for (Dim& dim : *value.type.shape) {
          if (!dim.is_symbol()) continue;
          symbols.insert(dim.symbol());
          if (const auto bound = values.find(dim.symbol()); bound != values.end()) dim = bound->second;
        }

  for (const auto& [symbol, value] : values) {
    if (value < 0) fail(ErrorCode::kUsage, "dimension {} can't be {}", symbol, value);
    if (symbols.contains(symbol)) continue;
    std::string known;
    for (const std::string& there : symbols) known += (known.empty() ? "" : ", ") + there;
    fail(ErrorCode::kUsage, "the model has no dimension {}; {}", symbol,
         known.empty() ? "none of its dimensions has a name" : "those with a name are " + known);
  }
  return model;
}

}  // namespace octet
