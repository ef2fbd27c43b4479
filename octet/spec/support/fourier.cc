#include "octet/spec/support/fourier.h"

#include <bit>
#include <numbers>
#include <utility>

namespace octet {
namespace {

using Complex = std::complex<double>;

Complex turn(double numerator, double denominator) {
  const double angle = std::numbers::pi * numerator / denominator;
  return {std::cos(angle), std::sin(angle)};
}

Complex times(const Complex& a, const Complex& b) {  // without the care for infinities of operator*
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Radix-2 FFT; the length is a power of two, and roots are exp(-2 pi i k / N) for k < N / 2.
void transform_halving(std::vector<Complex>& x, const std::vector<Complex>& roots) {
  const std::size_t length = x.size();
  for (std::size_t i = 1, j = 0; i < length; ++i) {
    std::size_t bit = length >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t size = 2; size <= length; size *= 2)
    for (std::size_t begin = 0; begin < length; begin += size)
      for (std::size_t k = 0; k < size / 2; ++k) {
        Complex &low = x[begin + k], &high = x[begin + k + size / 2];
        const Complex odd = times(high, roots[k * (length / size)]);
        high = low - odd;
        low += odd;
      }
}

}  // namespace

Fourier::Fourier(std::size_t length, bool inverse) : length_(length) {
  const bool halves = std::has_single_bit(length);
  const std::size_t halved = halves ? length : std::bit_ceil(2 * length - 1);
  const double direction = inverse ? 1 : -1;
  // Bluestein takes both directions from its turns, and halves forward alone.
  for (std::size_t k = 0; k < halved / 2; ++k)
    roots_.push_back(turn((halves ? direction : -1) * 2 * static_cast<double>(k), static_cast<double>(halved)));
  if (halves) return;
  for (std::size_t n = 0; n < length; ++n)
    turns_.push_back(turn(direction * static_cast<double>(n * n % (2 * length)), static_cast<double>(length)));
  kernel_.assign(halved, 0);
  for (std::size_t n = 0; n < length; ++n) {
    kernel_[n] = std::conj(turns_[n]);
    if (n > 0) kernel_[halved - n] = kernel_[n];
  }
  transform_halving(kernel_, roots_);
}

void Fourier::transform(std::vector<Complex>& signal) const {
  if (kernel_.empty()) return transform_halving(signal, roots_);
  const auto size = static_cast<double>(kernel_.size());
  std::vector<Complex> x(kernel_.size());
  for (std::size_t n = 0; n < length_; ++n) x[n] = times(signal[n], turns_[n]);
  transform_halving(x, roots_);
  // The transform of the conjugate is the conjugate of the inverse one.
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::conj(times(x[k], kernel_[k]));
  transform_halving(x, roots_);
  for (std::size_t n = 0; n < length_; ++n) signal[n] = times(std::conj(x[n]) / size, turns_[n]);
}

}  // namespace octet
