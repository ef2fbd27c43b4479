#include "octet/program/work.h"

namespace octet {

const work::Sum* sum_of(const Work& work) {
  return std::visit(
      []<typename T>(const T& kind) -> const work::Sum* {
        if constexpr (requires { kind.sum; })
          return &kind.sum;
        else
          return nullptr;
      },
      work);
}

std::int64_t multiply_adds(const Work& work, std::int64_t elements) {
  const work::Sum* sum = sum_of(work);
  return sum ? elements * sum->products : 0;
}

const std::vector<work::Stage>* epilogue_of(const Work& work) {
  return std::visit(
      []<typename T>(const T& kind) -> const std::vector<work::Stage>* {
        if constexpr (requires { kind.epilogue; })
          return &kind.epilogue;
        else
          return nullptr;
      },
      work);
}

Scaling scaling_of(const Work& work) {
  const std::vector<work::Stage>* stages = epilogue_of(work);
  if (!sum_of(work) || stages->empty()) return {};
  if (const auto* integers = std::get_if<work::Requantize>(&stages->front()))
    return {integers->multipliers, integers->y};
  const auto* reals = std::get_if<work::ToFloat>(&stages->front());
  return reals && reals->scale == kNoValue ? Scaling{reals->multipliers, std::nullopt} : Scaling{};
}

namespace {

std::optional<Meanings> meanings(const work::Pairwise& work) {
  return Meanings{{work.a_meaning, work.b_meaning}, work.y_meaning};
}
std::optional<Meanings> meanings(const work::Pool& work) {
  if (work.maximum) return std::nullopt;
  return Meanings{{work.x_meaning}, work.y_meaning};
}
std::optional<Meanings> meanings(const work::Concatenation& work) {
  Meanings result{{}, work.y_meaning};
  for (const work::Concatenation::Part& part : work.parts) result.inputs.push_back(part.meaning);
  return result;
}
std::optional<Meanings> meanings(const work::Selection& work) {
  return Meanings{{work.a.meaning, work.b.meaning}, work.y_meaning};
}
std::optional<Meanings> meanings(const work::Softmax& work) { return Meanings{{work.x_meaning}, work.y_meaning}; }

}  // namespace

std::optional<Meanings> meanings_of(const Work& work) {
  return std::visit(
      []<typename T>(const T& kind) -> std::optional<Meanings> {
        if constexpr (requires { meanings(kind); })
          return meanings(kind);
        else
          return std::nullopt;
      },
      work);
}

}  // namespace octet
