// peak.h: the most multiply-adds of 8-bit integers that the processor can do.
#pragma once

#include <optional>
#include <string>

namespace octet {

struct Peak {
  std::string instruction;              // "vpmaddwd, 256 bits"
  double multiply_adds_per_second = 0;  // of all threads together
};

// Measured in some ten milliseconds, with the widest exact instruction that the fast engine uses (chosen_simd, simd.h):
// vpdpbusd, else vpmaddwd and vpaddd on pairs of 16-bit integers. Nothing on other processors.
std::optional<Peak> measure_peak(int threads);

}  // namespace octet
