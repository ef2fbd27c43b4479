// verify_report.h: what a verification of a model found, over all of its runs, as text and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "octet/engine/engine.h"
#include "octet/program/program.h"
#include "octet/verify/verify_model.h"

namespace octet {

// Run by run: totals, then the tensors that are not equal, or all of them; in lines of at most `width` columns.
std::string verify_text(const VerifyResult& result, const Program& program, bool all, std::size_t width);

// docs/schemas/verify.schema.json; `model` is what the document calls the network.
std::string verify_json(const VerifyResult& result, const Engine& engine, const std::string& model);

}  // namespace octet
