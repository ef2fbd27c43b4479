// preprocessing.h: how samples become a model's inputs, as a model records it for those who run it later.
//
// The record is an entry of the model's metadata, which runtimes pass over: the key "octet.preprocessing", and as its value JSON:
//
//   pixels         "unit" for p / 255, "byte" for p (samples.h)
//   mean           numbers, one for all channels or one for each; empty: none
//   deviation      the same
//   resize         the length of the shorter side, [width, height], or null
//   crop           [width, height] or null
//   channel_order  "rgb" or "bgr"
//   layout         "nchw" or "nhwc"
//   classes        the names of the classes by number; empty: unknown
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/data/image_form.h"
#include "octet/data/pixel_form.h"
#include "octet/graph/model.h"

namespace octet {

inline constexpr const char* kPreprocessingKey = "octet.preprocessing";

struct Preprocessing {
  PixelForm pixels;
  ImageForm images;
  bool channels_last = false;
  std::vector<std::string> classes;

  bool operator==(const Preprocessing&) const = default;
};

// Nothing where the model has no record. Throws kFormat where it can't be read.
std::optional<Preprocessing> recorded_preprocessing(const Model& model);
// In place of one that is there.
void record_preprocessing(Model& model, const Preprocessing& preprocessing);

// The value of the record, on one line, and back. Throws kFormat, saying what is wrong.
std::string preprocessing_json(const Preprocessing& preprocessing);
Preprocessing parse_preprocessing(std::string_view json);

// "p / 255, minus 0.485,0.456,0.406, divided by 0.229,0.224,0.225, shorter side 256, middle 224x224, rgb, nchw, 10 classes".
std::string to_string(const Preprocessing& preprocessing);

// What was asked for, and where nothing was, what is recorded. Forms of images are left as they are unless samples are images.
void complete(PixelForm& pixels, ImageForm& images, const Preprocessing& recorded, bool are_images);
// What was asked for otherwise than it is recorded: "mean 0.5 in place of 0.485,0.456,0.406", joined by commas; empty: nothing.
std::string contradictions(const PixelForm& pixels, const ImageForm& images, const Preprocessing& recorded);

}  // namespace octet
