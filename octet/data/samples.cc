#include "octet/data/samples.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "octet/base/fail.h"
#include "octet/data/pick_samples.h"
#include "octet/data/support/chunk.h"
#include "octet/data/support/sample_files.h"
#include "octet/system/read_file.h"

namespace octet {
namespace {

// Those samples alone.
Tensor rows_of(const Tensor& array, std::span<const std::int64_t> rows) {
  Shape shape = array.shape();
  const std::size_t per_sample = array.byte_size() / static_cast<std::size_t>(std::max<std::int64_t>(shape[0], 1));
  shape[0] = static_cast<std::int64_t>(rows.size());
  Tensor result = Tensor::uninitialized(array.dtype(), shape);
  std::byte* to = result.mutable_bytes().data();
  for (const std::int64_t row : rows)
    to = std::copy_n(array.bytes().data() + static_cast<std::size_t>(row) * per_sample, per_sample, to);
  return result;
}

Chunk rows_of(const Chunk& chunk, std::span<const std::int64_t> rows) {
  Chunk result{.unlabelled = chunk.unlabelled, .samples = static_cast<std::int64_t>(rows.size())};
  for (const auto& [name, array] : chunk.arrays) result.arrays[name] = rows_of(array, rows);
  for (const std::int64_t row : rows) {
    if (!chunk.labels.empty()) result.labels.push_back(chunk.labels[static_cast<std::size_t>(row)]);
    result.sources.push_back(chunk.sources[static_cast<std::size_t>(row)]);
  }
  return result;
}

Tensor joined(const Tensor& first, const Tensor& second) {
  Shape shape = first.shape(), other = second.shape();
  shape[0] += other[0];
  other[0] = shape[0];
  if (first.dtype() != second.dtype() || shape != other)
    fail(ErrorCode::kUsage, "samples of one batch are {} in one file and {} in the next", to_string(first.shape()),
         to_string(second.shape()));
  Tensor result = Tensor::uninitialized(first.dtype(), shape);
  std::byte* const to = result.mutable_bytes().data();
  std::copy(second.bytes().begin(), second.bytes().end(), std::copy(first.bytes().begin(), first.bytes().end(), to));
  return result;
}

// The samples of one, then those of the other.
Chunk joined(Chunk first, const Chunk& second) {
  for (auto& [name, array] : first.arrays) array = joined(array, second.arrays.at(name));
  if (second.labels.empty() && !first.labels.empty()) {
    first.unlabelled = second.unlabelled;
    first.labels.clear();
  } else if (!first.labels.empty()) {
    first.labels.insert(first.labels.end(), second.labels.begin(), second.labels.end());
  }
  first.sources.insert(first.sources.end(), second.sources.begin(), second.sources.end());
  first.samples += second.samples;
  return first;
}

// Every `of`-th of these samples, taken group by group.
std::vector<std::int64_t> part_of(std::vector<std::int64_t> samples, std::span<const std::int64_t> groups,
                                  const SamplePart& part) {
  if (static_cast<std::int64_t>(samples.size()) < part.of)
    fail(ErrorCode::kUsage, "{} samples make no {} parts", samples.size(), part.of);
  std::ranges::stable_sort(samples, {}, [&](std::int64_t sample) { return groups[static_cast<std::size_t>(sample)]; });
  std::vector<std::int64_t> taken;
  for (std::size_t i = static_cast<std::size_t>(part.index); i < samples.size(); i += static_cast<std::size_t>(part.of))
    taken.push_back(samples[i]);
  std::ranges::sort(taken);
  return taken;
}

// Keeps elements[i] of these i, ascending.
template <typename T>
void keep(std::vector<T>& elements, std::span<const std::int64_t> kept) {
  if (elements.empty()) return;
  for (std::size_t k = 0; k < kept.size(); ++k) elements[k] = std::move(elements[static_cast<std::size_t>(kept[k])]);
  elements.resize(kept.size());
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
      float value = static_cast<float>(byte) / form.divisor.value_or(255);
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
  std::string source;  // that was asked for
  SampleOptions options;
  SampleFiles files;
  SampleArrays parts;  // instead of files, whose only path is then what messages call them
  std::size_t next_file = 0;
  std::int64_t remaining;
  std::optional<std::int64_t> batch;  // the model's own
  Chunk chunk;
  std::int64_t position = 0;
  std::int64_t seen = 0;  // samples of arrays in memory
  bool found_any = false;
  bool had_pixels = false;
  std::string contradicted;                     // what was asked for otherwise than it is recorded
  std::vector<std::vector<std::int64_t>> rows;  // of arrays, the samples that are taken from each file; empty: all

  void say(const std::string& text) const {
    if (options.note) options.note(text);
  }

  Tensor as_input(const Value& input, Tensor array) const {
    if (!is_pixels(input, array)) return array;
    return to_pixels(array, array.rank() == 4 && is_channels_last(input) ? 3 : 1, options.pixels, input.name);
  }

  // What options leave open is as the model records it.
  void use_record(bool are_images) {
    if (!options.recorded) return;
    contradicted = contradictions(options.pixels, options.images, *options.recorded);
    complete(options.pixels, options.images, *options.recorded, are_images);
  }

  // Once the first samples are there: whether what is recorded counts for them is known then.
  void tell_recorded() const {
    if (!options.recorded) return;
    if (!contradicted.empty()) {
      if (options.warn)
        options.warn(
            fmt::format("{}, as the model records it: its ranges were chosen for other numbers", contradicted));
    } else if (options.recorded->pixels != PixelForm{.divisor = 255} || options.recorded->images.asked_for()) {
      say("samples become inputs as the model records it: " + to_string(*options.recorded));
    }
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
      result.sources.push_back({path.string()});
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

  // All samples of the next file.
  Chunk read_file_of_samples() {
    const std::filesystem::path& path = files.paths[next_file++];
    Chunk read;
    if (files.kind == SampleKind::kTestData)
      read = read_test_data(path, inputs);
    else if (path.extension() == ".bin")
      read = read_cifar(path, only_input(inputs, path));
    else
      read = read_arrays(path, inputs, options.note);
    for (std::int64_t i = 0; i < read.samples; ++i) read.sources.push_back({path.string(), i});
    return read;
  }

  // The next arrays in memory; nothing after the last.
  std::optional<Chunk> read_part() {
    while (const std::optional<std::map<std::string, Tensor>> part = parts()) {
      Chunk read = read_arrays(*part, files.paths[0], inputs, options.note);
      std::vector<std::int64_t> kept;
      for (std::int64_t i = 0; i < read.samples; ++i, ++seen) {
        read.sources.push_back({files.paths[0].string(), seen});
        if (options.part && seen % options.part->of == options.part->index) kept.push_back(i);
      }
      if (!options.part) return read;
      if (!kept.empty()) return rows_of(read, kept);
    }
    return std::nullopt;
  }

  // Of files with arrays, the samples that are taken of one; of more where the model's batch is larger than what one gives. Of
  // images, as many as will be asked for. Nothing where there are no more.
  std::optional<Chunk> read_more(std::int64_t wanted) {
    if (parts) return read_part();
    if (next_file == files.paths.size()) return std::nullopt;
    if (files.kind == SampleKind::kImages) return read_images(wanted);
    if (rows.empty()) return read_file_of_samples();
    Chunk taken;
    while (next_file < files.paths.size() && (taken.samples == 0 || taken.samples % batch.value_or(1) != 0)) {
      const std::vector<std::int64_t>& of_file = rows[next_file];
      if (of_file.empty()) {
        ++next_file;
        continue;
      }
      Chunk more = rows_of(read_file_of_samples(), of_file);
      taken = taken.samples == 0 ? std::move(more) : joined(std::move(taken), more);
    }
    return taken;
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

  Outline outline_of(const std::filesystem::path& path) const {
    return path.extension() == ".bin" ? outline_cifar(path) : outline_arrays(path, inputs);
  }

  // Leaves those out that are not among the first `limit` of an even choice.
  void pick() {
    const bool arrays = files.kind == SampleKind::kArrays;
    std::vector<std::int64_t> groups = files.groups, ends;
    if (arrays) {
      std::vector<std::int64_t> labels;
      for (const std::filesystem::path& path : files.paths) {
        const Outline outline = outline_of(path);
        labels.insert(labels.end(), outline.labels.begin(), outline.labels.end());
        ends.push_back(outline.samples + (ends.empty() ? 0 : ends.back()));
      }
      if (static_cast<std::int64_t>(labels.size()) == ends.back()) groups = std::move(labels);
    }
    groups.resize(arrays ? static_cast<std::size_t>(ends.back()) : files.paths.size(), 0);
    std::vector<std::int64_t> picked;
    if (options.limit > 0 && static_cast<std::int64_t>(groups.size()) > options.limit) {
      picked = pick_samples(groups, options.limit, options.seed);
      say(source + ": " +
          picked_text(groups, picked, arrays || !files.labels.empty() ? "classes" : "folders", options.seed));
    } else if (!options.part) {
      return;
    } else {
      picked.resize(groups.size());
      std::iota(picked.begin(), picked.end(), std::int64_t{0});
    }
    if (options.part) picked = part_of(picked, groups, *options.part);
    remaining = static_cast<std::int64_t>(picked.size());
    if (!arrays) {
      keep(files.paths, picked);
      keep(files.labels, picked);
      return;
    }
    rows.resize(files.paths.size());
    std::size_t file = 0;
    for (const std::int64_t sample : picked) {
      while (sample >= ends[file]) ++file;
      rows[file].push_back(sample - (file == 0 ? 0 : ends[file - 1]));
    }
  }
};

SamplePart sample_part_named(const std::string& text) {
  const auto number = [](std::string_view digits) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? value : 0;
  };
  const std::size_t slash = text.find('/');
  const std::int64_t index = number(std::string_view(text).substr(0, slash));
  const std::int64_t of = slash == std::string::npos ? 0 : number(std::string_view(text).substr(slash + 1));
  if (index < 1 || index > of) fail(ErrorCode::kUsage, "--part {}: wanted a part such as 1/3, 2/3 or 3/3", text);
  return {index - 1, of};
}

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
  if (s.options.seed && s.options.limit == 0)
    fail(ErrorCode::kUsage, "a seed draws samples where not all are taken; say how many with --samples");
  s.remaining = s.options.limit > 0 ? s.options.limit : std::numeric_limits<std::int64_t>::max();
  const auto& shape = s.inputs[0].type.shape;
  if (shape && !shape->empty() && (*shape)[0].known()) s.batch = (*shape)[0].value();
}

SampleStream::SampleStream(const Model& model, const std::filesystem::path& path, SampleOptions options)
    : SampleStream(model, std::move(options)) {
  State& s = *state_;
  s.source = path.string();
  s.files = find_sample_files(path, s.options.labels);
  if (s.files.kind != SampleKind::kImages && (s.options.images.asked_for() || s.options.skip_broken))
    fail(ErrorCode::kUsage, "{} holds {}; images alone are resized, cropped, taken as BGR or skipped", path.string(),
         name(s.files.kind));
  s.use_record(s.files.kind == SampleKind::kImages);
  if (!s.files.passed_over.empty())
    s.say(fmt::format("{}: passed over: {}; images are .jpg, .jpeg and .png", path.string(), s.files.passed_over));
  if (s.options.limit > 0 || s.options.part) s.pick();
}

SampleStream::SampleStream(const Model& model, SampleArrays parts, SampleOptions options)
    : SampleStream(model, std::move(options)) {
  State& s = *state_;
  if (!s.options.labels.empty() || s.options.images.asked_for() || s.options.skip_broken)
    fail(ErrorCode::kUsage,
         "the samples are arrays; files of images alone have a list of labels and are resized, "
         "cropped, taken as BGR or skipped");
  if (s.options.seed)
    fail(ErrorCode::kUsage, "the samples are arrays, of which the first are taken; a seed draws samples of files");
  s.use_record(false);
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
    if ((is_pixels(input, array) || s.files.kind == SampleKind::kImages) && !std::exchange(s.had_pixels, true))
      s.tell_recorded();
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
  batch.named_classes = static_cast<std::int64_t>(s.files.class_names.size());
  batch.sources.assign(s.chunk.sources.begin() + s.position, s.chunk.sources.begin() + s.position + count);
  s.position += count;
  s.remaining -= count;
  return batch;
}

std::optional<Preprocessing> SampleStream::preprocessing() const {
  const State& s = *state_;
  if (!s.had_pixels) return std::nullopt;
  Preprocessing found{.pixels = s.options.pixels,
                      .images = s.options.images,
                      .channels_last = s.inputs.size() == 1 && is_channels_last(s.inputs[0]),
                      .classes = s.files.class_names};
  found.pixels.asked_for = false;
  if (found.classes.empty() && s.options.recorded) found.classes = s.options.recorded->classes;
  return found;
}

const std::vector<std::string>& SampleStream::class_names() const { return state_->files.class_names; }

std::optional<std::int64_t> SampleStream::total() const {
  const SampleFiles& files = state_->files;
  if (!state_->rows.empty()) return state_->remaining;
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
