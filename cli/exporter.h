// exporter.h: a kind of files that octet export makes. Each has a file of its name; export.cc lists them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/outputs.h"
#include "cli/parser.h"
#include "octet/export/files.h"
#include "octet/graph/model.h"
#include "octet/program/program.h"

namespace octet::cli {

// What is exported. Functions that need only the program take a const Program&.
struct ExportSource {
  std::string file;    // as the user named the model
  const Model& model;  // its batch is 1 unless it was given
  const Program& program;

  operator const Program&() const { return program; }  // NOLINT(google-explicit-constructor)
};

struct Exporter {
  std::string option;                   // that names its folder: "--c"
  std::vector<std::string> options;     // that are about its files alone
  std::vector<std::string> endings;     // of the files in it: a folder of such a name was meant as a file
  std::shared_ptr<std::string> folder;  // empty unless the user asked for it
  // Files that it reads, which no export may overwrite; none where it is empty.
  std::function<std::vector<NamedFile>()> inputs;
  // Throws octet::Error before anything is written. What it has to say to the user is printed by export.cc.
  struct Made {
    ExportedFiles files;
    std::string summary;
    std::vector<std::string> host_products = {};  // steps that multiply by weights, and are left to the host
  };
  std::function<Made(const ExportSource&)> make;
};

// One for each kind.
Exporter vectors_exporter(CommandLine line);
Exporter c_exporter(CommandLine line);
Exporter verilog_exporter(CommandLine line);

}  // namespace octet::cli
