// unfused.h: a float model with 8 bits after every node, as hardware computes it that runs Conv, BatchNormalization and
// Relu one after the other and stores each result.
#pragma once

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/graph/model.h"

namespace octet {

struct UnfusedOptions {
  bool per_channel = true;  // scales of the weights
  std::int64_t batch = 32;
  std::string engine = kDefaultEngine;  // that runs the float model on the samples
  int threads = 0;
  Progress progress;  // in samples
};

// Every float input, and every float result of Conv, Gemm, MatMul, BatchNormalization, Relu, Clip, Add, Mul and pools,
// goes through QuantizeLinear and DequantizeLinear: uint8, its range the smallest and largest number on these samples.
// Weights are int8, symmetric; other constants stay float32. Throws kUsage when there is no such node or no sample.
Model unfused_model(Model model, SampleStream& samples, const UnfusedOptions& options = {});

}  // namespace octet
