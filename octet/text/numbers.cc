#include "octet/text/numbers.h"

#include <fmt/core.h>

#include <algorithm>

namespace octet {

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::int64_t value, const std::string& what) {
  return fmt::format("{} {}{}", grouped(value), what, value == 1 ? "" : "s");
}

std::string percent(double share) {
  if (share == 0 || share == 1) return fmt::format("{:.0f} %", share * 100);
  return fmt::format("{:.1f} %", share < 1 ? std::clamp(share * 100, 0.1, 99.9) : share * 100);
}

std::string element_text(const Tensor& tensor, std::int64_t index) {
  if (tensor.dtype() == DType::kDouble) return fmt::format("{}", tensor.number_at(index));
  if (is_float(tensor.dtype()) || is_minifloat(tensor.dtype()))
    return fmt::format("{}", static_cast<float>(tensor.number_at(index)));
  return fmt::format("{}", tensor.int_at(index));
}

}  // namespace octet
