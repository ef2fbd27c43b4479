// chunk.h: the samples of one file, whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/data/samples.h"
#include "octet/graph/model.h"

namespace octet {

using Note = std::function<void(const std::string&)>;

// An array per input, samples along the first axis. Pixels are bytes still.
struct Chunk {
  std::map<std::string, Tensor> arrays;
  std::vector<std::int64_t> labels;
  // Why there are no labels, where there are none.
  std::string unlabelled =
      "the samples have no labels (of images, --labels or folders give them; of an .npz, an array labels)";
  std::int64_t samples = 0;
  bool whole = false;  // the arrays are the inputs of one run: nothing says that the first axis is one of samples
  std::vector<SampleSource> sources;  // one for each sample; empty: to be counted
};

// The input of a model that has one. Throws kUsage.
const Value& only_input(const std::vector<Value>& inputs, const std::filesystem::path& path);

inline constexpr std::int64_t kCifarRecord = 1 + 3072;  // bytes

Chunk read_cifar(const std::filesystem::path& path, const Value& input);
// .npy, .npz and .pb.
Chunk read_arrays(const std::filesystem::path& path, const std::vector<Value>& inputs, const Note& note);
// Arrays in memory: one without a name, or several by name. `path` is what messages call them.
Chunk read_arrays(const std::map<std::string, Tensor>& arrays, const std::filesystem::path& path,
                  const std::vector<Value>& inputs, const Note& note);

// What is known of a file's samples without reading them.
struct Outline {
  std::int64_t samples = 0;
  std::vector<std::int64_t> labels;  // empty when there are none
};
Outline outline_cifar(const std::filesystem::path& path);
Outline outline_arrays(const std::filesystem::path& path, const std::vector<Value>& inputs);

// input_0.pb, input_1.pb, ... of a folder.
Chunk read_test_data(const std::filesystem::path& folder, const std::vector<Value>& inputs);

}  // namespace octet
