// samples.h: inputs for a model, with labels where there are any, streamed from files in batches.
//
//   .jpg .png     an image, for a model with one input (image.h, image_form.h)
//   .bin          CIFAR-10's binary format: per image one label byte and 3,072 bytes, 32 x 32 red, then green, then
//                 blue
//   .npy .pb      an array of samples along its first axis, for a model with one input; .pb is ONNX's own TensorProto
//   .npz          arrays by the names of the model's inputs. An array of another name serves the input that has none
//                 when both fit each other and nothing else. Labels are named y, label or labels.
//   a folder      of images: without labels, unless a list names them; of folders of images: the folders' names are the
//                 labels (labels.h); of .bin, .npy and .npz files: these; with input_0.pb, input_1.pb, ... (ONNX test data), or of
//                 folders with such: the inputs of one run each, in the order of the model's inputs. In the order of names.
//
// Arrays in memory serve like those of .npy and .npz files.
//
// Bytes for a float32 input are pixels: PixelForm says what they become.
//
// One file is held at a time; of images, one batch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/data/image_form.h"
#include "octet/graph/model.h"

namespace octet {

// How the byte p of an image becomes the model's float32 input. Mean and deviation are one number, or one per channel.
struct PixelForm {
  float divisor = 255;      // p / divisor: 255 for [0, 1], 1 for 0..255
  std::vector<float> mean;  // then minus mean and divided by deviation; empty: neither
  std::vector<float> deviation;
  bool asked_for = false;  // then samples without bytes are refused: it would be passed over in silence
};

struct SampleOptions {
  PixelForm pixels;
  ImageForm images;
  std::filesystem::path labels;  // a list of images and their labels; empty: none
  bool skip_broken = false;      // images that can't be decoded are passed over; else they are refused
  std::int64_t limit = 0;        // at most this many samples; 0 means all
  // Told what a user should know: images that are skipped or of other kinds, arrays that serve under another name or not at all.
  std::function<void(const std::string&)> note;
};

struct Batch {
  std::map<std::string, Tensor> inputs;
  std::vector<std::int64_t> labels;  // empty when there are none
  std::string unlabelled;            // then, why
  std::int64_t samples = 0;
  std::int64_t named_classes = 0;  // so many names were counted to make the labels; 0 where they are numbers
};

// Samples in memory, part by part; nothing after the last. A part has arrays by name, as an .npz archive has them, labels among
// them, or one array without a name, as an .npy file has it.
using SampleArrays = std::function<std::optional<std::map<std::string, Tensor>>()>;

class SampleStream {
 public:
  // Throws kUsage or kIo when there is nothing to read, or options are for other samples than these.
  SampleStream(const Model& model, const std::filesystem::path& path, SampleOptions options = {});
  // What `parts` throws, next() throws. Messages call them "data".
  SampleStream(const Model& model, SampleArrays parts, SampleOptions options = {});
  ~SampleStream();

  // As many samples as the model's own batch dimension says, else `wanted`; fewer at the end of a file. A model whose
  // batch dimension is a number gets full batches only, and the rest of a file is refused. ONNX test data comes as it is.
  // Throws kFormat when a file does not fit the model's inputs.
  std::optional<Batch> next(std::int64_t wanted);

  // The number of samples, where it can be told without reading everything; broken images are among them.
  std::optional<std::int64_t> total() const;

 private:
  struct State;
  SampleStream(const Model& model, SampleOptions options);
  std::unique_ptr<State> state_;
};

}  // namespace octet
