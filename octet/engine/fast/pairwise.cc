#include <algorithm>

#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/stages.h"

namespace octet::fast {
namespace {

class PairwiseKernel : public Kernel {
 public:
  PairwiseKernel(const work::Pairwise& work, const KernelContext& context)
      : PairwiseKernel(work, context, split_clamps(work.epilogue, context.at(work.a).type)) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    std::uint8_t* y = bytes_at(places, y_);
    parallel.for_each_block(size_, kGrain, [&](std::int64_t begin, std::int64_t end) {
      // As much as stays in the nearest cache while the stages pass over it.
      constexpr std::int64_t kAtOnce = 4096;
      alignas(64) std::uint8_t buffers[2][kAtOnce];
      for (std::int64_t k = begin; k < end; k += kAtOnce) {
        const std::int64_t count = std::min(kAtOnce, end - k);
        const std::uint8_t* first = first_.bytes(places, k, count, buffers[0]);
        combination_(first, second_.bytes(places, k, count, buffers[1]), count, y + k);
        stages_.apply(y + k, count, k, places);
      }
    });
  }
  std::string describe() const override { return "elements"; }

 private:
  PairwiseKernel(const work::Pairwise& work, const KernelContext& context, const SplitStages& split)
      : first_(context.at(work.swapped ? work.b : work.a), context.at(work.y)),
        second_(context.at(work.swapped ? work.a : work.b), context.at(work.y)),
        y_(work.y),
        size_(context.at(work.y).size()),
        combination_(work.product,
                     {work.swapped ? work.b_meaning : work.a_meaning, work.swapped ? work.a_meaning : work.b_meaning,
                      work.y_meaning},
                     context.at(work.a).type, split.bounds, context.simd.elements),
        stages_(split.rest, context.at(work.a).type, context) {}

  View first_, second_;
  ValueId y_;
  std::int64_t size_;
  Combination combination_;
  Stages stages_;
};

}  // namespace

bool fits(const work::Pairwise& work, const KernelContext& context) {
  if (!context.known(work.a) || !context.known(work.b) || !context.known(work.y)) return false;
  const Operand &a = context.at(work.a), &b = context.at(work.b);
  if (!has_bytes(a) || a.type != b.type || !has_bytes(context.at(work.y))) return false;
  if (!stages_fit(work.epilogue, work.y, context)) return false;
  return true;
}

KernelPtr make_kernel(const work::Pairwise& work, const KernelContext& context) {
  return std::make_unique<PairwiseKernel>(work, context);
}

}  // namespace octet::fast
