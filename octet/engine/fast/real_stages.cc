#include "octet/engine/fast/real_stages.h"

#include <algorithm>
#include <cmath>

namespace octet::fast {
namespace {

using Operation = RealStage::Operation;

Operation operation_of(const work::Calculate& stage) {
  switch (stage.operation) {
    case work::Calculate::Operation::kAdd: return Operation::kAdd;
    case work::Calculate::Operation::kMultiply: return Operation::kMultiply;
    case work::Calculate::Operation::kSubtract:
      return stage.operand_first ? Operation::kSubtractFrom : Operation::kSubtract;
    case work::Calculate::Operation::kDivide: break;
  }
  return stage.operand_first ? Operation::kDivideInto : Operation::kDivide;
}

}  // namespace

bool real_stages_fit(std::span<const work::Stage> stages, ValueId y, const Making& making) {
  return std::all_of(stages.begin(), stages.end(), [&](const work::Stage& stage) {
    const auto* calculate = std::get_if<work::Calculate>(&stage);
    if (calculate == nullptr || calculate->other == kNoValue) return true;
    if (!making.known(calculate->other)) return false;
    const Operand &other = making.at(calculate->other), &result = making.at(y);
    return other.type == DType::kFloat && other.shape == result.shape && other.layout == result.layout;
  });
}

RealStages::RealStages(std::span<const work::Stage> stages) {
  for (const work::Stage& stage : stages) {
    Stage& made = stages_.emplace_back();
    if (const auto* limit = std::get_if<work::Limit>(&stage)) {
      made.stage = {.operation = Operation::kLimit, .low = limit->low, .high = limit->high};
    } else {
      const auto& calculate = std::get<work::Calculate>(stage);
      made.stage = {.operation = operation_of(calculate), .one_for_all = calculate.numbers.size() == 1};
      made.numbers = calculate.numbers;
      made.other = calculate.other;
    }
  }
}

RealStages::Bound RealStages::bind(const Places& places) const {
  Bound bound;
  for (const Stage& stage : stages_) {
    RealStage& now = bound.stages_[bound.count_++] = stage.stage;
    if (!stage.numbers.empty()) now.numbers = stage.numbers.data();
    if (stage.other != kNoValue) now.other = reinterpret_cast<const float*>(places[stage.other]);
  }
  return bound;
}

RealStages::Bound RealStages::Bound::from(std::int64_t element) const {
  Bound moved = *this;
  for (std::size_t k = 0; k < count_; ++k)
    if (RealStage& stage = moved.stages_[k]; stage.other != nullptr) stage.other += element;
  return moved;
}

// A product with a number, or a quotient by one, keeps the difference between the two zeros or is NaN for both; adding any
// number but -0 ends it.
bool RealStages::forget_sign_of_zero() const {
  for (const auto& [stage, numbers, other] : stages_) {
    if (numbers.empty()) return false;
    if (stage.operation == Operation::kAdd)
      return std::none_of(numbers.begin(), numbers.end(),
                          [](float number) { return number == 0 && std::signbit(number); });
    if (stage.operation != Operation::kMultiply && stage.operation != Operation::kDivide) return false;
  }
  return false;
}

bool RealStages::differ_by_channel() const {
  return std::any_of(stages_.begin(), stages_.end(), [](const Stage& stage) { return stage.numbers.size() > 1; });
}

}  // namespace octet::fast
