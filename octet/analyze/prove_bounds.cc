#include "octet/analyze/prove_bounds.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/spec/rounding_named.h"

namespace octet {
namespace {

void observe_batches(ProvenBounds& found, const Engine& engine, const ProveBoundsOptions& options) {
  while (const std::optional<InputBatch> batch = options.batches()) {
    NamedTensors values = engine.run(batch->inputs, {.keep_all = true});
    values.insert(batch->inputs.begin(), batch->inputs.end());
    observe(found.steps, engine.program(), values, engine.parallel());
    found.samples += batch->samples;
    if (options.sample_progress)
      options.sample_progress(static_cast<std::size_t>(found.samples),
                              static_cast<std::size_t>(std::max(found.samples, batch->total)));
  }
}

}  // namespace

int ProvenBounds::accumulator_bits() const {
  int widest = 0;
  for (const StepBounds& bound : steps) widest = std::max(widest, signed_width(bound.final));
  return widest;
}

std::vector<EqualChannels> ProvenBounds::equal_by_rule() const {
  std::vector<EqualChannels> result;
  for (const std::string_view rule : rounding_names()) {
    EqualChannels count{rule};
    for (const StepBounds& bound : steps)
      for (const ChannelBounds& channel : bound.channels) {
        count.channels += channel.equal ? 1 : 0;
        count.equal += channel.equal_rules[static_cast<std::size_t>(rounding_named(rule))] ? 1 : 0;
      }
    result.push_back(count);
  }
  return result;
}

ProvenBounds prove_bounds(const Engine& engine, const ProveBoundsOptions& options) {
  const Program& program = engine.program();
  ProvenBounds found{.steps = bounds(program, {options.rounding, options.progress}),
                     .combining = combining_steps(program),
                     .rounding = options.rounding,
                     .max_bits = options.max_bits};
  const bool needs_sums = options.needs_sums || options.batches || options.max_bits;
  if (found.steps.empty() && (found.combining.empty() || needs_sums))
    fail(ErrorCode::kUsage, "{} has no step whose weights and zero points are known before it runs", options.name);
  if (options.batches) observe_batches(found, engine, options);
  return found;
}

}  // namespace octet
