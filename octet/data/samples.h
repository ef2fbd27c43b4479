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
// Where not all samples are wanted, those that are taken are spread evenly over classes or folders, in the same order. Of arrays
// in memory, which come batch by batch, the first are taken.
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
#include "octet/data/pixel_form.h"
#include "octet/data/preprocessing.h"
#include "octet/graph/model.h"

namespace octet {

// Samples shared out in turns, over the classes one after the other: of 3 parts the first has samples 0, 3, 6, ...
struct SamplePart {
  std::int64_t index = 0, of = 1;  // index is below `of`
};

// "1/3" is the first of three. Throws kUsage.
SamplePart sample_part_named(const std::string& text);

struct SampleOptions {
  PixelForm pixels;
  ImageForm images;
  std::optional<Preprocessing> recorded;  // what `pixels` and `images` leave open, as a model says it
  std::filesystem::path labels;           // a list of images and their labels; empty: none
  bool skip_broken = false;               // images that can't be decoded are passed over; else they are refused
  std::int64_t limit = 0;                 // at most this many samples, taken evenly (pick_samples.h); 0 means all
  std::optional<std::uint64_t> seed;      // then they are drawn
  std::optional<SamplePart> part;         // of these, one part alone
  // Told what a user should know: images that are skipped or of other kinds, arrays that serve under another name or not at all,
  // and which samples are taken where `limit` leaves some out.
  std::function<void(const std::string&)> note;
  // Told what makes results doubtful: `pixels` or `images` contradict what is recorded.
  std::function<void(const std::string&)> warn;
};

// Where a sample is stored: a file, and its number there from 0 on.
struct SampleSource {
  std::string file;
  std::int64_t number = 0;
};

struct Batch {
  std::map<std::string, Tensor> inputs;
  std::vector<std::int64_t> labels;  // empty when there are none
  std::string unlabelled;            // then, why
  std::int64_t samples = 0;
  std::int64_t named_classes = 0;     // so many names were counted to make the labels; 0 where they are numbers
  std::vector<SampleSource> sources;  // one for each sample
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

  // How the samples read so far became inputs; nothing where none of them were images or pixels.
  std::optional<Preprocessing> preprocessing() const;

  // The classes by label, where labels are names that were counted; else empty.
  const std::vector<std::string>& class_names() const;

  // The number of samples, where it can be told without reading everything; broken images are among them.
  std::optional<std::int64_t> total() const;

 private:
  struct State;
  SampleStream(const Model& model, SampleOptions options);
  std::unique_ptr<State> state_;
};

}  // namespace octet
