#include "octet/engine/fast/float_stages.h"

#include <algorithm>
#include <cmath>

namespace octet::fast {
namespace {

using StageOperation = FloatStage::Operation;

StageOperation operation_of(const work::Calculate& stage) {
  switch (stage.operation) {
    case work::Calculate::Operation::kAdd: return StageOperation::kAdd;
    case work::Calculate::Operation::kMultiply: return StageOperation::kMultiply;
    case work::Calculate::Operation::kSubtract:
      return stage.operand_first ? StageOperation::kSubtractFrom : StageOperation::kSubtract;
    case work::Calculate::Operation::kDivide: break;
  }
  return stage.operand_first ? StageOperation::kDivideInto : StageOperation::kDivide;
}

}  // namespace

bool float_stages_fit(std::span<const work::Stage> stages, ValueId y, const KernelContext& context) {
  return std::all_of(stages.begin(), stages.end(), [&](const work::Stage& stage) {
    const auto* calculate = std::get_if<work::Calculate>(&stage);
    if (calculate == nullptr || calculate->other == kNoValue) return true;
    if (!context.known(calculate->other)) return false;
    const Operand &other = context.at(calculate->other), &result = context.at(y);
    return other.type == DType::kFloat && other.shape == result.shape && other.layout == result.layout;
  });
}

FloatStages::FloatStages(std::span<const work::Stage> stages) {
  for (const work::Stage& stage : stages) {
    Stage& made = stages_.emplace_back();
    if (const auto* limit = std::get_if<work::Limit>(&stage)) {
      made.stage = {.operation = StageOperation::kLimit, .low = limit->low, .high = limit->high};
    } else {
      const auto& calculate = std::get<work::Calculate>(stage);
      made.stage = {.operation = operation_of(calculate), .one_for_all = calculate.numbers.size() == 1};
      made.numbers = calculate.numbers;
      made.other = calculate.other;
    }
  }
}

FloatStages::Bound FloatStages::bind(const ValuePointers& places) const {
  Bound bound;
  for (const Stage& stage : stages_) {
    FloatStage& now = bound.stages_[bound.count_++] = stage.stage;
    if (!stage.numbers.empty()) now.numbers = stage.numbers.data();
    if (stage.other != kNoValue) now.other = reinterpret_cast<const float*>(places[stage.other]);
  }
  return bound;
}

FloatStages::Bound FloatStages::Bound::from(std::int64_t element) const {
  Bound moved = *this;
  for (std::size_t k = 0; k < count_; ++k)
    if (FloatStage& stage = moved.stages_[k]; stage.other != nullptr) stage.other += element;
  return moved;
}

void FloatStages::Bound::move_to(const Bound& whole, std::int64_t element, std::int64_t channel) {
  for (std::size_t k = 0; k < count_; ++k) {
    const FloatStage& from = whole.stages_[k];
    if (from.other != nullptr) stages_[k].other = from.other + element;
    if (from.numbers != nullptr && !from.one_for_all) {
      stages_[k].numbers = from.numbers + channel;
      stages_[k].one_for_all = true;
    }
  }
}

// A product with a number, or a quotient by one, keeps the difference between the two zeros or is NaN for both; adding any
// number but -0 ends it.
bool FloatStages::forget_sign_of_zero() const {
  for (const auto& [stage, numbers, other] : stages_) {
    if (numbers.empty()) return false;
    if (stage.operation == StageOperation::kAdd)
      return std::none_of(numbers.begin(), numbers.end(),
                          [](float number) { return number == 0 && std::signbit(number); });
    if (stage.operation != StageOperation::kMultiply && stage.operation != StageOperation::kDivide) return false;
  }
  return false;
}

bool FloatStages::differ_by_channel() const {
  return std::any_of(stages_.begin(), stages_.end(), [](const Stage& stage) { return stage.numbers.size() > 1; });
}

}  // namespace octet::fast
