#include "octet/engine/fast/weight_store.h"

#include <algorithm>

namespace octet::fast {
namespace {

const Tensor* weights_of(const Work& work) {
  if (const work::Sum* sum = sum_of(work)) return &sum->weights;
  if (const auto* convolution = std::get_if<work::FloatConvolution>(&work)) return &convolution->weights;
  if (const auto* product = std::get_if<work::FloatProduct>(&work)) return &product->weights;
  return nullptr;
}

}  // namespace

void WeightStore::add(const Program& program) {
  const std::lock_guard lock(mutex_);
  const auto keep = [&](const Tensor& constant) {
    if (!constant.bytes().empty()) slots_.try_emplace(constant.bytes().data());
  };
  for (const ProgramValue& value : program.values) keep(value.constant);
  for (const Step& step : program.steps)
    if (const Tensor* weights = weights_of(step.work)) keep(*weights);
}

std::shared_ptr<WeightStore::Slot> WeightStore::slot_for(const Tensor& weights, const PackingForm& form) {
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(weights.bytes().data());
  if (found == slots_.end()) return nullptr;
  for (const std::shared_ptr<Slot>& slot : found->second)
    if (slot->form == form && slot->dtype == weights.dtype() && slot->shape == weights.shape()) return slot;
  return found->second.emplace_back(std::make_shared<Slot>(weights, form));
}

std::shared_ptr<const void> WeightStore::get_any(const Tensor& weights, const PackingForm& form, const MakeAny& make) {
  const std::shared_ptr<Slot> slot = slot_for(weights, form);
  if (!slot) return make().first;
  const std::lock_guard lock(slot->mutex);
  if (!slot->packed) {
    auto [packed, bytes] = make();
    slot->packed = std::move(packed);
    bytes_ += bytes;
  }
  return slot->packed;
}

void WeightStore::clear() {
  const std::lock_guard lock(mutex_);
  for (auto& [data, slots] : slots_) slots.clear();
  bytes_ = 0;
}

}  // namespace octet::fast
