#include "cli/compiled_model.h"

#include <algorithm>
#include <map>

#include "cli/unused_options.h"
#include "octet/base/error.h"
#include "octet/base/fail.h"

namespace octet::cli {

bool is_compiled(const std::string& file) { return file.ends_with(".so"); }

std::shared_ptr<const CompiledNetwork> compiled_network(const std::string& file) {
  static std::map<std::string, std::shared_ptr<const CompiledNetwork>> opened;
  std::shared_ptr<const CompiledNetwork>& network = opened[file];
  if (!network) network = std::make_shared<const CompiledNetwork>(file);
  return network;
}

std::unique_ptr<const Engine> library_engine(const std::string& file, Program program) try {
  return compiled_engine(compiled_network(file), std::move(program));
} catch (const Error& error) {
  throw error.at(file);
}

std::unique_ptr<const Engine> engine_of(const std::string& file, const NamedEngine& engine, Program program,
                                        const EngineOptions& options) {
  if (!is_compiled(file)) return make_engine(engine, std::move(program), options);
  if (options.arithmetic != Arithmetic())
    fail(ErrorCode::kUsage, "{} is compiled, and has ONNX Runtime's arithmetic alone", file);
  return library_engine(file, std::move(program));
}

void refuse_engine_options(const CommandLine& line, const std::vector<std::string>& models) {
  const bool compiled = std::ranges::all_of(models, is_compiled);
  refuse_unused(
      line,
      {{compiled, {"--engine", "--threads"}, models.front() + " is compiled, and runs by itself, in one thread"}});
}

}  // namespace octet::cli
