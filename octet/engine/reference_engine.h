// reference_engine.h: runs a program by walking its steps with the operators' own kernels.
#pragma once

#include "octet/engine/engine.h"

namespace octet {

class ReferenceEngine final : public Engine {
 public:
  static constexpr std::string_view kName = "reference";

  explicit ReferenceEngine(Program program, const EngineOptions& options = {});

  std::string_view name() const override { return kName; }

 private:
  void compute(std::size_t step, std::vector<Tensor>& values, const std::stop_token& stop) const override;

  const Arithmetic arithmetic_;  // of the integer steps
  const Arithmetic border_;      // of the others
};

}  // namespace octet
