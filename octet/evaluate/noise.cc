#include "octet/evaluate/noise.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/base/visit.h"

namespace octet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Halves are widened.
Tensor readable(const Tensor& tensor) {
  return is_float(tensor.dtype()) && tensor.dtype() != DType::kDouble ? convert(tensor, DType::kFloat) : tensor;
}

}  // namespace

std::string decibels(double ratio) {
  return std::isinf(ratio) ? (ratio > 0 ? "exact" : "-inf") : fmt::format("{:.2f}", ratio);
}

void Noise::add(double wanted, double found, const Limits& limits) {
  if (std::isfinite(wanted) && std::isfinite(found)) {
    const double error = found - wanted;
    ++finite_;
    signal_ += wanted * wanted;
    found_ += found * found;
    product_ += wanted * found;
    noise_ += error * error;
    error_ += error;
    largest_ = std::max(largest_, std::abs(error));
    clipped_ += wanted < limits.low || wanted > limits.high;
  } else if (wanted != found && !(std::isnan(wanted) && std::isnan(found))) {
    ++broken_;
    largest_ = kInfinity;
  }
}

void Noise::add(const Tensor& wanted, const Tensor& found, const Limits& limits) {
  const Tensor left = readable(wanted), right = readable(found);
  visit_numeric(left.dtype(), [&]<typename W>() {
    visit_numeric(right.dtype(), [&]<typename F>() {
      const auto w = left.as<W>();
      const auto f = right.as<F>();
      for (std::size_t i = 0; i < w.size(); ++i) add(static_cast<double>(w[i]), static_cast<double>(f[i]), limits);
    });
  });
}

double Noise::sqnr() const {
  if (broken_ > 0) return -kInfinity;
  if (noise_ == 0) return kInfinity;
  return signal_ == 0 ? -kInfinity : 10 * std::log10(signal_ / noise_);
}

double Noise::cosine() const {
  if (signal_ == 0 || found_ == 0) return signal_ == found_ ? 1 : 0;
  return product_ / (std::sqrt(signal_) * std::sqrt(found_));
}

double Noise::mean_error() const { return finite_ == 0 ? 0 : error_ / static_cast<double>(finite_); }

}  // namespace octet
