// reference_engine.h: runs a model by walking its graph with the operators' own kernels.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "octet/base/progress.h"
#include "octet/graph/model.h"
#include "octet/spec/arithmetic.h"

namespace octet {

struct EngineOptions {
  Arithmetic arithmetic;                                  // of the quantized operators; the default is ONNX Runtime's
  int threads = 0;                                        // 0: one per core. Results do not depend on it.
  std::int64_t max_output_bytes = std::int64_t{8} << 30;  // of one tensor
};

struct RunOptions {
  bool keep_all = false;  // return every intermediate value too, not only the graph's outputs
  Progress progress;      // in nodes, after each of them
};

using NamedTensors = std::map<std::string, Tensor>;

class ReferenceEngine {
 public:
  // Expands functions, checks that every operator is known in the model's opset, orders releases. Throws octet::Error.
  explicit ReferenceEngine(Model model, const EngineOptions& options = {});
  ~ReferenceEngine();

  const Model& model() const;

  // Inputs by name; those that repeat an initializer may be left out. Types and known dimensions are checked, and
  // symbols must mean one number throughout a call.
  NamedTensors run(const NamedTensors& inputs, const RunOptions& options = {}) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace octet
