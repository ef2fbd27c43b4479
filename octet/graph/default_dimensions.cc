#include "octet/graph/default_dimensions.h"

#include <fmt/core.h>

#include <map>
#include <set>
#include <string>

#include "octet/base/fail.h"
#include "octet/graph/infer.h"

namespace octet {

Model with_symbols_as_one(const Model& model) {
  std::map<std::string, std::int64_t> ones;
  for (const Value* input : required_inputs(model.graph))
    if (input->type.shape)
      for (const Dim& dim : *input->type.shape)
        if (dim.is_symbol()) ones[dim.symbol()] = 1;
  return bind_dimensions(model, ones);
}

Model with_batch_of_one(const Model& model) {
  std::set<std::string> batch, others;
  for (const Value* input : required_inputs(model.graph)) {
    if (!input->type.shape) fail(ErrorCode::kUsage, "the rank of input {} is not known before the run", input->name);
    const SymbolicShape& shape = *input->type.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].is_symbol())
        (axis == 0 ? batch : others).insert(shape[axis].symbol());
      else if (!shape[axis].known())
        fail(ErrorCode::kUsage, "dimension {} of input {} has no size and no name: the file must say it", axis,
             input->name);
    }
  }
  if (!others.empty()) {
    std::string wanted;
    for (const std::string& symbol : others) wanted += fmt::format(" --dim {}=NUMBER", symbol);
    fail(ErrorCode::kUsage, "shapes must be known before the run: give{}", wanted);
  }
  std::map<std::string, std::int64_t> ones;
  for (const std::string& symbol : batch) ones[symbol] = 1;
  return bind_dimensions(model, ones);
}

Model with_batch(const Model& model, std::int64_t batch) {
  std::map<std::string, std::int64_t> first;
  for (const Value* input : required_inputs(model.graph))
    if (input->type.shape && !input->type.shape->empty() && input->type.shape->front().is_symbol())
      first[input->type.shape->front().symbol()] = batch;
  if (first.empty())
    fail(ErrorCode::kUsage, "--batch {} has no place: no input of the model has a first dimension that is a symbol",
         batch);
  return bind_dimensions(model, first);
}

}  // namespace octet
