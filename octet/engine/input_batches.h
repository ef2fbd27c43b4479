// input_batches.h: inputs in batches, from files or made by the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "octet/engine/engine.h"

namespace octet {

struct InputBatch {
  NamedTensors inputs;
  std::int64_t samples = 1;
  std::int64_t total = 0;  // samples of all batches; 0 where that is not known. For progress
};

// The next batch; nothing after the last.
using InputBatches = std::function<std::optional<InputBatch>()>;

}  // namespace octet
