// fourier.h: the discrete Fourier transform under DFT and STFT.
#pragma once

#include <complex>
#include <vector>

namespace octet {

// X[k] = Sum_n x[n] * exp(-2 pi i k n / N), or with exp(2 pi i k n / N) where `inverse`, not divided by N. For every N
// in O(N log N), in float64: powers of two by halving, others as a convolution of such a length (Bluestein).
class Fourier {
 public:
  Fourier(std::size_t length, bool inverse);

  // In place; `signal` has the length given.
  void transform(std::vector<std::complex<double>>& signal) const;

 private:
  std::size_t length_;
  std::vector<std::complex<double>> turns_;   // exp(-+ pi i n^2 / N), unless N is a power of two
  std::vector<std::complex<double>> kernel_;  // their conjugates, transformed
  std::vector<std::complex<double>> roots_;   // exp(-2 pi i k / M) of the length M that is halved
};

}  // namespace octet
