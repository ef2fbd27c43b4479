// dynamic.h: quantization whose activation parameters are computed at run time, as onnx-mlir describes it for its NNPA
// target, for MatMul, Gemm, Conv and LSTM with constant weights.
//
//   asymmetric   lo = min(0, min x)   hi = max(0, max x)   scale = (hi - lo) / 255
//                zero_point = round_ties_even(saturate(-128 - lo / scale))       int8
//   symmetric    scale = max|x| / 127   zero_point = 0                           int8
//
// in float32, for activations by operators in the graph, for weights here. A tensor of zeros has scale 1. The result of
// a node is f32(acc) * (x_scale * w_scale) + bias, acc the int32 of MatMulInteger or ConvInteger. An LSTM becomes a
// DynamicQuantizeLSTM, whose activations are uint8 and asymmetric.
#pragma once

#include <string>
#include <vector>

#include "octet/graph/model.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/selection.h"

namespace octet {

struct DynamicOptions {
  bool symmetric_activations = false;
  bool symmetric_weights = true;
  bool per_channel = false;        // of the weights
  bool uint8_activations = false;  // through DynamicQuantizeLinear, asymmetric
};

struct DynamicResult {
  Model model;
  std::vector<NodeVerdict> report;
};

// Throws kUsage when nothing can be quantized, kModel for weights that are not finite.
DynamicResult quantize_dynamic(Model model, const DynamicOptions& options, const Selection& selection);

}  // namespace octet
