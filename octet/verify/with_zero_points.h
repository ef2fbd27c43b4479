// with_zero_points.h: a file as ONNX Runtime can run it with session.x64quantprecision. That option makes int8 weights uint8, and
// gives a DequantizeLinear that has no zero point one of rank 0, whatever its scales: per axis and in blocks it then
// fails.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// The model with zeros of the scale's shape wherever DequantizeLinear of int8 has a scale of known shape and no zero point.
// It computes the same.
Model with_zero_points(Model model);

}  // namespace octet
