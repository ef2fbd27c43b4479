// models.h: small models for tests, written as text (see graph/function_text.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "octet/base/error.h"
#include "octet/graph/function_text.h"
#include "octet/graph/model.h"

namespace octet {

inline Value value(std::string name, DType dtype, std::optional<SymbolicShape> shape) {
  Value result;
  result.name = std::move(name);
  result.type.dtype = dtype;
  result.type.shape = std::move(shape);
  return result;
}

inline Dim N() { return Dim::symbol("N"); }

inline Function function_from(std::string_view text, std::string domain, int opset) {
  Function function = parse_function(text, Node());
  function.domain = std::move(domain);
  function.opset_imports = {{"", opset}};
  return function;
}

// A model whose graph is the body of a function. `inputs` gives the types of its inputs; outputs have no declared type.
inline Model model_from(std::string_view text, std::vector<Value> inputs, int opset = 21) {
  const Function function = parse_function(text, Node());
  Model model;
  model.ir_version = 10;
  model.opset_imports = {{"", opset}};
  model.graph.name = function.name;
  model.graph.nodes = function.nodes;
  model.graph.inputs = std::move(inputs);
  for (const std::string& output : function.outputs) model.graph.outputs.push_back(value(output, {}, std::nullopt));
  return model;
}

inline void add_initializer(Model& model, std::string name, Tensor tensor) {
  Initializer initializer;
  initializer.name = std::move(name);
  initializer.tensor = std::move(tensor);
  model.graph.initializers.push_back(std::move(initializer));
}

// The code of the octet::Error that `f` throws, and its text in `what`.
template <typename F>
std::optional<ErrorCode> error_of(F&& f, std::string* what = nullptr) {
  try {
    f();
  } catch (const Error& error) {
    if (what) *what = error.what();
    return error.code();
  }
  return std::nullopt;
}

}  // namespace octet
