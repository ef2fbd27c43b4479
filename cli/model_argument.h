// model_argument.h: the models that a command line names. "-" is standard input, or standard output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "octet/graph/model.h"

namespace octet::cli {

// The operand `model`.
void add_model_operand(CommandLine line, std::string& file);
// The same where a library that octet compile made does as well.
void add_runnable_operand(CommandLine line, std::string& file);

// Throws octet::Error; for standard input also when it is a terminal, when it was read before, and for external data,
// which lies beside a file.
struct LoadedModel {
  Model model;
  std::uint64_t bytes = 0;  // of the file
};
LoadedModel load_model_with_size(const std::string& file);
// With symbolic dimensions bound, "N=8" each. A declared shape that contradicts the graph is corrected, with a warning on
// standard error.
Model load_model_named(const std::string& file, const std::vector<std::string>& dims = {});

// "standard input" for "-".
std::string shown_name(const std::string& file);

// Throws octet::Error, also when standard output is a terminal.
void save_model_named(const Model& model, const std::string& file);

}  // namespace octet::cli
