// softplus.h: log(exp(x) + 1) without overflow in exp for large x and without loss in the sum for small x.
#pragma once

#include <cmath>

namespace octet {

template <typename Real>
Real softplus(Real x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

}  // namespace octet
