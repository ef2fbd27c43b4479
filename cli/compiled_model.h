// compiled_model.h: models of the command line that octet compile made: they bring their own engine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "octet/export/compiled_network.h"

namespace octet::cli {

// By its name: it ends in .so.
bool is_compiled(const std::string& file);

// Opened once, however often it is asked for. Throws octet::Error.
std::shared_ptr<const CompiledNetwork> compiled_network(const std::string& file);

// The library itself; `program` is that of the model in it. Throws kUsage where it was compiled by another policy.
std::unique_ptr<const Engine> library_engine(const std::string& file, Program program);

// What runs the program of a file: the engine, or the file itself where it is compiled. Throws kUsage where that has
// another arithmetic than is asked for.
std::unique_ptr<const Engine> engine_of(const std::string& file, const NamedEngine& engine, Program program,
                                        const EngineOptions& options);

// Throws kUsage for --engine and --threads where all of these models are compiled: they would not be used.
void refuse_engine_options(const CommandLine& line, const std::vector<std::string>& models);

}  // namespace octet::cli
