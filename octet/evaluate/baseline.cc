#include "octet/evaluate/baseline.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "octet/base/fail.h"
#include "octet/base/sha256.h"
#include "octet/evaluate/evaluate.h"
#include "octet/evaluate/noise.h"

namespace octet {
namespace {

std::vector<Tensor> results_of(const Engine& engine, const Batch& batch) {
  const NamedTensors made = engine.run(batch.inputs);
  std::vector<Tensor> outputs;
  for (const ValueId output : engine.program().outputs)
    outputs.push_back(made.at(engine.program().values[output].name));
  return outputs;
}

}  // namespace

Baseline::Baseline(const Engine& reference, Open open, std::int64_t batch, const Progress& progress)
    : open_(std::move(open)), batch_(batch) {
  const auto samples = open_();
  const auto total = static_cast<std::size_t>(samples->total().value_or(0));
  Sha256 hash;
  while (const std::optional<Batch> next = samples->next(batch_)) {
    outputs_.push_back(results_of(reference, *next));
    if (next->labels.empty() && unlabelled_.empty()) unlabelled_ = next->unlabelled;
    if (labelled()) unlabelled_ = label_misfit(outputs_.back().at(0), *next, samples_);
    if (labelled()) add_scores(score_, outputs_.back().at(0), *next);
    for (const Tensor& output : outputs_.back()) hash.add(output.bytes());
    hash.add(std::as_bytes(std::span(next->labels)));
    samples_ += next->samples;
    const auto done = static_cast<std::size_t>(samples_);
    if (progress) progress(done, std::max(done, total));
  }
  if (samples_ == 0) fail(ErrorCode::kUsage, "there are no samples");
  fingerprint_ = hash.hex();
}

Measured Baseline::measure(const Engine& other) const {
  Measured result{.sqnr = std::numeric_limits<double>::infinity()};
  const auto samples = open_();
  std::vector<Noise> noise(outputs_.at(0).size());
  for (const std::vector<Tensor>& wanted : outputs_) {
    const std::optional<Batch> batch = samples->next(batch_);
    const std::vector<Tensor> found = results_of(other, batch.value());
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i].add(wanted[i], found.at(i));
    if (labelled()) add_scores(result.score, found[0], *batch);
  }
  for (const Noise& of : noise) result.sqnr = std::min(result.sqnr, of.sqnr());
  return result;
}

}  // namespace octet
