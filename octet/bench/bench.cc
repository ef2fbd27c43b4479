#include "octet/bench/bench.h"

#include <algorithm>

#include "octet/bench/octet_contender.h"
#include "octet/bench/race.h"
#include "octet/graph/infer.h"
#include "octet/graph/lower_opset.h"
#include "octet/onnx/model_file.h"
#include "octet/program/lower.h"
#include "octet/system/scratch_folder.h"

namespace octet {
namespace {

// All contenders get fixed dimensions, so that none has to infer shapes during a run.
Model bound_to(const Model& model, const NamedTensors& inputs) {
  std::map<std::string, std::int64_t> dimensions;
  for (const Value& input : model.graph.inputs) {
    const auto given = inputs.find(input.name);
    if (given == inputs.end() || !input.type.shape || input.type.shape->size() != given->second.shape().size())
      continue;
    for (std::size_t i = 0; i < input.type.shape->size(); ++i)
      if (const Dim& dim = (*input.type.shape)[i]; dim.is_symbol()) dimensions[dim.symbol()] = given->second.shape()[i];
  }
  return bind_dimensions(model, dimensions);
}

std::int64_t batch_of(const NamedTensors& inputs) {
  std::optional<std::int64_t> batch;
  for (const auto& [name, tensor] : inputs) {
    const std::int64_t first = tensor.shape().empty() ? 0 : tensor.shape().front();
    if (batch.value_or(first) != first) return 0;
    batch = first;
  }
  return batch.value_or(0);
}

// Some tenths of a second, but not more often than tells anything new.
int repetitions_for(double nanoseconds) { return static_cast<int>(std::clamp(3e8 / nanoseconds, 3.0, 300.0)); }

}  // namespace

Measurement measure(const Model& model, const NamedTensors& inputs, const BenchOptions& options) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "model.onnx";
  save_model(lower_opset(bound_to(model, inputs)), file);
  OctetContender octet(file, options.policy, options.engine, options.make_engine, options.threads, inputs);
  const ExactOutputs exact =
      exact_outputs(*make_engine(engines().front(), octet.engine().program(), {.threads = options.threads}), inputs);

  Measurement result{.threads = options.threads, .batch = batch_of(inputs)};
  result.standings.push_back({.facts = octet.facts(), .exact = equality(exact, octet.outputs())});
  std::optional<OtherRuntimes> others;
  std::vector<std::unique_ptr<Contender>> opened;
  std::vector<Contender*> runners = {&octet};
  for (const Rival& rival : options.rivals) {
    if (!others) others.emplace(options.python, folder.path());
    const std::filesystem::path path = folder.path() / ("rival" + std::to_string(result.standings.size()) + ".onnx");
    save_model(lower_opset(bound_to(rival.model, inputs)), path);
    auto [contender, refusal] = others->open(rival.runtime, rival.name, path, options.threads, inputs);
    if (contender) {
      result.standings.push_back({.facts = contender->facts(), .exact = equality(exact, contender->outputs())});
      runners.push_back(contender.get());
      opened.push_back(std::move(contender));
    } else {
      result.standings.push_back({.facts = {.name = rival.name}, .refusal = refusal});
    }
  }

  const std::vector<std::vector<double>> times =
      race(runners, {.seconds = options.seconds, .progress = options.progress});
  auto of_runner = times.begin();
  for (Standing& standing : result.standings)
    if (standing.refusal.empty()) standing.speed = speed_of(*of_runner++);
  result.steps = octet.engine().time_steps(inputs, repetitions_for(result.octet().speed.median));
  result.peak = measure_peak(options.threads);
  return result;
}

std::vector<Measurement> measure_settings(const Model& model, const std::vector<NamedTensors>& inputs,
                                          const std::vector<std::int64_t>& threads, BenchOptions options) {
  std::vector<Measurement> measurements;
  for (const NamedTensors& batch : inputs)
    for (const std::int64_t count : threads) {
      options.threads = static_cast<int>(count);
      measurements.push_back(measure(model, batch, options));
    }
  return measurements;
}

double ratio_to_octet(const Measurement& measurement, const Standing& standing) {
  return standing.speed.median / measurement.octet().speed.median;
}

double samples_per_second(const Measurement& measurement, const Standing& standing) {
  return 1e9 * static_cast<double>(std::max<std::int64_t>(measurement.batch, 1)) / standing.speed.median;
}

std::optional<double> share_of_peak(const Measurement& measurement, const StepTime& step) {
  if (!measurement.peak || step.multiply_adds == 0 || step.in_float) return std::nullopt;
  return static_cast<double>(step.multiply_adds) / step.nanoseconds * 1e9 / measurement.peak->multiply_adds_per_second;
}

}  // namespace octet
