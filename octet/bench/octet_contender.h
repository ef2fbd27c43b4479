// octet_contender.h: an engine of Octet, to be timed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "octet/bench/contender.h"
#include "octet/engine/bound_run.h"

namespace octet {

using MakeEngine = std::function<std::unique_ptr<const Engine>(Program program, const EngineOptions& options)>;

class OctetContender : public Contender {
 public:
  // Throws octet::Error for what can't be loaded, lowered or run.
  OctetContender(const std::filesystem::path& model, Policy policy, const std::string& engine, const MakeEngine& make,
                 int threads, NamedTensors inputs);

  const Engine& engine() const { return *engine_; }
  std::vector<double> run(int times) override;

 private:
  NamedTensors inputs_;  // of its own: what is bound must stay
  std::unique_ptr<const Engine> engine_;
  NamedTensors written_;
  std::optional<BoundRun> bound_;
};

}  // namespace octet
