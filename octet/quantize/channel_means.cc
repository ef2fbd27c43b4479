#include "octet/quantize/channel_means.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/program/lower.h"

namespace octet {
namespace {

struct ChannelSums {
  std::vector<double> sums;
  std::int64_t elements = 0;  // of each channel

  void add(const Tensor& values, bool last) {
    const Shape& shape = values.shape();
    if (values.dtype() != DType::kFloat || shape.size() < 2 || values.size() == 0) return;
    const std::int64_t channels = last ? shape.back() : shape[1];
    const std::int64_t inner = last ? 1 : element_count(std::span(shape).subspan(2));
    sums.resize(static_cast<std::size_t>(channels), 0);
    const float* value = values.as<float>().data();
    for (std::int64_t outer = 0; outer < values.size() / channels / inner; ++outer)
      for (double& sum : sums)
        for (std::int64_t i = 0; i < inner; ++i) sum += static_cast<double>(*value++);
    elements += values.size() / channels;
  }
};

}  // namespace

std::map<std::string, std::vector<double>> channel_means(const Model& model, SampleStream& samples,
                                                         const MeansOptions& options) {
  const auto engine = make_engine(options.engine, lower(model, Policy::kAsWritten), {.threads = options.threads});
  std::map<std::string, ChannelSums> found;
  const auto see = [&](const std::string& name, const Tensor& value) {
    if (const auto wanted = options.tensors.find(name); wanted != options.tensors.end())
      found[name].add(value, wanted->second);
  };
  std::size_t done = 0;
  while (const std::optional<Batch> batch = samples.next(options.batch)) {
    for (const auto& [name, value] : batch->inputs) see(name, value);
    engine->run(batch->inputs, {.observe = see});
    done += static_cast<std::size_t>(batch->samples);
    if (options.progress) options.progress(done, std::max(done, static_cast<std::size_t>(samples.total().value_or(0))));
  }
  if (done == 0) fail(ErrorCode::kUsage, "there are no calibration samples");
  std::map<std::string, std::vector<double>> means;
  for (const auto& [name, last] : options.tensors) {
    ChannelSums& channels = found[name];
    if (channels.sums.empty()) fail(ErrorCode::kModel, "tensor {} has no channels of numbers to average", name);
    for (double& sum : channels.sums) sum /= static_cast<double>(channels.elements);
    means[name] = std::move(channels.sums);
  }
  return means;
}

}  // namespace octet
