#include "octet/data/samples.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "octet/base/fail.h"
#include "octet/base/npy.h"
#include "octet/base/npz.h"
#include "octet/base/read_file.h"
#include "octet/graph/input_shape.h"

namespace octet {
namespace {

constexpr std::int64_t kImageBytes = 3072, kPlane = 1024, kRecord = 1 + kImageBytes;

// The samples of one file, whole: an array per input, samples along the first axis.
struct Chunk {
  std::map<std::string, Tensor> arrays;
  std::vector<std::int64_t> labels;
  std::int64_t samples = 0;
};

bool is_sample_file(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".bin" || extension == ".npy" || extension == ".npz";
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error))
    if (entry.is_regular_file() && is_sample_file(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) fail(ErrorCode::kUsage, "{} holds no .bin, .npy or .npz file", path.string());
  return files;
}

Tensor slice_samples(const Tensor& array, std::int64_t first, std::int64_t count) {
  Shape shape = array.shape();
  const std::size_t per_sample = array.byte_size() / static_cast<std::size_t>(std::max<std::int64_t>(shape[0], 1));
  shape[0] = count;
  Tensor result = Tensor::uninitialized(array.dtype(), shape);
  std::memcpy(result.mutable_bytes().data(), array.bytes().data() + static_cast<std::size_t>(first) * per_sample,
              static_cast<std::size_t>(count) * per_sample);
  return result;
}

// What each byte becomes: one table, or one per channel.
std::vector<std::array<float, 256>> pixel_tables(const PixelForm& form) {
  std::vector<std::array<float, 256>> tables(std::max({form.mean.size(), form.deviation.size(), std::size_t{1}}));
  for (std::size_t c = 0; c < tables.size(); ++c)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      float value = static_cast<float>(byte) / form.divisor;
      if (!form.mean.empty()) value -= form.mean[c % form.mean.size()];
      if (!form.deviation.empty()) value /= form.deviation[c % form.deviation.size()];
      tables[c][byte] = value;
    }
  return tables;
}

// Channels are along `axis`, where there is such an axis.
Tensor to_pixels(const Tensor& bytes, std::size_t axis, const PixelForm& form, const std::string& input) {
  const Shape& shape = bytes.shape();
  const std::int64_t channels = axis < shape.size() ? shape[axis] : 1;
  for (const auto* values : {&form.mean, &form.deviation})
    if (values->size() > 1 && static_cast<std::int64_t>(values->size()) != channels)
      fail(ErrorCode::kUsage, "{} means or deviations for input {}, whose samples have {} channels", values->size(),
           input, channels);
  const auto tables = pixel_tables(form);
  Tensor result = Tensor::uninitialized(DType::kFloat, shape);
  const std::uint8_t* from = bytes.as<std::uint8_t>().data();
  float* to = result.mutable_as<float>().data();
  const std::int64_t inner = tables.size() > 1 ? element_count(std::span(shape).subspan(axis + 1)) : bytes.size();
  for (std::int64_t begin = 0, run = 0; begin < bytes.size(); begin += inner, ++run) {
    const auto& table = tables[static_cast<std::size_t>(run) % tables.size()];
    for (std::int64_t k = begin; k < begin + inner; ++k) to[k] = table[from[k]];
  }
  return result;
}

// The array, once its header shows that its samples are what the input wants. How many there are is not the input's to
// say.
Tensor read_samples(const NpzReader& archive, const std::string& array, const Value& input) {
  ValueType type = input.type;
  if (type.shape && !type.shape->empty()) type.shape->front() = Dim();
  const NpyHeader header = archive.header(array);
  check_input_shape(input.name, type, header.dtype, header.shape);
  return archive.read(array);
}

bool is_label_name(const std::string& name) { return name == "y" || name == "label" || name == "labels"; }

}  // namespace

struct SampleStream::State {
  std::vector<Value> inputs;
  PixelForm pixels;
  std::vector<std::filesystem::path> files;
  std::size_t next_file = 0;
  std::int64_t remaining;
  std::optional<std::int64_t> batch;  // the model's own
  Chunk chunk;
  std::int64_t position = 0;

  const Value& only_input(const std::filesystem::path& path) const {
    if (inputs.size() != 1)
      fail(ErrorCode::kUsage, "{} has one array, the model {} inputs; give an .npz with one array for each",
           path.string(), inputs.size());
    return inputs[0];
  }

  bool is_channels_last(const Value& input) const {
    const auto& shape = input.type.shape;
    return shape && shape->size() == 4 && (*shape)[3].is(3) && !(*shape)[1].is(3);
  }

  bool channels_last(const Value& input) const {
    if (is_channels_last(input)) return true;
    const auto& shape = input.type.shape;
    if (shape && (shape->size() != 4 || surely_different((*shape)[1], 3)))
      fail(ErrorCode::kUsage, "input {} is {}; CIFAR-10 images are [N,3,32,32] or [N,32,32,3]", input.name,
           to_string(*shape));
    return false;
  }

  // Bytes in the layout of the model's input.
  Chunk read_cifar(const std::filesystem::path& path) const {
    const FileBytes file = read_file(path);
    const auto size = static_cast<std::int64_t>(file.bytes.size());
    if (size == 0 || size % kRecord != 0)
      fail(ErrorCode::kFormat, "{} has {} bytes; CIFAR-10's binary format has {} for each image", path.string(), size,
           kRecord);
    const Value& input = only_input(path);
    const bool last = channels_last(input);
    if (input.type.dtype != DType::kUint8 && input.type.dtype != DType::kFloat)
      fail(ErrorCode::kUsage, "input {} is {}; images become uint8 or float32", input.name, name(input.type.dtype));

    Chunk result;
    result.samples = size / kRecord;
    Tensor images = Tensor::uninitialized(DType::kUint8,
                                          last ? Shape{result.samples, 32, 32, 3} : Shape{result.samples, 3, 32, 32});
    const auto* record = reinterpret_cast<const std::uint8_t*>(file.bytes.data());
    std::uint8_t* to = images.mutable_as<std::uint8_t>().data();
    for (std::int64_t i = 0; i < result.samples; ++i, record += kRecord, to += kImageBytes) {
      result.labels.push_back(record[0]);
      const std::uint8_t* image = record + 1;
      if (!last)
        std::copy_n(image, kImageBytes, to);
      else
        for (std::int64_t k = 0; k < kImageBytes; ++k) to[k % kPlane * 3 + k / kPlane] = image[k];
    }
    result.arrays[input.name] = std::move(images);
    return result;
  }

  // Bytes for a float32 input are pixels.
  bool is_pixels(const Value& input, const Tensor& array) const {
    return array.dtype() == DType::kUint8 && input.type.dtype == DType::kFloat;
  }

  Tensor as_input(const Value& input, Tensor array) const {
    if (!is_pixels(input, array)) return array;
    return to_pixels(array, array.rank() == 4 && is_channels_last(input) ? 3 : 1, pixels, input.name);
  }

  Chunk read_npz(const std::filesystem::path& path) const {
    const NpzReader archive(path);
    Chunk result;
    std::vector<std::string> unlabelled;
    for (const std::string& array : archive.names()) {
      const auto input = std::find_if(inputs.begin(), inputs.end(), [&](const Value& v) { return v.name == array; });
      if (input != inputs.end())
        result.arrays[array] = read_samples(archive, array, *input);
      else if (is_label_name(array))
        result.labels = archive.read(array).to_ints();
      else
        unlabelled.push_back(array);
    }
    if (result.arrays.empty() && inputs.size() == 1 && unlabelled.size() == 1)
      result.arrays[inputs[0].name] = read_samples(archive, unlabelled[0], inputs[0]);
    for (const Value& input : inputs)
      if (!result.arrays.contains(input.name)) fail(ErrorCode::kUsage, "{} has no array {}", path.string(), input.name);
    return result;
  }

  Chunk read(const std::filesystem::path& path) const {
    const std::string extension = path.extension().string();
    if (extension == ".bin") return read_cifar(path);
    Chunk result;
    if (extension == ".npy")
      result.arrays[only_input(path).name] = load_npy(path);
    else if (extension == ".npz")
      result = read_npz(path);
    else
      fail(ErrorCode::kUsage, "{}: wanted a .bin, .npy or .npz file, or a folder of them", path.string());
    for (const auto& [name, array] : result.arrays) {
      const std::int64_t samples = array.rank() == 0 ? 0 : array.shape()[0];
      if (samples == 0) fail(ErrorCode::kFormat, "{}: array {} holds no samples", path.string(), name);
      if (result.samples != 0 && samples != result.samples)
        fail(ErrorCode::kFormat, "{}: array {} holds {} samples, another {}", path.string(), name, samples,
             result.samples);
      result.samples = samples;
    }
    if (!result.labels.empty() && static_cast<std::int64_t>(result.labels.size()) != result.samples)
      fail(ErrorCode::kFormat, "{}: {} labels for {} samples", path.string(), result.labels.size(), result.samples);
    return result;
  }
};

SampleStream::SampleStream(const Model& model, const std::filesystem::path& path, PixelForm pixels, std::int64_t limit)
    : state_(std::make_unique<State>()) {
  for (const Value* input : required_inputs(model.graph)) state_->inputs.push_back(*input);
  if (state_->inputs.empty()) fail(ErrorCode::kUsage, "the model has no inputs");
  state_->pixels = std::move(pixels);
  state_->files = files_in(path);
  state_->remaining = limit > 0 ? limit : std::numeric_limits<std::int64_t>::max();
  const auto& shape = state_->inputs[0].type.shape;
  if (shape && !shape->empty() && (*shape)[0].known()) state_->batch = (*shape)[0].value();
}

SampleStream::~SampleStream() = default;

std::optional<Batch> SampleStream::next(std::int64_t wanted) {
  State& s = *state_;
  if (s.remaining == 0) return std::nullopt;
  if (s.position == s.chunk.samples) {
    if (s.next_file == s.files.size()) return std::nullopt;
    s.chunk = s.read(s.files[s.next_file++]);
    s.position = 0;
  }
  const std::int64_t left = std::min(s.chunk.samples - s.position, s.remaining);
  const std::int64_t count = s.batch ? *s.batch : std::min(wanted, left);
  if (count > left) {
    if (left < s.chunk.samples - s.position) return std::nullopt;  // the limit cuts a batch
    fail(ErrorCode::kUsage, "the model takes batches of {}; {} samples are left over", count, left);
  }
  Batch batch{.samples = count};
  bool has_pixels = false;
  for (const Value& input : s.inputs) {
    const Tensor& array = s.chunk.arrays.at(input.name);
    has_pixels = has_pixels || s.is_pixels(input, array);
    batch.inputs[input.name] = s.as_input(input, slice_samples(array, s.position, count));
  }
  if (s.pixels.asked_for && !has_pixels)
    fail(ErrorCode::kUsage, "{} holds no bytes for a float32 input: there are no pixels to convert",
         s.files[s.next_file - 1].string());
  if (!s.chunk.labels.empty())
    batch.labels.assign(s.chunk.labels.begin() + s.position, s.chunk.labels.begin() + s.position + count);
  s.position += count;
  s.remaining -= count;
  return batch;
}

std::optional<std::int64_t> SampleStream::total() const {
  std::int64_t sum = 0;
  for (const auto& file : state_->files) {
    std::error_code error;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
    if (error || file.extension() != ".bin") return std::nullopt;
    sum += size / kRecord;
  }
  return std::min(sum, state_->remaining);
}

}  // namespace octet
