#include "octet/engine/fast/stages.h"

#include <algorithm>

#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

std::int32_t clamped(std::int32_t q, std::int32_t low, std::int32_t high) { return std::min(std::max(q, low), high); }

// Each byte of `type` within the bounds.
LookupTable clamped_table(const LookupTable& table, DType type, Bounds bounds) {
  LookupTable result = table;
  for (std::uint8_t& byte : result) {
    const std::int32_t q = type == DType::kInt8 ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
    byte = static_cast<std::uint8_t>(clamped(q, bounds.low, bounds.high));
  }
  return result;
}

}  // namespace

bool stages_fit(std::span<const work::Stage> stages, ValueId y, const KernelContext& context) {
  return std::all_of(stages.begin(), stages.end(), [&](const work::Stage& stage) {
    const auto* combine = std::get_if<work::Combine>(&stage);
    if (combine == nullptr) return true;
    return context.known(combine->other) && context.at(combine->other).shape == context.at(y).shape &&
           context.at(combine->other).layout == context.at(y).layout;
  });
}

SplitStages split_clamps(std::span<const work::Stage> stages, DType type) {
  Bounds bounds = bounds_of(type);
  for (; !stages.empty() && std::holds_alternative<work::Clamp>(stages.front()); stages = stages.subspan(1)) {
    const auto& clamp = std::get<work::Clamp>(stages.front());
    bounds = {clamped(bounds.low, clamp.low, clamp.high), clamped(bounds.high, clamp.low, clamp.high)};
  }
  return {bounds, stages};
}

Stages::Stages(std::span<const work::Stage> stages, DType type, const KernelContext& context)
    : elements_(context.simd.elements) {
  SplitStages split = split_clamps(stages, type);
  if (split.bounds != bounds_of(type)) actions_.emplace_back(Clamping{split.bounds, type == DType::kInt8});
  while (!split.rest.empty()) {
    const work::Stage& stage = split.rest.front();
    const std::span<const work::Stage> behind = split.rest.subspan(1);
    if (const auto* look_up = std::get_if<work::LookUp>(&stage)) {
      type = look_up->type;
      split = split_clamps(behind, type);
      actions_.emplace_back(clamped_table(look_up->table, type, split.bounds));
    } else {
      const auto& [product, other, other_first, q, with, y] = std::get<work::Combine>(stage);
      const Combination::Meanings meanings = {other_first ? with : q, other_first ? q : with, y};
      split = split_clamps(behind, type);
      actions_.emplace_back(
          Combining{Combination(product, meanings, type, split.bounds, elements_), other, other_first});
    }
  }
}

void Stages::apply(std::uint8_t* bytes, std::int64_t count, std::int64_t element, const ValuePointers& places) const {
  for (const Action& action : actions_) {
    if (const auto* clamping = std::get_if<Clamping>(&action)) {
      elements_.clamp(bytes, count, clamping->bounds, clamping->is_signed, bytes);
    } else if (const auto* table = std::get_if<LookupTable>(&action)) {
      elements_.look_up(*table, bytes, count, bytes);
    } else {
      const auto& [combination, other, other_first] = std::get<Combining>(action);
      const auto* with = reinterpret_cast<const std::uint8_t*>(places[other]) + element;
      combination(other_first ? with : bytes, other_first ? bytes : with, count, bytes);
    }
  }
}

}  // namespace octet::fast
