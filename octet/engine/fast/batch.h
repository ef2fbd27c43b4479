// batch.h: a plan for all images of a batch at once, or for a few of them at a time.
//
// Layer by layer, threads meet at every step, and wait there for the slowest. A few images at a time are taken through all
// steps by one thread, stay in its cache, and threads meet once.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "octet/engine/fast/batch_split.h"
#include "octet/engine/fast/plan.h"

namespace octet::fast {

class Batch {
 public:
  // Requires known shapes. `threads`: how many will run it. With `keeps_all` all images run at once. Weights are
  // packed in the store, or for this plan alone if that is null.
  Batch(Program program, const Simd& simd, bool keeps_all, int threads, const BatchSplit& cut = {},
        WeightStore* weights = nullptr);

  // For the images of one slice.
  const Plan& plan() const { return *plan_; }
  std::int64_t slices() const { return (images_ + size_ - 1) / size_; }
  // The multiply-adds of a step, where those of a slice are so many.
  std::int64_t of_all_images(std::int64_t of_slice) const { return of_slice / size_ * images_; }

  // As Plan::run; before and after come from several threads, once for each slice, where there are several.
  PlanOutcome run(const PlanRun& run) const;
  void forget() const;
  std::int64_t bytes() const;

 private:
  // What one thread needs; kept for the next run.
  struct Slice {
    std::vector<Tensor> values;
    std::vector<Buffer> bound;  // by ValueId
  };
  // Whether the memory is for all images of an output.
  bool is_whole(const Buffer& buffer, ValueId output) const;
  // From that image on. The outputs of all slices stand in `whole`.
  PlanOutcome run_slice(std::int64_t first, Slice& slice, std::span<const Buffer> whole, const PlanRun& run) const;
  std::unique_ptr<Slice> borrow_slice() const;
  void return_slice(std::unique_ptr<Slice> slice) const;

  std::unique_ptr<const Plan> plan_;
  std::int64_t images_ = 1, size_ = 1;  // of the batch, and of a slice
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Slice>> idle_;
};

}  // namespace octet::fast
