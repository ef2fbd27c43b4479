// explanation.h: an explanation as text, as Markdown and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "octet/analyze/explain.h"

namespace octet {

struct ExplanationStyle {
  bool all_terms = false;   // else long sums lose their middle
  std::size_t width = 120;  // of the text's lines
};

std::string explanation_text(const Explanation& explanation, const ExplanationStyle& style = {});

// For GitHub, its formulas as mathematics.
std::string explanation_markdown(const Explanation& explanation, const ExplanationStyle& style = {});

// With every term; the schema is octet.explain/1. It names `model`, and the engine that computed what the step read, with
// the policy of its program.
std::string explanation_json(const Explanation& explanation, std::string_view model, const Engine& engine);

}  // namespace octet
