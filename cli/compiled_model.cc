#include "cli/compiled_model.h"

#include <map>

#include "octet/base/fail.h"

namespace octet::cli {

bool is_compiled(const std::string& file) { return file.ends_with(".so"); }

std::shared_ptr<const CompiledNetwork> compiled_network(const std::string& file) {
  static std::map<std::string, std::shared_ptr<const CompiledNetwork>> opened;
  std::shared_ptr<const CompiledNetwork>& network = opened[file];
  if (!network) network = std::make_shared<const CompiledNetwork>(file);
  return network;
}

std::unique_ptr<const Engine> engine_of(const std::string& file, const NamedEngine& engine, Program program,
                                        const EngineOptions& options) {
  if (!is_compiled(file)) return make_engine(engine, std::move(program), options);
  if (engine.name != kDefaultEngine)
    fail(ErrorCode::kUsage, "{} is compiled, and runs by itself: no --engine {}", file, engine.name);
  if (options.arithmetic != Arithmetic())
    fail(ErrorCode::kUsage, "{} is compiled, and has ONNX Runtime's arithmetic alone", file);
  const std::shared_ptr<const CompiledNetwork> network = compiled_network(file);
  if (network->policy() != name(program.policy))
    fail(ErrorCode::kUsage, "{} was compiled with --policy {}: say so", file, network->policy());
  return compiled_engine(network, std::move(program));
}

}  // namespace octet::cli
