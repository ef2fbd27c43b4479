#include "octet/engine/fast/epilogue.h"

#include <algorithm>
#include <cstring>

#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

// One for each channel, of one for all or one for each.
std::vector<float> for_each_channel(const std::vector<float>& parameter, std::int64_t channels) {
  return parameter.size() == 1 ? std::vector<float>(static_cast<std::size_t>(channels), parameter[0]) : parameter;
}

// The intersection of consecutive limits. If they do not overlap the later one wins, at its nearer end.
Limits limits_of(std::span<const work::Stage> stages) {
  Limits limits;
  const auto limited = [](float x, const work::Limit& by) {
    x = x < by.low ? by.low : x;
    return x > by.high ? by.high : x;
  };
  for (const work::Stage& stage : stages) {
    const auto& by = std::get<work::Limit>(stage);
    limits = {limited(limits.low, by), limited(limits.high, by)};
  }
  return limits;
}

}  // namespace

Epilogue::Epilogue(const std::vector<work::Stage>& stages, const KernelContext& context, std::int64_t channels)
    : elements_(context.simd.elements), result_(result_of(stages, context, channels)) {}

Epilogue::Result Epilogue::result_of(std::span<const work::Stage> stages, const KernelContext& context,
                                     std::int64_t channels) {
  if (stages.empty()) return AsTheyAre{};
  if (const auto* to_float = std::get_if<work::ToFloat>(&stages.front()))
    return ToFloats{for_each_channel(to_float->multipliers, channels), for_each_channel(to_float->bias, channels),
                    to_float->scale, limits_of(stages.subspan(1))};
  const auto& requantize = std::get<work::Requantize>(stages.front());
  const auto [bounds, behind] = split_clamps(stages.subspan(1), requantize.type);
  const bool in_int32 =
      std::ranges::all_of(requantize.multipliers, [](float multiplier) { return multiplier > -1 && multiplier < 1; });
  return ToBytes{for_each_channel(requantize.multipliers, channels), in_int32, requantize.y.zero_point, bounds,
                 Stages(behind, requantize.type, context)};
}

float Epilogue::scale(const ValuePointers& places) const {
  const auto* floats = std::get_if<ToFloats>(&result_);
  if (floats == nullptr || floats->scale == kNoValue) return 1;
  float scale;
  std::memcpy(&scale, places[floats->scale], sizeof(scale));
  return scale;
}

Requantization Epilogue::requantization() const {
  const auto* bytes = std::get_if<ToBytes>(&result_);
  if (bytes == nullptr || !bytes->in_int32) return {};
  return {bytes->multipliers.data(), bytes->zero_point, bytes->bounds};
}

void Epilogue::apply_behind(std::uint8_t* y, std::int64_t count, std::int64_t element,
                            const ValuePointers& places) const {
  const Stages& behind = std::get<ToBytes>(result_).behind;
  if (!behind.empty()) behind.apply(y, count, element, places);
}

void Epilogue::apply(const SumBlock& block, float scale, const ValuePointers& places) const {
  std::visit([&](const auto& result) { store(result, block, scale, places); }, result_);
}

void Epilogue::store(const AsTheyAre&, const SumBlock& block, float, const ValuePointers&) const {
  const auto& [sums, step, rows, columns] = block.sums;
  for (std::int64_t r = 0; r < rows; ++r)
    std::memcpy(block.y + r * block.y_step * std::int64_t{sizeof(*sums)}, sums + r * step,
                static_cast<std::size_t>(columns) * sizeof(*sums));
}

void Epilogue::store(const ToBytes& result, const SumBlock& block, float, const ValuePointers& places) const {
  auto* y = reinterpret_cast<std::uint8_t*>(block.y);
  elements_.requantize(block.sums, result.multipliers.data() + block.first_channel, result.zero_point, result.bounds, y,
                       block.y_step);
  if (result.behind.empty()) return;
  const auto& [sums, step, rows, columns] = block.sums;
  if (columns == block.y_step) return result.behind.apply(y, rows * columns, block.element, places);
  for (std::int64_t r = 0; r < rows; ++r)
    result.behind.apply(y + r * block.y_step, columns, block.element + r * block.y_step, places);
}

void Epilogue::store(const ToFloats& result, const SumBlock& block, float scale, const ValuePointers&) const {
  elements_.to_float(block.sums, result.multipliers.data() + block.first_channel, scale,
                     result.bias.empty() ? nullptr : result.bias.data() + block.first_channel, result.limits,
                     reinterpret_cast<float*>(block.y), block.y_step);
}

}  // namespace octet::fast
