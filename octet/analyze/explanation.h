// explanation.h: an explanation as text, as Markdown and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "octet/analyze/explain_model.h"

namespace octet {

struct ExplanationStyle {
  bool all_terms = false;   // else long sums lose their middle
  std::size_t width = 120;  // of the text's lines
};

std::string explanation_text(const Explanation& explanation, const ExplanationStyle& style = {});

// For GitHub, its formulas as mathematics.
std::string explanation_markdown(const Explanation& explanation, const ExplanationStyle& style = {});

// docs/schemas/explain.schema.json, with every term; `model` is what the document calls the network.
std::string explanation_json(const ExplainResult& found, std::string_view model);

}  // namespace octet
