// evaluation.h: how often a classifier is right beside a baseline, whether that is enough, and both as text and JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "octet/data/samples.h"
#include "octet/evaluate/score.h"

namespace octet {

// What evaluate() (evaluate.h) found.
struct Evaluation {
  Score score;
  std::optional<Score> baseline;              // of another model on the same samples
  std::vector<SampleSource> sources = {};     // of the samples, in order; empty: unknown
  std::vector<std::string> class_names = {};  // by label; empty: unknown
  std::optional<double> max_drop;             // points of top-1 accuracy that the model may be behind; needs a baseline

  double drop() const;  // points behind the baseline. Throws kUsage where there is none
  bool passed() const;
};

struct EvaluationStyle {
  bool confusion = false;   // with the confusion matrix
  std::size_t width = 120;  // of tables, in columns
};
std::string evaluation_text(const Evaluation& found, const EvaluationStyle& style = {});

// What JSON calls them.
struct EvaluationSource {
  std::string model, baseline;  // files
  std::string policy, engine, arithmetic;
};
// docs/schemas/evaluate.schema.json
std::string evaluation_json(const Evaluation& found, const EvaluationSource& source);

}  // namespace octet
