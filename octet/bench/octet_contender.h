// octet_contender.h: an engine of Octet, to be timed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "octet/bench/contender.h"
#include "octet/engine/bound_run.h"

namespace octet {

class OctetContender : public Contender {
 public:
  // Throws octet::Error for what can't be loaded, lowered or run.
  OctetContender(const std::filesystem::path& model, Policy policy, const NamedEngine& engine, int threads,
                 NamedTensors inputs);

  const Engine& engine() const { return *engine_; }
  std::vector<double> run(int times) override;

 private:
  NamedTensors inputs_;  // of its own: what is bound must stay
  std::unique_ptr<const Engine> engine_;
  NamedTensors written_;
  std::optional<BoundRun> bound_;
};

}  // namespace octet
