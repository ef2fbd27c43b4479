// samples.h: inputs for a model, with labels where there are any, streamed from files in batches.
//
//   .bin          CIFAR-10's binary format: per image one label byte and 3,072 bytes, 32 x 32 red, then green, then
//                 blue
//   .npy          an array of samples along its first axis, for a model with one input
//   .npz          arrays by the names of the model's inputs; a model with one input also takes the only array that is
//                 not labels. Labels are named y, label or labels.
//   a folder    its .bin, .npy and .npz files in the order of their names
//
// Bytes for a float32 input are pixels: PixelForm says what they become.
//
// One file is held at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/graph/model.h"

namespace octet {

// How the byte p of an image becomes the model's float32 input. Mean and deviation are one number, or one per channel.
struct PixelForm {
  float divisor = 255;      // p / divisor: 255 for [0, 1], 1 for 0..255
  std::vector<float> mean;  // then minus mean and divided by deviation; empty: neither
  std::vector<float> deviation;
  bool asked_for = false;  // then samples without bytes are refused: it would be passed over in silence
};

struct Batch {
  std::map<std::string, Tensor> inputs;
  std::vector<std::int64_t> labels;  // empty when there are none
  std::int64_t samples = 0;
};

class SampleStream {
 public:
  // At most `limit` samples; 0 means all. Throws kUsage or kIo when there is nothing to read, kFormat when a file does
  // not fit the model's inputs.
  SampleStream(const Model& model, const std::filesystem::path& path, PixelForm pixels, std::int64_t limit = 0);
  ~SampleStream();

  // As many samples as the model's own batch dimension says, else `wanted`; fewer at the end of a file. A model whose
  // batch dimension is a number gets full batches only, and the rest of a file is refused.
  std::optional<Batch> next(std::int64_t wanted);

  // The number of samples, where it can be told without reading everything.
  std::optional<std::int64_t> total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace octet
