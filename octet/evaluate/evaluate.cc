#include "octet/evaluate/evaluate.h"

#include <algorithm>

#include "octet/base/fail.h"

namespace octet {

namespace {

// Whether each sample has one row of numbers, whatever dimensions of 1 stand around them.
bool is_one_row_each(const Shape& shape) {
  return std::count_if(shape.begin() + 1, shape.end(), [](std::int64_t size) { return size > 1; }) <= 1;
}

}  // namespace

std::string label_misfit(const Tensor& output, const Batch& batch, std::int64_t before) {
  if (output.rank() < 1 || output.shape()[0] != batch.samples)
    return fmt::format("the output is {} for {} samples; wanted one row of scores for each", to_string(output.shape()),
                       batch.samples);
  if (!batch.labels.empty() && !is_one_row_each(output.shape()))
    return fmt::format(
        "the output is {}, more than one row of scores for a sample: this is no classifier, and labels say nothing "
        "about "
        "it; octet loss compares outputs of any kind",
        to_string(output.shape()));
  const std::int64_t classes = output.size() / batch.samples;
  if (batch.named_classes > 0 && batch.named_classes != classes)
    return fmt::format(
        "{} classes have names, and the output has {} scores: which is which? Give every class its folder, empty or "
        "not, or number the labels from 0 on",
        batch.named_classes, classes);
  for (std::size_t i = 0; i < batch.labels.size(); ++i)
    if (batch.labels[i] < 0 || batch.labels[i] >= classes)
      return fmt::format("sample {} has the label {}, and the output has {} scores; wanted labels from 0 to {}",
                         before + static_cast<std::int64_t>(i) + 1, batch.labels[i], classes, classes - 1);
  return {};
}

void add_scores(Score& score, const Tensor& output, const Batch& batch) {
  if (const std::string misfit = label_misfit(output, batch, score.samples()); !misfit.empty())
    fail(ErrorCode::kUsage, "{}", misfit);
  const std::int64_t classes = output.size() / batch.samples;
  std::vector<double> row(static_cast<std::size_t>(classes));
  for (std::int64_t i = 0; i < batch.samples; ++i) {
    const std::int64_t label = batch.labels.empty() ? -1 : batch.labels[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < classes; ++k) row[static_cast<std::size_t>(k)] = output.number_at(i * classes + k);
    score.add(label, row);
  }
}

Score evaluate(const Engine& engine, SampleStream& samples, const EvaluateOptions& options) {
  const std::string& output = engine.program().values[engine.program().outputs.at(0)].name;
  const auto total = static_cast<std::size_t>(samples.total().value_or(0));
  Score score;
  while (const std::optional<Batch> batch = samples.next(options.batch)) {
    if (batch->labels.empty()) fail(ErrorCode::kUsage, "right answers can't be counted: {}", batch->unlabelled);
    add_scores(score, engine.run(batch->inputs).at(output), *batch);
    if (options.seen) options.seen(*batch);
    const auto done = static_cast<std::size_t>(score.samples());
    if (options.progress) options.progress(done, std::max(done, total));
  }
  if (score.samples() == 0) fail(ErrorCode::kUsage, "there are no samples");
  return score;
}

}  // namespace octet
