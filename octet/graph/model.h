// model.h: a network as a value: nodes, typed and shaped values, initializers. Values are known by their names, as in
// the file. Passes take a Model and return a Model.
//
// Everything a file can hold survives a load and a save: what Octet does not interpret is kept in `unknown_fields`, as
// the bytes the file had, next to what it belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "octet/base/dim.h"
#include "octet/base/dtype.h"
#include "octet/base/tensor.h"
#include "octet/spec/attributes.h"

namespace octet {

using Metadata = std::vector<std::pair<std::string, std::string>>;

// The type of a value. A tensor's shape is absent when not even its rank is known. Sequences, maps, optionals and
// sparse tensors are kept as the bytes of their description (`other`), and have no dtype.
struct ValueType {
  DType dtype = DType::kUndefined;
  std::optional<SymbolicShape> shape;
  std::vector<std::string> dim_denotations;  // empty, or one per dimension
  std::string denotation;
  std::string other;
  std::string unknown_fields;

  bool is_tensor() const { return dtype != DType::kUndefined; }
};

struct Value {
  std::string name;
  ValueType type;
  std::string doc;
  Metadata metadata;
  std::string unknown_fields;
};

// A named constant. Sparse initializers are kept as bytes (`sparse`), with an empty tensor.
struct Initializer {
  std::string name;
  Tensor tensor;
  std::string doc;
  Metadata metadata;
  std::string sparse;
  std::string unknown_fields;
};

struct Graph;

// Attributes that hold graphs: one for GRAPH, any number for GRAPHS.
struct GraphAttribute {
  std::vector<Graph> graphs;
  bool is_list = false;
  std::string doc;
  std::string unknown_fields;
};

// Inside a function: the attribute takes the value of the function's own attribute `of`.
struct AttributeReference {
  std::string of;
  int type = 0;  // the format's attribute type, 0 when not said
  std::string doc;
  std::string unknown_fields;
};

struct Node {
  std::string name;
  std::string op_type;
  std::string domain;  // "" is ai.onnx
  std::string overload;
  int opset = 0;  // of its domain, when not the model's: it came from a function with imports of its own. Not in files
  std::vector<std::string> inputs;   // "" is an absent optional input
  std::vector<std::string> outputs;  // "" is an output that is not used
  Attributes attributes;
  std::map<std::string, GraphAttribute, std::less<>> subgraphs;
  std::map<std::string, AttributeReference, std::less<>> references;
  std::vector<std::string> other_attributes;  // kinds Octet does not interpret (types, sparse tensors), as bytes
  std::string doc;
  Metadata metadata;
  std::string unknown_fields;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;  // in execution order
  std::vector<Initializer> initializers;
  std::vector<Value> inputs;  // may repeat initializers, which then are defaults
  std::vector<Value> outputs;
  std::vector<Value> value_info;
  std::string doc;
  Metadata metadata;
  std::string unknown_fields;
};

// A function defined in the model itself.
struct Function {
  std::string name;
  std::string domain;
  std::string overload;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> attributes;  // required, without default
  std::map<std::string, Attribute, std::less<>> defaults;
  std::vector<Node> nodes;
  std::vector<std::pair<std::string, std::int64_t>> opset_imports;
  std::vector<Value> value_info;
  std::string doc;
  Metadata metadata;
  std::string unknown_fields;
};

struct Model {
  std::int64_t ir_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> opset_imports;  // domain ("" is ai.onnx), version
  std::string producer_name, producer_version, domain;
  std::int64_t model_version = 0;
  std::string doc;
  Graph graph;
  std::vector<Function> functions;
  Metadata metadata;
  std::string unknown_fields;

  // The version of a domain's operators, or 0 when the model does not import it. Before IR version 3 there were no
  // imports and one version of ai.onnx, 1.
  int opset(std::string_view domain) const;
  // The version that gives a node its meaning.
  int opset(const Node& node) const { return node.opset ? node.opset : opset(node.domain); }
};

// An imported version as files write it; beyond an int's range it is the nearest one inside.
int to_opset(std::int64_t version);

// "conv_12 (QLinearConv)"; an unnamed node goes by its first output.
std::string describe(const Node& node);

const Initializer* find_initializer(const Graph& graph, std::string_view name);

// The inputs a caller must give: those that are not initializers as well.
std::vector<const Value*> required_inputs(const Graph& graph);

}  // namespace octet
