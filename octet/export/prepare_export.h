// prepare_export.h: what happens to a model before it becomes files: shapes are settled, then it is lowered.
#pragma once

#include "octet/graph/model.h"
#include "octet/program/policy.h"
#include "octet/program/program.h"

namespace octet {

struct PreparedExport {
  Model model;  // with the batch size of 1 where it was a symbol
  Program program;
};

// For files that hardware and firmware are built from: values that shapes and constants tell are constants. Throws kUsage when a
// shape is not known before the run.
PreparedExport prepare_export(const Model& model, Policy policy);

// For a shared library, which can be asked for every tensor: those values stay steps.
PreparedExport prepare_library(const Model& model, Policy policy);

}  // namespace octet
