// raise_opset.h: files of older opsets, written in a newer one.
#pragma once

#include <string>
#include <vector>

#include "octet/graph/model.h"

namespace octet {

inline constexpr int kLeastRaisedOpset = 7, kRaisedOpset = 13;

struct RaisedModel {
  Model model;
  std::vector<std::string> operators;  // those whose nodes were rewritten, each once, sorted
  std::size_t nodes = 0;               // how many nodes were
};

// The model in opset 13 of ai.onnx, when it is in 7 to 12: nodes whose operators mean something else there, or are written
// otherwise, are rewritten, inside graphs and functions too, which are expanded. Initializers that inputs repeat, as all did
// before IR version 4, are constants then. A model in opset 13 or later is left as it is. Throws kUnsupported, placed at the
// node, for an operator that changed and has no rule, and for opsets before 7.
RaisedModel raise_opset(Model model);

}  // namespace octet
