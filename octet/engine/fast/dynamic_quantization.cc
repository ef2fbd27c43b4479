#include "octet/engine/fast/dynamic_quantization.h"

#include <algorithm>
#include <mutex>

#include "octet/spec/quantized/dynamic_quantize_linear.h"

namespace octet::fast {

Quantization found_quantization(const float* x, std::int64_t count, const Elements& elements,
                                const Parallel& parallel) {
  float least = 0, greatest = 0;
  std::mutex mutex;
  parallel.for_each_block(count, 32768, [&](std::int64_t begin, std::int64_t end) {
    float low, high;
    elements.range(x + begin, end - begin, &low, &high);
    const std::lock_guard lock(mutex);
    least = std::min(least, low);
    greatest = std::max(greatest, high);
  });
  return dynamic_quantization(least, greatest);
}

}  // namespace octet::fast
