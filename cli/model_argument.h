// model_argument.h: the models that a command line names. "-" is standard input, or standard output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parser.h"
#include "octet/base/error.h"
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
// Says on standard error that an opset is later than the newest that Octet knows: operators run as they are defined
// there.
void warn_of_newer_opset(const Model& model, const std::string& file);
// With symbolic dimensions bound, "N=8" each. A declared shape that contradicts the graph is corrected, with a warning
// on standard error.
Model load_model_named(const std::string& file, const std::vector<std::string>& dims = {});

// "standard input" for "-".
std::string shown_name(const std::string& file);

// What f() gives. Where a command has several models, errors say which one they are about: its file's name comes first.
template <typename F>
auto of_model(const std::string& file, bool one_of_several, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (!one_of_several || std::string_view(error.what()).starts_with(shown_name(file))) throw;
    throw error.inside(shown_name(file));
  }
}

// Throws octet::Error, also when standard output is a terminal.
void save_model_named(const Model& model, const std::string& file);

}  // namespace octet::cli
