#include "octet/data/model_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "octet/base/fail.h"
#include "octet/base/visit.h"
#include "octet/data/support/input_hints.h"
#include "octet/data/support/split_mix.h"
#include "octet/graph/default_dimensions.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"

namespace octet {
namespace {

// NumPy lacks `wanted`, and stores it as `given`.
bool stands_for(DType given, DType wanted) { return given != wanted && given == numpy_type(wanted); }

// Throws kUsage, with what would make it fit, when the array is not what the input wants.
void require_fit(const Value& input, const ArrayType& array) {
  const DType wanted = input.type.dtype;
  if (fits({stands_for(array.dtype, wanted) ? wanted : array.dtype, array.shape}, input.type)) return;
  const std::string how = how_to_fit(array, input.type);
  fail(ErrorCode::kUsage, "input {} is {}, and the model wants {}{}", input.name, type_text(array),
       type_text(input.type), how.empty() ? "" : "; in NumPy, it fits as " + how);
}

Tensor narrowed(const Tensor& tensor, DType wanted) {
  const IntegerRange range = is_integer(wanted) ? integer_range(wanted) : IntegerRange{0, (1 << bits(wanted)) - 1};
  for (const std::int64_t value : tensor.to_ints())
    if (value < range.min || value > range.max)
      fail(ErrorCode::kUsage, "the value {} does not fit {}", value, name(wanted));
  return tensor.retyped(wanted);
}

Tensor as_declared(const Tensor& tensor, DType wanted) {
  if (!stands_for(tensor.dtype(), wanted)) return tensor;
  if (wanted == DType::kBFloat16) return convert(tensor, wanted);
  return narrowed(tensor, wanted);
}

ArrayType array_type_of(const Tensor& tensor) { return {tensor.dtype(), tensor.shape()}; }

Tensor as_input(const Value& input, const Tensor& tensor) {
  require_fit(input, array_type_of(tensor));
  try {
    return as_declared(tensor, input.type.dtype);
  } catch (const Error& error) {
    throw error.at("input " + input.name);
  }
}

const Value* input_named(const Model& model, const std::string& name) {
  const auto it = std::find_if(model.graph.inputs.begin(), model.graph.inputs.end(),
                               [&](const Value& input) { return input.name == name; });
  return it == model.graph.inputs.end() ? nullptr : &*it;
}

std::vector<const Value*> missing_inputs(const Model& model, const std::map<std::string, Tensor>& inputs) {
  std::vector<const Value*> missing = required_inputs(model.graph);
  std::erase_if(missing, [&](const Value* input) { return inputs.contains(input->name); });
  return missing;
}

std::string listed_inputs(const std::vector<const Value*>& inputs) {
  std::string text;
  for (const Value* input : inputs)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", input->name, type_text(input->type));
  return text;
}

// "; x.npz holds a (float32[2,3]), b (int8[4]) and 12 more", and of a single array what would make it fit.
std::string contents_text(const std::string& file, const std::vector<const Value*>& missing) {
  constexpr std::size_t kShown = 8;
  const NpzReader archive(file);
  std::string text;
  std::vector<std::pair<std::string, ArrayType>> arrays;
  for (const std::string& name : archive.names()) {
    if (arrays.size() == kShown) break;
    const NpyHeader header = archive.header(name);
    arrays.emplace_back(name, ArrayType{header.dtype, header.shape});
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, type_text(arrays.back().second));
  }
  if (arrays.empty()) return fmt::format("; {} holds no arrays", file);
  if (archive.names().size() > kShown) text += fmt::format(" and {} more", archive.names().size() - kShown);
  text = fmt::format("; {} holds {}", file, text);
  if (missing.size() != 1 || arrays.size() != 1) return text;
  const auto& [name, type] = arrays.front();
  const Value& wanted = *missing.front();
  const std::string how = how_to_fit(type, wanted.type);
  if (fits(type, wanted.type)) return text + fmt::format(", which would fit if its name were {}", wanted.name);
  return how.empty() ? text : text + fmt::format(", which under the name {} would fit as {}", wanted.name, how);
}

// FNV-1a of the name, so that an input's elements do not depend on the other inputs.
std::uint64_t name_hash(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

// Throws kUsage, naming all that is not known of these inputs' shapes.
void require_known_shapes(const std::vector<const Value*>& inputs) {
  std::vector<std::string> with_symbols, symbols, unknown;
  for (const Value* input : inputs) {
    if (!input->type.shape) {
      unknown.push_back(fmt::format("the rank of input {}", input->name));
      continue;
    }
    bool has_symbol = false;
    for (std::size_t i = 0; i < input->type.shape->size(); ++i) {
      const Dim& dim = (*input->type.shape)[i];
      has_symbol = has_symbol || dim.is_symbol();
      if (!dim.is_symbol() && !dim.known()) unknown.push_back(fmt::format("dimension {} of input {}", i, input->name));
      if (dim.is_symbol() && std::ranges::find(symbols, dim.symbol()) == symbols.end()) symbols.push_back(dim.symbol());
    }
    if (has_symbol) with_symbols.push_back(input->name);
  }
  if (symbols.empty() && unknown.empty()) return;
  std::string text, options;
  if (!unknown.empty())
    text = fmt::format("the model does not say {}: give {} with --input", fmt::join(unknown, ", "),
                       unknown.size() == 1 ? "that input" : "those inputs");
  for (const std::string& symbol : symbols) options += fmt::format(" --dim {}=1", symbol);
  if (!symbols.empty())
    text += fmt::format("{}input{} {} {} the symbolic dimension{} {}: give {} with{}", text.empty() ? "" : "; ",
                        with_symbols.size() == 1 ? "" : "s", fmt::join(with_symbols, ", "),
                        with_symbols.size() == 1 ? "has" : "have", symbols.size() == 1 ? "" : "s",
                        fmt::join(symbols, ", "), symbols.size() == 1 ? "it a size" : "them sizes", options);
  throw Error(ErrorCode::kUsage, text);
}

Tensor random_tensor(DType dtype, const Shape& shape, SplitMix64 random) {
  if (is_float(dtype) || is_minifloat(dtype)) {
    Tensor tensor = Tensor::uninitialized(DType::kFloat, shape);
    for (float& element : tensor.mutable_as<float>()) element = random.unit();
    return convert(tensor, dtype);
  }
  Tensor tensor = Tensor::uninitialized(dtype, shape);
  if (dtype == DType::kBool) {
    for (bool& element : tensor.mutable_as<bool>()) element = random.below(2) == 1;
    return tensor;
  }
  const IntegerRange range = bits(dtype) <= 16 ? integer_range(dtype) : IntegerRange{0, 9};
  visit_integer(dtype, [&]<typename T>() {
    for (T& element : tensor.mutable_as<T>())
      element = static_cast<T>(range.min + random.below(range.max - range.min + 1));
  });
  return tensor;
}

}  // namespace

std::map<std::string, Tensor> read_inputs(const Model& model, const std::filesystem::path& file,
                                          std::vector<std::string>& ignored) {
  std::map<std::string, Tensor> inputs;
  if (file.extension() == ".npy") {
    const std::vector<const Value*> required = required_inputs(model.graph);
    if (required.size() != 1)
      fail(ErrorCode::kUsage, "{} holds one array without name, the model needs {} inputs: give an .npz archive",
           file.string(), required.size());
    inputs.emplace(required.front()->name, as_input(*required.front(), load_npy(file)));
    return inputs;
  }
  const NpzReader archive(file);
  for (const std::string& name : archive.names()) {
    const Value* input = input_named(model, name);
    if (!input) {
      ignored.push_back(name);
      continue;
    }
    const NpyHeader header = archive.header(name);
    require_fit(*input, {header.dtype, header.shape});
    inputs.emplace(name, as_input(*input, archive.read(name)));
  }
  return inputs;
}

void add_random_inputs(const Model& model, std::uint64_t seed, std::map<std::string, Tensor>& inputs) {
  const std::vector<const Value*> wanted = missing_inputs(model, inputs);
  for (const Value* input : wanted) {
    const DType dtype = input->type.dtype;
    if (dtype != DType::kBool && !is_float(dtype) && !is_integer(dtype))
      fail(ErrorCode::kUsage, "input {} is of type {}, for which --random makes nothing up", input->name, name(dtype));
  }
  require_known_shapes(wanted);
  for (const Value* input : wanted)
    inputs.emplace(input->name, random_tensor(input->type.dtype, *concrete(*input->type.shape),
                                              SplitMix64(seed ^ name_hash(input->name))));
}

std::vector<std::map<std::string, Tensor>> random_batches(const Model& model, const std::vector<std::int64_t>& sizes,
                                                          std::uint64_t seed) {
  std::vector<Model> bound;
  for (const std::int64_t size : sizes) bound.push_back(with_batch(model, size));
  if (bound.empty()) bound.push_back(model);
  std::vector<std::map<std::string, Tensor>> batches;
  for (const Model& one : bound) add_random_inputs(with_symbols_as_one(one), seed, batches.emplace_back());
  return batches;
}

void require_all_inputs(const Model& model, const std::map<std::string, Tensor>& inputs, const std::string& file) {
  const std::vector<const Value*> missing = missing_inputs(model, inputs);
  if (missing.empty()) return;
  const std::string contents = file.ends_with(".npy") || file.empty() ? "" : contents_text(file, missing);
  fail(ErrorCode::kUsage, "no value for input {}: give it with --input FILE, or make it up with --random SEED{}",
       listed_inputs(missing), contents);
}

}  // namespace octet
