#include "octet/data/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "octet/base/fail.h"
#include "octet/data/support/chunk.h"
#include "octet/data/support/sample_files.h"
#include "octet/system/read_file.h"

namespace octet {
namespace {

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

// Bytes for a float32 input are pixels.
bool is_pixels(const Value& input, const Tensor& array) {
  return array.dtype() == DType::kUint8 && input.type.dtype == DType::kFloat;
}

}  // namespace

struct SampleStream::State {
  std::vector<Value> inputs;
  SampleOptions options;
  SampleFiles files;
  SampleArrays parts;  // instead of files, whose only path is then what messages call them
  std::size_t next_file = 0;
  std::int64_t remaining;
  std::optional<std::int64_t> batch;  // the model's own
  Chunk chunk;
  std::int64_t position = 0;
  bool found_any = false;

  void say(const std::string& text) const {
    if (options.note) options.note(text);
  }

  Tensor as_input(const Value& input, Tensor array) const {
    if (!is_pixels(input, array)) return array;
    return to_pixels(array, array.rank() == 4 && is_channels_last(input) ? 3 : 1, options.pixels, input.name);
  }

  // Nothing where the image is broken and that is to be passed over.
  std::optional<Tensor> decoded(const std::filesystem::path& path) const {
    try {
      return decode_image(read_file(path));
    } catch (const Error& error) {
      if (!options.skip_broken) throw error.at(path.string());
      say("skipped " + path.string() + ": " + error.what());
      return std::nullopt;
    }
  }

  // The next images, `wanted` of them if there are as many.
  Chunk read_images(std::int64_t wanted) {
    const Value& input = only_input(inputs, files.paths[next_file]);
    const ImageLayout layout = image_layout(input);
    std::vector<Tensor> images;
    Chunk result;
    if (!files.unlabelled.empty()) result.unlabelled = files.unlabelled;
    for (; next_file < files.paths.size() && result.samples < wanted; ++next_file) {
      const std::filesystem::path& path = files.paths[next_file];
      const std::optional<Tensor> image = decoded(path);
      if (!image) continue;
      try {
        images.push_back(image_input(*image, options.images, layout));
        if (images.back().shape() != images.front().shape())
          fail(ErrorCode::kUsage, "it is {} and the image before it {}: resize or crop them, or take one at a time",
               to_string(images.back().shape()), to_string(images.front().shape()));
      } catch (const Error& error) {
        throw error.at(path.string());
      }
      if (!files.labels.empty()) result.labels.push_back(files.labels[next_file]);
      ++result.samples;
    }
    if (images.empty()) return result;
    Shape shape = images.front().shape();
    shape.insert(shape.begin(), result.samples);
    Tensor all = Tensor::uninitialized(DType::kUint8, shape);
    std::byte* to = all.mutable_bytes().data();
    for (const Tensor& image : images) to = std::copy(image.bytes().begin(), image.bytes().end(), to);
    result.arrays[input.name] = std::move(all);
    return result;
  }

  // Nothing where there are no more; of images, as many as will be asked for.
  std::optional<Chunk> read_more(std::int64_t wanted) {
    if (parts) {
      const std::optional<std::map<std::string, Tensor>> part = parts();
      if (!part) return std::nullopt;
      return read_arrays(*part, files.paths[0], inputs, options.note);
    }
    if (next_file == files.paths.size()) return std::nullopt;
    if (files.kind == SampleKind::kImages) return read_images(wanted);
    const std::filesystem::path& path = files.paths[next_file++];
    if (files.kind == SampleKind::kTestData) return read_test_data(path, inputs);
    if (path.extension() == ".bin") return read_cifar(path, only_input(inputs, path));
    return read_arrays(path, inputs, options.note);
  }

  // The rest of the chunk, or the next one. False when there are no more.
  bool has_more(std::int64_t wanted) {
    if (position < chunk.samples) return true;
    std::optional<Chunk> next = read_more(wanted);
    if (!next) return false;
    chunk = std::move(*next);
    position = 0;
    return chunk.samples > 0;
  }
};

SampleStream::SampleStream(const Model& model, SampleOptions options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  for (const Value* input : required_inputs(model.graph)) s.inputs.push_back(*input);
  if (s.inputs.empty()) fail(ErrorCode::kUsage, "the model has no inputs");
  s.options = std::move(options);
  for (const float mean : s.options.pixels.mean)
    if (!std::isfinite(mean)) fail(ErrorCode::kUsage, "a mean of {}; wanted finite numbers", mean);
  for (const float deviation : s.options.pixels.deviation)
    if (!std::isfinite(deviation) || deviation <= 0)
      fail(ErrorCode::kUsage, "a deviation of {}, by which pixels are divided; wanted finite numbers above 0",
           deviation);
  s.remaining = s.options.limit > 0 ? s.options.limit : std::numeric_limits<std::int64_t>::max();
  const auto& shape = s.inputs[0].type.shape;
  if (shape && !shape->empty() && (*shape)[0].known()) s.batch = (*shape)[0].value();
}

SampleStream::SampleStream(const Model& model, const std::filesystem::path& path, SampleOptions options)
    : SampleStream(model, std::move(options)) {
  State& s = *state_;
  s.files = find_sample_files(path, s.options.labels);
  if (s.files.kind != SampleKind::kImages && (s.options.images.asked_for() || s.options.skip_broken))
    fail(ErrorCode::kUsage, "{} holds {}; images alone are resized, cropped, taken as BGR or skipped", path.string(),
         name(s.files.kind));
  if (!s.files.passed_over.empty())
    s.say(fmt::format("{}: passed over: {}; images are .jpg, .jpeg and .png", path.string(), s.files.passed_over));
}

SampleStream::SampleStream(const Model& model, SampleArrays parts, SampleOptions options)
    : SampleStream(model, std::move(options)) {
  State& s = *state_;
  if (!s.options.labels.empty() || s.options.images.asked_for() || s.options.skip_broken)
    fail(ErrorCode::kUsage,
         "the samples are arrays; files of images alone have a list of labels and are resized, "
         "cropped, taken as BGR or skipped");
  s.files.paths = {"data"};
  s.next_file = 1;
  s.parts = std::move(parts);
}

SampleStream::~SampleStream() = default;

std::optional<Batch> SampleStream::next(std::int64_t wanted) {
  State& s = *state_;
  if (s.remaining == 0) return std::nullopt;
  if (!s.has_more(s.batch ? *s.batch : std::min(wanted, s.remaining))) {
    if (!s.found_any && s.files.kind == SampleKind::kImages)
      fail(ErrorCode::kFormat, "none of the {} images can be read", s.files.paths.size());
    return std::nullopt;
  }
  s.found_any = true;
  const std::int64_t left = std::min(s.chunk.samples - s.position, s.remaining);
  const std::int64_t count = s.chunk.whole ? s.chunk.samples : s.batch ? *s.batch : std::min(wanted, left);
  if (count > left)
    fail(ErrorCode::kUsage, "{} of {}; samples left over: {}; ask for a multiple of {}",
         s.chunk.whole ? "the samples come in batches" : "the model takes batches", count, left, count);
  Batch batch{.samples = count};
  bool has_pixels = false;
  for (const Value& input : s.inputs) {
    const Tensor& array = s.chunk.arrays.at(input.name);
    has_pixels = has_pixels || is_pixels(input, array);
    if (is_pixels(input, array) && !is_image_shaped(input) && !s.options.pixels.asked_for)
      s.say(fmt::format("{}: the bytes for input {} are taken as pixels and divided by 255; --pixels byte leaves them",
                        s.files.paths[s.next_file - 1].string(), input.name));
    batch.inputs[input.name] = s.as_input(input, s.chunk.whole ? array : slice_samples(array, s.position, count));
  }
  if (s.options.pixels.asked_for && !has_pixels)
    fail(ErrorCode::kUsage, "{} holds no bytes for a float32 input: there are no pixels to convert",
         s.files.paths[s.next_file - 1].string());
  if (s.chunk.labels.empty())
    batch.unlabelled = s.chunk.unlabelled;
  else
    batch.labels.assign(s.chunk.labels.begin() + s.position, s.chunk.labels.begin() + s.position + count);
  batch.named_classes = s.files.named_classes;
  s.position += count;
  s.remaining -= count;
  return batch;
}

std::optional<std::int64_t> SampleStream::total() const {
  const SampleFiles& files = state_->files;
  if (files.kind != SampleKind::kArrays)
    return std::min(static_cast<std::int64_t>(files.paths.size()), state_->remaining);
  std::int64_t sum = 0;
  for (const auto& file : files.paths) {
    std::error_code error;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
    if (error || file.extension() != ".bin") return std::nullopt;
    sum += size / kCifarRecord;
  }
  return std::min(sum, state_->remaining);
}

}  // namespace octet
