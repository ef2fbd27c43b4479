// random_rows.h: random rows, columns and matrices, for operators that compute many numbers side by side: each result has the bits of
// the plain formula, element after element, whatever the shape.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "octet/base/one_nan.h"
#include "tests/support/run_operator.h"
#include "tests/support/sanitized.h"

namespace octet {

using Floats = std::vector<float>;

class RandomRows {
 public:
  explicit RandomRows(unsigned seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  // Numbers of very different size; with few values, many are equal. Special ones now and then.
  Tensor floats(Shape shape, bool few = false, bool special = false) {
    static constexpr float kSpecial[] = {0.0F,
                                         -0.0F,
                                         std::numeric_limits<float>::infinity(),
                                         -std::numeric_limits<float>::infinity(),
                                         std::numeric_limits<float>::quiet_NaN(),
                                         std::numeric_limits<float>::denorm_min(),
                                         std::numeric_limits<float>::lowest()};
    Tensor tensor(DType::kFloat, std::move(shape));
    for (float& x : tensor.mutable_as<float>()) {
      x = few ? static_cast<float>(number(-2, 2)) * (number(0, 1) == 0 ? 1.0F : -1.0F)
              : std::ldexp(static_cast<float>(number(-8'000'000, 8'000'000)), static_cast<int>(number(-30, -18)));
      if (special && number(0, 30) == 0) x = kSpecial[number(0, std::ssize(kSpecial) - 1)];
    }
    return tensor;
  }
  template <typename T>
  Tensor integers(Shape shape) {
    Tensor tensor(dtype_of<T>(), std::move(shape));
    for (T& x : tensor.mutable_as<T>()) x = static_cast<T>(random_());
    return tensor;
  }

 private:
  std::mt19937_64 random_;
};

inline testing::AssertionResult same_bits(const Tensor& found, const Tensor& wanted) {
  const Tensor a = with_one_nan(found), b = with_one_nan(wanted.reshaped(found.shape()));
  for (std::int64_t k = 0; k < a.size(); ++k)
    if (!std::ranges::equal(a.bytes().subspan(static_cast<std::size_t>(k) * size_of(a.dtype()), size_of(a.dtype())),
                            b.bytes().subspan(static_cast<std::size_t>(k) * size_of(b.dtype()), size_of(b.dtype()))))
      return testing::AssertionFailure() << "element " << k << " of " << to_string(a.shape()) << ": " << a.number_at(k)
                                         << ", wanted " << b.number_at(k);
  return testing::AssertionSuccess();
}

inline constexpr unsigned kRowCases = kSanitized ? 20 : 150;

// Lanes that are reduced or normalized: [before, length, after].
struct Reduced {
  std::int64_t before, length, after;

  template <typename T>
  std::vector<T> elements(const Tensor& x, std::int64_t output) const {
    std::vector<T> found;
    for (std::int64_t k = 0; k < length; ++k)
      found.push_back(x.as<T>()[static_cast<std::size_t>((output / after * length + k) * after + output % after)]);
    return found;
  }
};

inline Reduced random_reduced(RandomRows& random) {
  return {random.number(1, 40), random.number(1, 90), random.number(0, 2) == 0 ? random.number(1, 150) : 1};
}

}  // namespace octet
