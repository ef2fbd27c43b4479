#include "cli/dimensions.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "octet/base/fail.h"
#include "octet/graph/infer.h"

namespace octet::cli {

void add_dim_option(CommandLine line, std::vector<std::string>& bindings) {
  line.option("--dim", bindings, "Give a symbolic dimension its size; may be repeated", "NAME=NUMBER").once_each();
}

std::map<std::string, std::int64_t> parse_dimensions(const std::vector<std::string>& bindings) {
  std::map<std::string, std::int64_t> values;
  for (const std::string& binding : bindings) {
    const std::size_t sign = binding.rfind('=');
    std::int64_t value = -1;
    if (sign != std::string::npos && sign > 0) {
      const char* const end = binding.data() + binding.size();
      const auto [rest, error] = std::from_chars(binding.data() + sign + 1, end, value);
      if (error != std::errc() || rest != end) value = -1;
    }
    if (value < 0) fail(ErrorCode::kUsage, "--dim wants NAME=NUMBER, such as N=1, and not {}", binding);
    if (!values.emplace(binding.substr(0, sign), value).second)
      fail(ErrorCode::kUsage, "--dim gives {} twice", binding.substr(0, sign));
  }
  return values;
}

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

}  // namespace octet::cli
