// writing.h: what the writers of explanations share.
#pragma once

#include <string>
#include <vector>

#include "octet/analyze/explanation.h"

namespace octet {

// Numbers as the shortest text that reads back as the same.
std::string text(const ExplainedValue& value);

// "convolution, 5 nodes: conv1 (Conv), ...".
std::string step_text(const Explanation& explanation);
// "uint8 [1,16,32,32], scale 0.02, zero point 3".
std::string type_text(const Explanation& explanation);

// The rows to show, as texts; where the middle is left out, one row says how many are missing.
std::vector<std::vector<std::string>> shown_rows(const ExplainedTerms& terms, bool all);

}  // namespace octet
