// exporter.h: a kind of files that octet export makes. Each has a file of its name; export.cc lists them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "octet/export/files.h"
#include "octet/program/program.h"

namespace octet::cli {

struct Exporter {
  std::string option;                   // that names its folder: "--c"
  std::vector<std::string> options;     // that are about its files alone
  std::shared_ptr<std::string> folder;  // empty unless the user asked for it
  std::vector<std::string> inputs;      // options that name files to read
  // Throws octet::Error before anything is written. What it has to say to the user is printed by export.cc.
  struct Made {
    ExportedFiles files;
    std::string summary;
  };
  std::function<Made(const Program&)> make;
};

}  // namespace octet::cli
