// statistics.h: a tensor at a glance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "octet/base/tensor.h"
#include "octet/text/json.h"

namespace octet {

// Statistics of the elements that are not NaN.
struct Statistics {
  std::int64_t least, greatest;  // where the smallest and the largest element are
  double mean;                   // summed in float64, in order
  std::int64_t nans;
};
// Nothing for a tensor without such elements, of strings or of complex numbers.
std::optional<Statistics> statistics_of(const Tensor& tensor);

// The first elements as text, "…" after them if there are more.
std::string first_elements(const Tensor& tensor, std::int64_t count);

// {"name", "type", "shape", "min", "max", "mean", "nans", "first"}.
Json tensor_facts(const std::string& name, const Tensor& tensor);

}  // namespace octet
