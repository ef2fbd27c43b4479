// lower_opset.h: files of new opsets, for runtimes that do not know them yet.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// The opset, and the version of the format that belongs to it, which current runtimes take.
inline constexpr int kLoweredOpset = 25;
inline constexpr std::int64_t kLoweredIrVersion = 13;

// The model in the lowest opset of ai.onnx, from kLoweredOpset on, in which all its nodes exist and mean what they mean
// in its own, and in no later version of the format than kLoweredIrVersion. The opset stays where it is kLoweredOpset
// or earlier, and where the model has functions or operators that Octet does not know.
Model lower_opset(Model model);

}  // namespace octet
