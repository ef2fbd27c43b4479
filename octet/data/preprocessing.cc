#include "octet/data/preprocessing.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "octet/base/fail.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

constexpr float kUnit = 255;

// `neutral` changes nothing.
std::string numbers_text(const std::vector<float>& numbers, float neutral) {
  const bool none = std::ranges::all_of(numbers, [&](float number) { return number == neutral; });
  return none ? "none" : fmt::format("{}", fmt::join(numbers, ","));
}

std::string size_text(const std::optional<ImageSize>& size) {
  return size ? fmt::format("{}x{}", size->width, size->height) : "none";
}

std::string resize_text(const ImageForm& form) {
  return form.shorter_side ? std::to_string(*form.shorter_side) : size_text(form.size);
}

std::string pixels_text(const PixelForm& form) { return form.divisor.value_or(kUnit) == 1 ? "byte" : "unit"; }

std::string order_text(const ImageForm& form) { return form.bgr.value_or(false) ? "bgr" : "rgb"; }

Json size_json(const std::optional<ImageSize>& size) { return size ? Json{size->width, size->height} : Json(); }

Json numbers_json(const std::vector<float>& numbers) {
  Json json = Json::array();
  for (const float number : numbers) json.push_back(json_number(number));
  return json;
}

[[noreturn]] void fail_field(const char* key, const Json& found, const char* wanted) {
  fail(ErrorCode::kFormat, "\"{}\" is {}; wanted {}", key, json_excerpt(found), wanted);
}

const Json& field_of(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) fail(ErrorCode::kFormat, "\"{}\" is missing", key);
  return json[key];
}

std::vector<float> read_numbers(const Json& json, const char* key, bool above_zero) {
  std::vector<float> numbers;
  const Json& list = field_of(json, key);
  if (!list.is_array()) fail_field(key, list, "a list of numbers");
  for (const Json& entry : list) {
    const double number = entry.is_number() ? entry.get<double>() : std::nan("");
    if (!std::isfinite(static_cast<float>(number)) || (above_zero && !(static_cast<float>(number) > 0)))
      fail_field(key, list, above_zero ? "finite numbers above 0" : "finite numbers");
    numbers.push_back(static_cast<float>(number));
  }
  return numbers;
}

bool is_length(const Json& json) { return json.is_number_unsigned() && json.get<std::uint64_t>() - 1 < 65536; }

std::optional<ImageSize> read_size(const Json& json, const char* key) {
  const Json& size = field_of(json, key);
  if (size.is_null()) return std::nullopt;
  if (!size.is_array() || size.size() != 2 || !std::all_of(size.begin(), size.end(), is_length))
    fail_field(key, size, "a width and a height, or null");
  return ImageSize{size[0].get<std::int64_t>(), size[1].get<std::int64_t>()};
}

// One of two words; whether it is the second.
bool read_choice(const Json& json, const char* key, const char* first, const char* second) {
  const Json& word = field_of(json, key);
  if (word != first && word != second) fail_field(key, word, fmt::format("{} or {}", first, second).c_str());
  return word == second;
}

Preprocessing read_preprocessing(const Json& json) {
  Preprocessing found;
  found.pixels.divisor = read_choice(json, "pixels", "unit", "byte") ? 1 : kUnit;
  found.pixels.mean = read_numbers(json, "mean", false);
  found.pixels.deviation = read_numbers(json, "deviation", true);
  if (is_length(field_of(json, "resize")))
    found.images.shorter_side = json["resize"].get<std::int64_t>();
  else
    found.images.size = read_size(json, "resize");
  found.images.crop = read_size(json, "crop");
  found.images.bgr = read_choice(json, "channel_order", "rgb", "bgr");
  found.channels_last = read_choice(json, "layout", "nchw", "nhwc");
  const Json& classes = field_of(json, "classes");
  if (!classes.is_array()) fail_field("classes", classes, "a list of names");
  for (const Json& name : classes) {
    if (!name.is_string()) fail_field("classes", name, "names");
    found.classes.push_back(name.get<std::string>());
  }
  return found;
}

}  // namespace

std::optional<Preprocessing> recorded_preprocessing(const Model& model) {
  for (const auto& [key, value] : model.metadata) {
    if (key != kPreprocessingKey) continue;
    try {
      return parse_preprocessing(value);
    } catch (const Error& error) {
      fail(ErrorCode::kFormat, "the model's metadata {} can't be read: {}", kPreprocessingKey, error.what());
    }
  }
  return std::nullopt;
}

std::string preprocessing_json(const Preprocessing& preprocessing) {
  const auto& [pixels, images, last, classes] = preprocessing;
  const Json json = {{"pixels", pixels_text(pixels)},
                     {"mean", numbers_json(pixels.mean)},
                     {"deviation", numbers_json(pixels.deviation)},
                     {"resize", images.shorter_side ? Json(*images.shorter_side) : size_json(images.size)},
                     {"crop", size_json(images.crop)},
                     {"channel_order", order_text(images)},
                     {"layout", last ? "nhwc" : "nchw"},
                     {"classes", classes}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Preprocessing parse_preprocessing(std::string_view json) { return read_preprocessing(parse_json(json)); }

void record_preprocessing(Model& model, const Preprocessing& preprocessing) {
  std::erase_if(model.metadata, [](const auto& entry) { return entry.first == kPreprocessingKey; });
  model.metadata.emplace_back(kPreprocessingKey, preprocessing_json(preprocessing));
}

std::string to_string(const Preprocessing& preprocessing) {
  const auto& [pixels, images, last, classes] = preprocessing;
  std::string text = pixels_text(pixels) == "unit" ? "p / 255" : "p";
  if (!pixels.mean.empty()) text += ", minus " + numbers_text(pixels.mean, 0);
  if (!pixels.deviation.empty()) text += ", divided by " + numbers_text(pixels.deviation, 1);
  if (images.shorter_side)
    text += ", shorter side " + resize_text(images);
  else if (images.size)
    text += ", resized to " + resize_text(images);
  if (images.crop) text += ", middle " + size_text(images.crop);
  text += ", " + order_text(images) + (last ? ", nhwc" : ", nchw");
  if (!classes.empty()) text += ", " + grouped(static_cast<std::int64_t>(classes.size())) + " named classes";
  return text;
}

void complete(PixelForm& pixels, ImageForm& images, const Preprocessing& recorded, bool are_images) {
  if (!pixels.divisor) pixels.divisor = recorded.pixels.divisor;
  if (pixels.mean.empty()) pixels.mean = recorded.pixels.mean;
  if (pixels.deviation.empty()) pixels.deviation = recorded.pixels.deviation;
  if (!are_images) return;
  if (!images.shorter_side && !images.size) {
    images.shorter_side = recorded.images.shorter_side;
    images.size = recorded.images.size;
  }
  if (!images.crop) images.crop = recorded.images.crop;
  if (!images.bgr) images.bgr = recorded.images.bgr;
}

std::string contradictions(const PixelForm& pixels, const ImageForm& images, const Preprocessing& recorded) {
  std::string text;
  const auto compare = [&](bool told, const char* what, const std::string& found, const std::string& wanted) {
    if (told && found != wanted)
      text += fmt::format("{}{} {} in place of {}", text.empty() ? "" : ", ", what, found, wanted);
  };
  compare(pixels.divisor.has_value(), "pixels", pixels_text(pixels), pixels_text(recorded.pixels));
  compare(!pixels.mean.empty(), "mean", numbers_text(pixels.mean, 0), numbers_text(recorded.pixels.mean, 0));
  compare(!pixels.deviation.empty(), "deviation", numbers_text(pixels.deviation, 1),
          numbers_text(recorded.pixels.deviation, 1));
  compare(images.shorter_side || images.size, "resize", resize_text(images), resize_text(recorded.images));
  compare(images.crop.has_value(), "crop", size_text(images.crop), size_text(recorded.images.crop));
  compare(images.bgr.has_value(), "channel order", order_text(images), order_text(recorded.images));
  return text;
}

}  // namespace octet
