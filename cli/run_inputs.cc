#include "cli/run_inputs.h"

#include <algorithm>

#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/base/npy.h"
#include "octet/base/npz.h"
#include "octet/base/visit.h"
#include "octet/report/numbers.h"

namespace octet::cli {
namespace {

// "x.npz holds 5 arrays that the model has no inputs for: a, b, c, …".
std::string ignored_text(const std::string& file, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) list += (i ? ", " : "") + names[i];
  return fmt::format("{} holds {} that the model has no inputs for: {}{}", file,
                     counted(static_cast<std::int64_t>(names.size()), "array"), list,
                     names.size() > kShown ? ", …" : "");
}

Tensor narrowed(const Tensor& tensor, DType wanted) {
  const IntegerRange range = integer_range(wanted);
  for (const std::int64_t value : tensor.to_ints())
    if (value < range.min || value > range.max)
      fail(ErrorCode::kUsage, "the value {} does not fit {}", value, name(wanted));
  return tensor.retyped(wanted);
}

Tensor as_declared(const Tensor& tensor, DType wanted) {
  const DType given = tensor.dtype();
  if (wanted == DType::kBFloat16 && given == DType::kFloat) return convert(tensor, wanted);
  if (is_integer(wanted) && bits(wanted) < 8 && given == (is_signed_integer(wanted) ? DType::kInt8 : DType::kUint8))
    return narrowed(tensor, wanted);
  if (is_minifloat(wanted) && given == DType::kUint8) return tensor.retyped(wanted);
  return tensor;
}

Tensor placed(const Value& input, const Tensor& tensor) {
  try {
    return as_declared(tensor, input.type.dtype);
  } catch (const Error& error) {
    throw error.at("input " + input.name);
  }
}

const Value* find_input(const Model& model, const std::string& name) {
  const auto it = std::find_if(model.graph.inputs.begin(), model.graph.inputs.end(),
                               [&](const Value& input) { return input.name == name; });
  return it == model.graph.inputs.end() ? nullptr : &*it;
}

// Steele, Lea and Flood's splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // The upper 32 bits, scaled.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>((next() >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-23F - 1; }

 private:
  std::uint64_t state_;
};

// FNV-1a of the name, so that an input's elements do not depend on the other inputs.
std::uint64_t hash(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

Shape known_shape(const Value& input) {
  if (!input.type.shape)
    fail(ErrorCode::kUsage, "the model does not say the rank of input {}: give it with --input", input.name);
  for (std::size_t i = 0; i < input.type.shape->size(); ++i) {
    const Dim& dim = (*input.type.shape)[i];
    if (dim.is_symbol())
      fail(ErrorCode::kUsage, "input {} has the symbolic dimension {}: give it a size with --dim {}=1", input.name,
           dim.symbol(), dim.symbol());
    if (!dim.known())
      fail(ErrorCode::kUsage, "dimension {} of input {} is not known and has no name: give the input with --input", i,
           input.name);
  }
  return *concrete(*input.type.shape);
}

Tensor random_tensor(DType dtype, const Shape& shape, Random random) {
  if (is_float(dtype)) {
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

NamedTensors read_inputs(const Model& model, const std::filesystem::path& file, std::vector<std::string>& ignored) {
  NamedTensors inputs;
  if (file.extension() == ".npy") {
    const std::vector<const Value*> required = required_inputs(model.graph);
    if (required.size() != 1)
      fail(ErrorCode::kUsage, "{} holds one array without name, the model needs {} inputs: give an .npz archive",
           file.string(), required.size());
    inputs.emplace(required.front()->name, placed(*required.front(), load_npy(file)));
    return inputs;
  }
  const NpzReader archive(file);
  for (const std::string& name : archive.names()) {
    if (const Value* input = find_input(model, name))
      inputs.emplace(name, placed(*input, archive.read(name)));
    else
      ignored.push_back(name);
  }
  return inputs;
}

void add_random_inputs(const Model& model, std::uint64_t seed, NamedTensors& inputs) {
  for (const Value* input : required_inputs(model.graph)) {
    if (inputs.contains(input->name)) continue;
    const DType dtype = input->type.dtype;
    if (dtype != DType::kBool && !is_float(dtype) && !is_integer(dtype))
      fail(ErrorCode::kUsage, "input {} is of type {}, for which --random makes nothing up", input->name, name(dtype));
    inputs.emplace(input->name, random_tensor(dtype, known_shape(*input), Random(seed ^ hash(input->name))));
  }
}

void require_all_inputs(const Model& model, const NamedTensors& inputs) {
  std::string missing;
  for (const Value* input : required_inputs(model.graph))
    if (!inputs.contains(input->name)) missing += (missing.empty() ? "" : ", ") + input->name;
  if (missing.empty()) return;
  fail(ErrorCode::kUsage, "no value for input {}: give it with --input FILE, or make it up with --random SEED",
       missing);
}

void add_input_options(CommandLine line, InputOptions& options) {
  line.option("--input", options.file, "Inputs by name (.npz), or the only input (.npy)", "FILE");
  line.option("--random", options.seed,
              "Make up the inputs that are not given: 8-bit integers over their whole range, floats in [-1, 1)",
              "SEED");
}

NamedTensors inputs_for(const Model& model, const InputOptions& options) {
  NamedTensors inputs;
  std::vector<std::string> ignored;
  if (!options.file.empty()) inputs = read_inputs(model, options.file, ignored);
  if (options.seed) add_random_inputs(model, *options.seed, inputs);
  require_all_inputs(model, inputs);
  if (!ignored.empty()) print_error(fmt::format("note: {}", ignored_text(options.file, ignored)));
  return inputs;
}

}  // namespace octet::cli
