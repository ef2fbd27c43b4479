// sample_batches.h: samples from files as batches of inputs, for what needs no labels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "octet/data/samples.h"
#include "octet/engine/input_batches.h"

namespace octet {

// Opens the samples when the first batch is asked for. `batch` as in SampleStream::next.
InputBatches sample_batches(std::function<std::unique_ptr<SampleStream>()> open, std::int64_t batch);

}  // namespace octet
