#include <algorithm>
#include <cmath>
#include <functional>

#include "octet/base/fail.h"
#include "octet/data/support/chunk.h"
#include "octet/graph/input_shape.h"
#include "octet/onnx/model_file.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"

namespace octet {
namespace {

// Arrays by name: of a file, or in memory.
struct ArraySource {
  std::vector<std::string> names;
  std::function<NpyHeader(const std::string&)> header;
  std::function<Tensor(const std::string&)> read;
};

bool is_label_name(const std::string& name) { return name == "y" || name == "label" || name == "labels"; }

// How many samples there are is not the input's to say.
ValueType any_number_of(const Value& input) {
  ValueType type = input.type;
  if (type.shape && !type.shape->empty()) type.shape->front() = Dim();
  return type;
}

// Bytes become float32 pixels.
bool has_type_for(DType dtype, const Value& input) {
  return dtype == input.type.dtype || (dtype == DType::kUint8 && input.type.dtype == DType::kFloat);
}

// Numbers of another type are not converted: that would round some of them silently.
void check_type(const std::filesystem::path& path, const std::string& array, DType dtype, const Value& input) {
  if (has_type_for(dtype, input)) return;
  fail(ErrorCode::kUsage, "{}: {} is {}, and input {} wants {}{}; save it with that type (numpy: astype)",
       path.string(), array.empty() ? "the array" : "array " + array, name(dtype), input.name, name(input.type.dtype),
       input.type.dtype == DType::kFloat ? ", or uint8 for pixels" : "");
}

// The array, once its header shows that its samples are what the input wants.
Tensor read_samples(const ArraySource& archive, const std::filesystem::path& path, const std::string& array,
                    const Value& input) {
  const NpyHeader header = archive.header(array);
  check_type(path, array, header.dtype, input);
  check_input_shape(input.name, any_number_of(input), header.dtype, header.shape);
  return archive.read(array);
}

// Integers, or floats that are whole numbers; else none, and why: what is not asked for its labels may have others, such as
// the targets of a regression.
void read_labels(const ArraySource& archive, const std::filesystem::path& path, const std::string& array,
                 Chunk& chunk) {
  const NpyHeader header = archive.header(array);  // there may be more of them than memory
  const bool real = header.dtype == DType::kFloat || header.dtype == DType::kDouble;
  if (!real && !is_integer(header.dtype) && header.dtype != DType::kBool) {
    chunk.unlabelled = fmt::format("{}: labels {} are {}; wanted integers", path.string(), array, name(header.dtype));
    return;
  }
  if (const std::int64_t count = element_count(header.shape); count != chunk.samples && count != 0) {
    if (!real) fail(ErrorCode::kFormat, "{}: {} labels for {} samples", path.string(), count, chunk.samples);
    chunk.unlabelled = fmt::format("{}: labels {} are {}{}; wanted a whole number for each of {} samples",
                                   path.string(), array, name(header.dtype), to_string(header.shape), chunk.samples);
    return;
  }
  const Tensor labels = archive.read(array);
  for (std::int64_t i = 0; real && i < labels.size(); ++i)
    if (const double label = labels.number_at(i); std::trunc(label) != label || std::abs(label) > 0x1p31) {
      chunk.unlabelled = fmt::format("{}: the label of sample {} in {} is {}; wanted a whole number", path.string(),
                                     i + 1, array, label);
      return;
    }
  chunk.labels = labels.to_ints();
}

// One array of labels, or several that say the same: if they differ, it is ambiguous which one to take.
void read_labels(const ArraySource& archive, const std::filesystem::path& path, const std::vector<std::string>& arrays,
                 Chunk& chunk) {
  for (const std::string& array : arrays) {
    Chunk found{.samples = chunk.samples};
    read_labels(archive, path, array, found);
    if (array != arrays[0] && found.labels != chunk.labels) {
      chunk.labels.clear();
      chunk.unlabelled =
          fmt::format("{}: {} and {} are both labels and differ; keep one of them", path.string(), arrays[0], array);
      return;
    }
    chunk.labels = std::move(found.labels);
    chunk.unlabelled = std::move(found.unlabelled);
  }
}

bool serves(const NpyHeader& header, const Value& input) {
  const ValueType type = any_number_of(input);
  if (!has_type_for(header.dtype, input)) return false;
  return !type.shape || std::equal(header.shape.begin(), header.shape.end(), type.shape->begin(), type.shape->end(),
                                   [](std::int64_t size, const Dim& dim) { return !surely_different(dim, size); });
}

std::string types_text(const ArraySource& archive, const std::vector<std::string>& arrays) {
  std::string text;
  for (const std::string& array : arrays) {
    const NpyHeader header = archive.header(array);
    text += fmt::format("{}{} ({}{})", text.empty() ? "" : ", ", array, name(header.dtype), to_string(header.shape));
  }
  return text;
}

// Among arrays without an input's name: pairs an input with the only array that fits it, if that fits no other input.
void match_by_shape(const ArraySource& archive, std::vector<std::string>& unused,
                    const std::vector<const Value*>& missing, std::map<std::string, std::string>& chosen) {
  std::map<std::string, std::vector<std::string>> arrays_for;  // by input
  std::map<std::string, int> uses;                             // by array
  for (const std::string& array : unused)
    for (const Value* input : missing)
      if ((missing.size() == 1 && unused.size() == 1) || serves(archive.header(array), *input)) {
        arrays_for[input->name].push_back(array);
        ++uses[array];
      }
  for (const auto& [input, arrays] : arrays_for)
    if (arrays.size() == 1 && uses[arrays[0]] == 1) {
      chosen[input] = arrays[0];
      std::erase(unused, arrays[0]);
    }
}

void count_samples(Chunk& chunk, const std::filesystem::path& path) {
  for (const auto& [name, array] : chunk.arrays) {
    const std::int64_t samples = array.rank() == 0 ? 0 : array.shape()[0];
    if (samples == 0) fail(ErrorCode::kFormat, "{}: array {} holds no samples", path.string(), name);
    if (chunk.samples != 0 && samples != chunk.samples)
      fail(ErrorCode::kFormat, "{}: array {} holds {} samples, another {}", path.string(), name, samples,
           chunk.samples);
    chunk.samples = samples;
  }
}

// What the arrays of an archive are for.
struct ArchiveArrays {
  std::map<std::string, std::string> chosen;  // by input
  std::vector<std::string> labels, unused;
  bool by_name = true;  // every input has an array of its name
};

// Throws kUsage where an input has none.
ArchiveArrays arrays_of(const ArraySource& archive, const std::filesystem::path& path,
                        const std::vector<Value>& inputs) {
  ArchiveArrays found;
  for (const std::string& array : archive.names) {
    if (std::any_of(inputs.begin(), inputs.end(), [&](const Value& input) { return input.name == array; }))
      found.chosen[array] = array;
    else
      (is_label_name(array) ? found.labels : found.unused).push_back(array);
  }
  std::vector<const Value*> missing;
  for (const Value& input : inputs)
    if (!found.chosen.contains(input.name)) missing.push_back(&input);
  found.by_name = missing.empty();
  match_by_shape(archive, found.unused, missing, found.chosen);
  for (const Value& input : inputs)
    if (!found.chosen.contains(input.name)) {
      const std::string others = types_text(archive, found.unused);
      fail(ErrorCode::kUsage, "{} has no array {}{}", path.string(), input.name,
           others.empty() ? ""
                          : fmt::format(", and none of its others fits it alone: {}; wanted {}{}", others,
                                        name(input.type.dtype), input.type.shape ? to_string(*input.type.shape) : ""));
    }
  return found;
}

Chunk read_named(const ArraySource& archive, const std::filesystem::path& path, const std::vector<Value>& inputs,
                 const Note& note) {
  const ArchiveArrays found = arrays_of(archive, path, inputs);
  Chunk result;
  for (const Value& input : inputs) {
    const std::string& array = found.chosen.at(input.name);
    result.arrays[input.name] = read_samples(archive, path, array, input);
    if (note && array != input.name)
      note(fmt::format("{}: the array {} serves as input {}", path.string(), array, input.name));
  }
  if (note && !found.by_name && !found.unused.empty())
    note(fmt::format("{}: not used: {}", path.string(), types_text(archive, found.unused)));
  count_samples(result, path);
  read_labels(archive, path, found.labels, result);
  return result;
}

// Whether the archive is what the model wants is found when it is read.
Outline outline_named(const ArraySource& archive, const std::filesystem::path& path, const std::vector<Value>& inputs) {
  const ArchiveArrays found = arrays_of(archive, path, inputs);
  const Shape shape = archive.header(found.chosen.begin()->second).shape;
  Chunk chunk{.samples = shape.empty() ? 0 : shape[0]};
  read_labels(archive, path, found.labels, chunk);
  return {chunk.samples, std::move(chunk.labels)};
}

// The only array, of the only input.
Chunk read_single(Tensor array, const std::filesystem::path& path, const std::vector<Value>& inputs) {
  const Value& input = only_input(inputs, path);
  check_type(path, "", array.dtype(), input);
  Chunk result;
  result.arrays[input.name] = std::move(array);
  count_samples(result, path);
  return result;
}

ArraySource source_of(const NpzReader& archive) {
  return {.names = archive.names(),
          .header = [&](const std::string& name) { return archive.header(name); },
          .read = [&](const std::string& name) { return archive.read(name); }};
}

}  // namespace

const Value& only_input(const std::vector<Value>& inputs, const std::filesystem::path& path) {
  if (inputs.size() != 1)
    fail(ErrorCode::kUsage, "{} has one array, the model {} inputs; give an .npz with one array for each",
         path.string(), inputs.size());
  return inputs[0];
}

Chunk read_arrays(const std::filesystem::path& path, const std::vector<Value>& inputs, const Note& note) {
  const std::string extension = path.extension().string();
  if (extension == ".npy" || extension == ".pb") {
    only_input(inputs, path);  // before anything is read
    return read_single(extension == ".npy" ? load_npy(path) : load_tensor(path), path, inputs);
  }
  if (extension != ".npz")
    fail(ErrorCode::kUsage, "{}: wanted a .jpg, .png, .bin, .npy, .npz or .pb file, or a folder of them",
         path.string());
  const NpzReader archive(path);
  return read_named(source_of(archive), path, inputs, note);
}

Chunk read_arrays(const std::map<std::string, Tensor>& arrays, const std::filesystem::path& path,
                  const std::vector<Value>& inputs, const Note& note) {
  if (arrays.size() == 1 && arrays.begin()->first.empty()) return read_single(arrays.begin()->second, path, inputs);
  ArraySource source{.header =
                         [&](const std::string& name) {
                           const Tensor& array = arrays.at(name);
                           return NpyHeader{array.dtype(), array.shape()};
                         },
                     .read = [&](const std::string& name) { return arrays.at(name); }};
  for (const auto& [name, array] : arrays) source.names.push_back(name);
  return read_named(source, path, inputs, note);
}

Outline outline_arrays(const std::filesystem::path& path, const std::vector<Value>& inputs) {
  if (path.extension() != ".npz") return {read_arrays(path, inputs, {}).samples, {}};
  const NpzReader archive(path);
  return outline_named(source_of(archive), path, inputs);
}

Chunk read_test_data(const std::filesystem::path& folder, const std::vector<Value>& inputs) {
  Chunk result{.samples = 1, .whole = true};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::filesystem::path path = folder / fmt::format("input_{}.pb", i);
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      fail(ErrorCode::kUsage, "there is no {} for input {}", path.string(), inputs[i].name);
    Tensor tensor = load_tensor(path);
    check_type(path, "", tensor.dtype(), inputs[i]);
    try {
      check_input_shape(inputs[i].name, inputs[i].type, tensor.dtype(), tensor.shape());
    } catch (const Error& wrong) {
      throw wrong.at(path.string());
    }
    result.arrays[inputs[i].name] = std::move(tensor);
  }
  return result;
}

}  // namespace octet
