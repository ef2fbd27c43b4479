#include "octet/engine/fast/batch.h"

#include <algorithm>
#include <atomic>

#include "octet/engine/fast/images.h"
#include "octet/program/memory_plan.h"

namespace octet::fast {
namespace {

// Slices for each thread: threads that start late or share their core take fewer of them, and none waits long at the end. With less
// than the fewest, a remainder would cost more than that.
constexpr std::int64_t kPerThread = 16, kFewest = 4;

// How many images are taken at a time; all of them where it is not worth to divide them.
std::int64_t images_at_a_time(std::int64_t images, std::int64_t bytes_of_one, int threads, const BatchSplit& cut) {
  if (images < 2 || images * bytes_of_one < cut.least) return images;
  if (threads > 1 && images % threads != 0 && images < threads * kFewest) return images;
  const std::int64_t together = std::max<std::int64_t>(cut.near / std::max<std::int64_t>(bytes_of_one, 1), 1);
  const std::int64_t share = threads == 1 ? images : std::max<std::int64_t>(images / (threads * kPerThread), 1);
  const std::int64_t most = std::min(together, share);
  for (std::int64_t size = most; 2 * size > most; --size)
    if (images % size == 0) return size;
  const std::int64_t slices = (images + most - 1) / most;
  return (images + slices - 1) / slices;
}

}  // namespace

Batch::Batch(Program program, const Simd& simd, bool keeps_all, int threads, const BatchSplit& cut,
             WeightStore* weights) {
  std::optional<WeightStore> own;
  WeightStore& store = weights ? *weights : own.emplace(Program());
  const std::int64_t images = keeps_all ? 1 : images_of(program);
  const std::optional<Part> one = images > 1 ? part_of(program, 1) : std::nullopt;
  if (one) {
    const MemoryPlan memory = plan_memory(one->program, {.aliases = false, .in_place = false});
    const std::int64_t size = memory.bytes ? images_at_a_time(images, *memory.bytes, threads, cut) : images;
    if (size < images) {
      Part part = *part_of(program, size);
      auto plan = std::make_unique<const Plan>(std::move(part.program), simd, false, store);
      bool fits = true;
      for (std::size_t step = 0; step < part.operations_differ.size(); ++step)
        fits = fits && (plan->has_kernel(step) || !part.operations_differ[step]);
      if (fits) {
        plan_ = std::move(plan);
        images_ = images;
        size_ = size;
        return;
      }
    }
  }
  plan_ = std::make_unique<const Plan>(std::move(program), simd, keeps_all, store);
}

std::unique_ptr<Batch::Slice> Batch::borrow_slice() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Slice> slice = std::move(idle_.back());
      idle_.pop_back();
      return slice;
    }
  }
  const Program& program = plan_->program();
  auto slice = std::make_unique<Slice>();
  slice->values.resize(program.values.size());
  slice->bound.resize(program.values.size());
  const auto prepare = [&](ValueId value) {
    const Operand& operand = plan_->operands()[value];
    slice->bound[value] = {operand.type, operand.shape, {}};
  };
  for (const ProgramInput& input : program.inputs) prepare(input.value);
  for (const ValueId output : program.outputs) prepare(output);
  return slice;
}

void Batch::return_slice(std::unique_ptr<Slice> slice) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(slice));
}

void Batch::forget() const {
  plan_->forget();
  const std::lock_guard lock(mutex_);
  idle_.clear();
}

std::int64_t Batch::bytes() const {
  const std::size_t of_slice = plan_->program().values.size() * (sizeof(Tensor) + sizeof(Buffer));
  const std::lock_guard lock(mutex_);
  return plan_->bytes() + static_cast<std::int64_t>(idle_.size() * of_slice);
}

bool Batch::is_whole(const Buffer& buffer, ValueId value) const {
  const Operand& part = plan_->operands()[value];
  return buffer.dtype == part.type && buffer.shape.size() == part.shape.size() && buffer.shape.front() == images_ &&
         std::equal(buffer.shape.begin() + 1, buffer.shape.end(), part.shape.begin() + 1);
}

PlanOutcome Batch::run_slice(std::int64_t first, Slice& slice, std::span<const Buffer> whole,
                             const PlanRun& run) const {
  const auto part = [&](std::span<std::byte> all) {
    const std::size_t bytes = all.size() / static_cast<std::size_t>(images_);  // of an image
    return all.subspan(static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(size_) * bytes);
  };
  for (const ProgramInput& input : plan_->program().inputs) {
    const std::span<const std::byte> all = run.values[input.value].bytes();
    slice.bound[input.value].bytes = part({const_cast<std::byte*>(all.data()), all.size()});  // is not written
  }
  for (const ValueId output : plan_->program().outputs) slice.bound[output].bytes = part(whole[output].bytes);
  return plan_->run({.values = slice.values,
                     .parallel = run.parallel,
                     .bound = slice.bound,
                     .before = run.before,
                     .after = run.after});
}

PlanOutcome Batch::run(const PlanRun& run) const {
  if (size_ == images_) return plan_->run(run);
  std::vector<Buffer> made;  // bound, and memory for the outputs for which there is none
  std::span<const Buffer> whole = run.bound;
  for (const ValueId output : plan_->program().outputs) {
    if (!run.bound.empty() && is_whole(run.bound[output], output)) continue;
    if (made.empty()) {
      made.assign(run.bound.begin(), run.bound.end());
      made.resize(run.values.size());
      whole = made;
    }
    Shape shape = plan_->operands()[output].shape;
    shape.front() = images_;
    run.values[output] = Tensor::uninitialized(plan_->operands()[output].type, std::move(shape));
    made[output].bytes = run.values[output].mutable_bytes();
  }
  std::atomic<PlanOutcome> outcome = PlanOutcome::kDone;
  std::atomic<std::int64_t> next = 0;
  const auto run_until = [&](std::int64_t end) {
    std::unique_ptr<Slice> slice = borrow_slice();
    for (std::int64_t number = next++; number < end; number = next++) {
      const PlanOutcome found = run_slice(std::min(number * size_, images_ - size_), *slice, whole, run);
      if (found == PlanOutcome::kDone) continue;
      outcome = found;
      next = end;
      return;
    }
    return_slice(std::move(slice));
  };
  // Idle threads take the next slice. After a failure no further slice starts.
  const std::int64_t apart = images_ / size_;
  run.parallel.for_each_block(std::min<std::int64_t>(run.parallel.threads(), apart), 1,
                              [&](std::int64_t, std::int64_t) {
                                try {
                                  run_until(apart);
                                } catch (...) {
                                  next = apart;
                                  throw;
                                }
                              });
  // The last one takes some images again that the one before it had, and must not write them at the same time.
  if (apart < slices() && outcome == PlanOutcome::kDone) {
    next = apart;
    run_until(slices());
  }
  return outcome;
}

}  // namespace octet::fast
