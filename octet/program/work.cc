#include "octet/program/work.h"

#include <algorithm>

namespace octet {

bool computes_in_float(const Work& work) {
  return std::holds_alternative<work::FloatConvolution>(work) || std::holds_alternative<work::FloatProduct>(work) ||
         std::holds_alternative<work::FloatPool>(work) || std::holds_alternative<work::FloatElements>(work) ||
         std::holds_alternative<work::FloatSoftmax>(work);
}

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
  const auto products = [](const Tensor& weights, std::size_t axis) {
    return weights.size() / std::max<std::int64_t>(weights.shape()[axis], 1);
  };
  if (const auto* convolution = std::get_if<work::FloatConvolution>(&work))
    return elements * products(convolution->weights, 0);
  if (const auto* product = std::get_if<work::FloatProduct>(&work))
    return elements * products(product->weights, product->w_transposed ? 0 : 1);
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
