// case.h: one case of the ONNX node tests, as ONNX ships it: a folder with a model, inputs and the outputs they give.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "octet/graph/model.h"
#include "octet/spec/arithmetic.h"

namespace octet {

struct Case {
  std::filesystem::path folder;
  Model model;
  std::string op;  // what it tests: the operator of its only node, "(several)" when there are more
  double relative = 1e-3, absolute = 1e-7;
};

// The folders below `root` that hold a model, sorted.
std::vector<std::filesystem::path> case_folders(const std::filesystem::path& root);

// Throws octet::Error when the model can't be read.
Case load_case(const std::filesystem::path& folder);

// The first operator that Octet has neither a kernel nor the standard's definition as a function for, "domain.Name"
// where it is not of ai.onnx; "" where it knows all.
std::string unknown_operator(const Case& test);

// Infers the model's types and runs it on every data set of the case. Throws octet::Error; returns what differs from
// the expected outputs, or "".
std::string run_case(const Case& test, const Arithmetic& arithmetic);

}  // namespace octet
