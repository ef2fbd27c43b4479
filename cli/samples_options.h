// samples_options.h: the options that say where samples come from and how bytes become inputs; the same everywhere.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "octet/data/samples.h"

namespace octet::cli {

struct SamplesOptions {
  std::string data, labels;
  std::string pixels = "unit", channel_order = "rgb", resize, crop;
  std::vector<float> mean, deviation;
  bool skip_broken = false;
  std::int64_t samples = 0;
  std::int64_t batch = 32;
  // What was said already: a command may read the samples several times.
  std::shared_ptr<std::set<std::string>> said = std::make_shared<std::set<std::string>>();

  bool given() const { return !data.empty(); }
  std::unique_ptr<SampleStream> open(const Model& model) const;
};

// Throws kUsage, saying `why`, when the first sample has no label.
void require_labels(const SamplesOptions& options, const Model& model, std::string_view why);

void add_samples_options(CommandLine line, SamplesOptions& options);

}  // namespace octet::cli
