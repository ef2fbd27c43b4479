#include "octet/verify/difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "octet/base/fail.h"
#include "octet/text/utf8.h"

namespace octet {

Difference difference(const Tensor& a, const Tensor& b, std::span<const double> tolerances) {
  Difference result;
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) {
    result.wrong =
        fmt::format("{}{} against {}{}", name(a.dtype()), to_string(a.shape()), name(b.dtype()), to_string(b.shape()));
    return result;
  }
  result.elements = a.size();
  if (!tolerances.empty()) result.tolerance = *std::max_element(tolerances.begin(), tolerances.end());
  if (a.identical(b)) return result;
  if (is_float(a.dtype()) || is_minifloat(a.dtype())) {
    for (std::int64_t k = 0; k < a.size(); ++k) {
      const double x = a.number_at(k), y = b.number_at(k);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double off = std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : INFINITY;
      const double tolerance = tolerances.empty() ? 0 : tolerances[static_cast<std::size_t>(k)];
      const bool differs = !(off <= tolerance), first = differs && result.differing.empty();
      if (first || (off > result.largest && (differs || result.differing.empty())))
        result.largest = off, result.tolerance = tolerance;
      if (differs) result.differing.push_back(k);
    }
  } else {
    for (std::int64_t k = 0; k < a.size(); ++k) {
      const std::int64_t x = a.int_at(k), y = b.int_at(k);
      if (x == y) continue;
      result.largest = std::max(result.largest, std::abs(static_cast<double>(x) - static_cast<double>(y)));
      result.differing.push_back(k);
    }
  }
  return result;
}

Difference bit_difference(const Tensor& a, const Tensor& b) {
  Difference result = difference(a, b);
  if (!result.wrong.empty() || !(is_float(a.dtype()) || is_minifloat(a.dtype()))) return result;
  result.differing.clear();
  const std::size_t size = size_of(a.dtype());
  for (std::int64_t k = 0; k < a.size(); ++k) {
    const std::size_t at = static_cast<std::size_t>(k) * size;
    if (std::memcmp(a.bytes().data() + at, b.bytes().data() + at, size) == 0) continue;
    if (std::isnan(a.number_at(k)) && std::isnan(b.number_at(k))) continue;
    result.differing.push_back(k);
  }
  return result;
}

Shape index_at(const Shape& shape, std::int64_t element) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; element /= shape[axis]) index[axis] = element % shape[axis];
  return index;
}

std::string element_name(const std::string& tensor, const Shape& index) { return printable(tensor) + to_string(index); }

}  // namespace octet
