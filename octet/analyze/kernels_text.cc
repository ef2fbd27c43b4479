#include "octet/analyze/kernels_text.h"

#include <fmt/core.h>

#include "octet/text/table.h"

namespace octet {

std::string kernels_text(const Engine& engine, std::size_t width) {
  Table table({{"step", Table::Fit::kShorten}, {"kernel", Table::Fit::kWrap}});
  for (const StepKernel& step : engine.kernels()) table.add({step.step, step.kernel});
  return fmt::format("\nThe engine {}, where symbols mean 1:\n{}", engine.name(), table.text(width));
}

}  // namespace octet
