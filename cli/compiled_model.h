// compiled_model.h: models of the command line that octet compile made: they bring their own engine.
#pragma once

#include <memory>
#include <string>

#include "octet/export/compiled_network.h"

namespace octet::cli {

// By its name: it ends in .so.
bool is_compiled(const std::string& file);

// Opened once, however often it is asked for. Throws octet::Error.
std::shared_ptr<const CompiledNetwork> compiled_network(const std::string& file);

// What runs the program of a file: the engine, or the file itself where it is compiled. Throws kUsage where that can't do
// what is asked.
std::unique_ptr<const Engine> engine_of(const std::string& file, const NamedEngine& engine, Program program,
                                        const EngineOptions& options);

}  // namespace octet::cli
