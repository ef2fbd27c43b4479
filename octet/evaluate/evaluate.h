// evaluate.h: a model's predictions over a labelled stream of samples.
#pragma once

#include <functional>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/evaluate/score.h"

namespace octet {

struct EvaluateOptions {
  std::int64_t batch = 32;
  Progress progress;
  std::function<void(const Batch&)> seen;  // called for every batch that was counted; may be empty
};

// Why the labels of a batch, before which there were others, can't be those of such an output; empty where they can.
std::string label_misfit(const Tensor& output, const Batch& batch, std::int64_t before);

// Adds a row of scores for each sample of the batch; samples without labels have the label -1. Throws kUsage when
// `output` is not one row of scores per sample.
void add_scores(Score& score, const Tensor& output, const Batch& batch);

// Scores are the elements of the model's first output per sample. Throws kUsage when samples have no labels or the
// output is not one row of scores per sample.
Score evaluate(const Engine& engine, SampleStream& samples, const EvaluateOptions& options = {});

}  // namespace octet
