// run_time_product.h: matrix products whose weights are computed at run time, or differ from matrix to matrix of a batch.
#pragma once

#include "octet/engine/fast/kernel.h"

namespace octet::fast {

// Whether there is a kernel for such a product: bytes times bytes, one zero point for all weights. Requires a sum without
// constant weights.
bool fits_run_time_product(const work::MatrixProduct& work, const KernelContext& context);
// Requires work that fits. Each run packs the weights into scratch memory, as many matrices at a time as stay in the cache.
KernelPtr make_run_time_product(const work::MatrixProduct& work, const KernelContext& context);

}  // namespace octet::fast
