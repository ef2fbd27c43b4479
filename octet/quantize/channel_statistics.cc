#include "octet/quantize/channel_statistics.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/program/lower.h"

namespace octet {
namespace {

struct SeenChannels {
  ChannelStatistics found;    // sums in place of means
  std::int64_t elements = 0;  // of each channel

  void add(const Tensor& values, bool last) {
    const Shape& shape = values.shape();
    if (values.dtype() != DType::kFloat || shape.size() < 2 || values.size() == 0) return;
    const std::int64_t channels = last ? shape.back() : shape[1];
    const std::int64_t inner = last ? 1 : element_count(std::span(shape).subspan(2));
    found.means.resize(static_cast<std::size_t>(channels), 0);
    const float* value = values.as<float>().data();
    found.ranges.resize(found.means.size());
    for (std::int64_t outer = 0; outer < values.size() / channels / inner; ++outer)
      for (std::size_t c = 0; c < found.means.size(); ++c)
        for (std::int64_t i = 0; i < inner; ++i, ++value) {
          if (elements == 0 && outer == 0 && i == 0) found.ranges[c] = {*value, *value};
          found.means[c] += static_cast<double>(*value);
          found.ranges[c] = widened(found.ranges[c], {*value, *value});
        }
    elements += values.size() / channels;
  }
};

}  // namespace

std::map<std::string, ChannelStatistics> channel_statistics(const Model& model, const ChannelTensors& tensors,
                                                            const SampleRuns& runs, const Progress& progress) {
  const auto engine = make_engine(runs.engine, lower(model, Policy::kAsWritten), {.threads = runs.threads});
  const std::unique_ptr<SampleStream> samples = runs.samples(model);
  std::map<std::string, SeenChannels> seen;
  const auto see = [&](const std::string& name, const Tensor& value) {
    if (const auto wanted = tensors.find(name); wanted != tensors.end()) seen[name].add(value, wanted->second);
  };
  std::size_t done = 0;
  while (const std::optional<Batch> batch = samples->next(runs.batch)) {
    for (const auto& [name, value] : batch->inputs) see(name, value);
    engine->run(batch->inputs, {.observe = see});
    done += static_cast<std::size_t>(batch->samples);
    if (progress) progress(done, std::max(done, static_cast<std::size_t>(samples->total().value_or(0))));
  }
  if (done == 0) fail(ErrorCode::kUsage, "there are no calibration samples");
  std::map<std::string, ChannelStatistics> result;
  for (auto& [name, channels] : seen) {
    if (channels.elements == 0) continue;
    for (double& mean : channels.found.means) mean /= static_cast<double>(channels.elements);
    result[name] = std::move(channels.found);
  }
  return result;
}

}  // namespace octet
