// random_network.h: small random quantized networks, of every operator that has work, in QDQ and in operator form.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "octet/graph/model.h"

namespace octet {

struct RandomNetwork {
  Model model;
  bool has_symbol = false;  // its inputs are [N, ...]

  // Inputs for it, of `batch` samples where it takes any number of them. The same seed gives the same.
  std::map<std::string, Tensor> inputs(std::int64_t batch, std::uint64_t seed) const;
};

// The same seed gives the same network.
RandomNetwork random_network(std::uint64_t seed);

}  // namespace octet
