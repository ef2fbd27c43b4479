// compare_dumps.h: octet compare MODEL --against: a program beside what C and hardware dumped.
#pragma once

#include <string>
#include <vector>

#include "cli/several_inputs.h"

namespace octet::cli {

struct DumpArguments {
  std::string model;
  std::vector<std::string> against, dims;
  SeveralInputs inputs;
  std::string layout = "chw", policy = "exact", engine, json;
  int word = 0, threads = 0;
  bool all = false;
};

// The exit code.
int compare_dumps(const DumpArguments& options);

}  // namespace octet::cli
