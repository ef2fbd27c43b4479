// engines.cc: the list of engines.
#include <array>

#include "octet/base/fail.h"
#include "octet/engine/fast_engine.h"
#include "octet/engine/reference_engine.h"
#include "octet/text/closest_names.h"

namespace octet {
namespace {

template <typename Kind>
std::unique_ptr<const Engine> made(Program program, const EngineOptions& options) {
  return std::make_unique<const Kind>(std::move(program), options);
}

constexpr std::array<NamedEngine, 2> kEngines = {{
    {ReferenceEngine::kName, "each operator by its own kernel: the definition of the results", true,
     made<ReferenceEngine>},
    {FastEngine::kName, "kernels for this processor, to the same bits", false, made<FastEngine>},
}};

}  // namespace

std::span<const NamedEngine> engines() { return kEngines; }

const NamedEngine& engine_named(std::string_view name) {
  std::string known;
  std::vector<std::string> names;
  for (const NamedEngine& engine : kEngines) {
    if (engine.name == name) return engine;
    names.emplace_back(engine.name);
    known += (known.empty() ? "" : ", ") + names.back();
  }
  const std::string meant = mistyped_name(name, names);
  fail(ErrorCode::kUsage, "there is no engine {}; {}known are {}", name,
       meant.empty() ? "" : fmt::format("did you mean {}? ", meant), known);
}

bool can_run(const NamedEngine& engine, const EngineOptions& options) {
  return engine.any_arithmetic || options.arithmetic == Arithmetic();
}

const NamedEngine& engine_for(std::string_view name, const EngineOptions& options) {
  if (!name.empty()) return engine_named(name);
  const NamedEngine& usual = engine_named(kDefaultEngine);
  return can_run(usual, options) ? usual : kEngines.front();
}

std::unique_ptr<const Engine> make_engine(const NamedEngine& engine, Program program, const EngineOptions& options) {
  if (!can_run(engine, options))
    fail(ErrorCode::kUsage, "the engine {} has ONNX Runtime's arithmetic alone; for another one, take {}", engine.name,
         kEngines.front().name);
  return engine.make(std::move(program), options);
}

std::unique_ptr<const Engine> make_engine(std::string_view name, Program program, const EngineOptions& options) {
  return make_engine(engine_named(name), std::move(program), options);
}

}  // namespace octet
