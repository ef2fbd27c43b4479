// explain_model.h: how one element came about in a run of a model.
#pragma once

#include <functional>
#include <string>

#include "octet/analyze/explain.h"
#include "octet/analyze/find_element.h"
#include "octet/base/progress.h"
#include "octet/engine/engine.h"
#include "octet/graph/model.h"
#include "octet/program/lower.h"

namespace octet {

struct ExplainOptions {
  Policy policy = Policy::kExact;
  std::string engine;     // that computes what the step reads; empty: the default for the arithmetic
  Arithmetic arithmetic;  // of the quantized operators
  int threads = 0;
  Progress progress;  // in steps
};

struct ExplainResult {
  Explanation explanation;
  Policy policy = Policy::kExact;
  std::string engine;
};

// `inputs` returns the inputs of the run. It is called once the element is known to be computed. Throws kUsage for a tensor that
// the program does not compute and an index outside its shape, and what `inputs` throws.
ExplainResult explain_model(const Model& model, const ElementName& element, const std::function<NamedTensors()>& inputs,
                            const ExplainOptions& options = {});

}  // namespace octet
