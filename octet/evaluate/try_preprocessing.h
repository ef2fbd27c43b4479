// try_preprocessing.h: which common preprocessing a float model may have been trained with, found by trying them on images.
//
// Two things tell. With labels, how many samples are right. And where the model has BatchNormalization, its inputs: those that it was
// trained on have the mean and the variance that it stores, so that the mean square of (x - mean) / sqrt(variance + epsilon), over all
// channels of all of them, is about 1.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/graph/model.h"

namespace octet {

struct TriedPreprocessing {
  std::string options;  // "--mean 0.485,0.456,0.406 --deviation 0.229,0.224,0.225"
  PixelForm pixels;
  bool bgr = false;
  std::int64_t right = 0;        // where there are labels
  std::optional<double> spread;  // the mean square above; nothing without BatchNormalization
};

struct PreprocessingHint {
  std::int64_t samples = 0;
  bool labelled = false;
  std::vector<TriedPreprocessing> tried;  // best first: by right answers, then by how near to 1 the spread is
};

struct TryPreprocessingOptions {
  // Opens the same samples with these forms of pixels and images. Null where there are none with blue first: they are arrays.
  std::function<std::unique_ptr<SampleStream>(const PixelForm&, bool bgr)> open;
  std::int64_t batch = 32;
  std::string engine = kDefaultEngine;
  int threads = 0;
  Progress progress;  // in forms that were tried
};

// Throws kUsage for samples that are no images of 1 or 3 channels for a float32 input, and where neither labels nor
// BatchNormalization tell.
PreprocessingHint try_preprocessings(const Model& model, const TryPreprocessingOptions& options);

// A table, and what to make of it.
std::string hint_text(const PreprocessingHint& hint, std::size_t width);

}  // namespace octet
