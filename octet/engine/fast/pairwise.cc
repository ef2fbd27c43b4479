#include <algorithm>

#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/stages.h"
#include "octet/engine/fast/standing.h"

namespace octet::fast {
namespace {

class PairwiseKernel : public Kernel {
 public:
  PairwiseKernel(const work::Pairwise& work, const Making& making)
      : PairwiseKernel(work, making, work.epilogue, making.at(work.a).type) {}

  void run(const Places& places, const Parallel& parallel) const override {
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
  PairwiseKernel(const work::Pairwise& work, const Making& making, std::span<const work::Stage> stages, DType type)
      : first_(making.at(work.swapped ? work.b : work.a), making.at(work.y)),
        second_(making.at(work.swapped ? work.a : work.b), making.at(work.y)),
        y_(work.y),
        size_(making.at(work.y).size()),
        combination_(work.product,
                     {work.swapped ? work.b_meaning : work.a_meaning, work.swapped ? work.a_meaning : work.b_meaning,
                      work.y_meaning},
                     type, take_clamps(stages, type), making.simd.elements),
        stages_(stages, type, making) {}

  View first_, second_;
  ValueId y_;
  std::int64_t size_;
  Combination combination_;
  Stages stages_;
};

}  // namespace

KernelPtr make_kernel(const work::Pairwise& work, const Making& making) {
  if (!making.known(work.a) || !making.known(work.b) || !making.known(work.y)) return nullptr;
  const Operand &a = making.at(work.a), &b = making.at(work.b);
  if (!has_bytes(a) || a.type != b.type || !has_bytes(making.at(work.y))) return nullptr;
  if (!stages_fit(work.epilogue, work.y, making)) return nullptr;
  return std::make_unique<PairwiseKernel>(work, making);
}

}  // namespace octet::fast
