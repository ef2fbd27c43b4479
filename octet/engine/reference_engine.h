// reference_engine.h: runs a program by walking its steps with the operators' own kernels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "octet/base/progress.h"
#include "octet/graph/model.h"
#include "octet/program/program.h"
#include "octet/spec/arithmetic.h"

namespace octet {

struct EngineOptions {
  Arithmetic arithmetic;                                  // of the quantized operators; the default is ONNX Runtime's
  bool integer_steps_only = false;                        // the others keep the default arithmetic
  int threads = 0;                                        // 0: one per core. Results do not depend on it.
  std::int64_t max_output_bytes = std::int64_t{8} << 30;  // of one tensor
};

struct RunOptions {
  bool keep_all = false;  // return every intermediate value too, not only the outputs
  Progress progress;      // in steps, after each of them
  // Sees every value as soon as it is computed, in the calling thread, while it is still in the cache.
  std::function<void(const std::string& name, const Tensor& value)> observe;
};

using NamedTensors = std::map<std::string, Tensor>;

class ReferenceEngine {
 public:
  explicit ReferenceEngine(Program program, const EngineOptions& options = {});
  // The model as it is written: every node a step (Policy::kAsWritten). Throws octet::Error.
  explicit ReferenceEngine(Model model, const EngineOptions& options = {});
  ~ReferenceEngine();

  const Program& program() const;

  // Inputs by name; those that have a default may be left out. Types and known dimensions are checked, and symbols
  // must mean one number throughout a call.
  NamedTensors run(const NamedTensors& inputs, const RunOptions& options = {}) const;

  // One step alone: the value of each of its outputs, inner ones included, from the values it reads. Values that are
  // not constants and not given throw kUsage.
  NamedTensors run_step(std::size_t step, const NamedTensors& inputs) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace octet
