// sum_layout.h: where the operators that add up products of integers have their inputs.
#pragma once

#include <string_view>

namespace octet {

// Input numbers; -1: it has none of that kind.
struct SumLayout {
  std::string_view op;
  int x, x_scale, x_zero_point, w, w_scale, w_zero_point, bias, y_scale, y_zero_point;
};

// Null for other operators.
inline const SumLayout* find_sum_layout(std::string_view op) {
  static constexpr SumLayout kLayouts[] = {{"QLinearConv", 0, 1, 2, 3, 4, 5, 8, 6, 7},
                                           {"QLinearMatMul", 0, 1, 2, 3, 4, 5, -1, 6, 7},
                                           {"QGemm", 0, 1, 2, 3, 4, 5, 6, 7, 8},
                                           {"ConvInteger", 0, -1, 2, 1, -1, 3, -1, -1, -1},
                                           {"MatMulInteger", 0, -1, 2, 1, -1, 3, -1, -1, -1},
                                           {"MatMulIntegerToFloat", 0, 2, 4, 1, 3, 5, -1, -1, -1},
                                           {"DynamicQuantizeMatMul", 0, -1, -1, 1, 2, 3, -1, -1, -1}};
  for (const SumLayout& layout : kLayouts)
    if (layout.op == op) return &layout;
  return nullptr;
}

}  // namespace octet
