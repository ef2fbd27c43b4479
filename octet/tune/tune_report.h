// tune_report.h: what a search found, as text and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "octet/tune/trials.h"
#include "octet/tune/tune.h"

namespace octet {

// A table for people, no wider than `width`, and what became of the layers that were kept.
// `judge` has the held-out samples, where there are any.
std::string tune_text(const Tuned& tuned, const Baseline& baseline, std::size_t width, const Baseline* judge = nullptr);

// docs/schemas/tune.schema.json; `model` is what the document calls the network, `command` what makes the same without a search.
std::string tune_json(const Tuned& tuned, const Trials& trials, const std::string& model, const std::string& command);

}  // namespace octet
