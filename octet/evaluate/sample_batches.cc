#include "octet/evaluate/sample_batches.h"

#include <utility>

namespace octet {

InputBatches sample_batches(std::function<std::unique_ptr<SampleStream>()> open, std::int64_t batch) {
  return
      [open = std::move(open), batch, stream = std::shared_ptr<SampleStream>()]() mutable -> std::optional<InputBatch> {
        if (!stream) stream = open();
        std::optional<Batch> next = stream->next(batch);
        if (!next) return std::nullopt;
        return InputBatch{std::move(next->inputs), next->samples, stream->total().value_or(0)};
      };
}

}  // namespace octet
