// finite_range.h: the smallest and the largest of many numbers.
#pragma once

#include <optional>
#include <span>

#include "octet/quantize/parameters.h"

namespace octet {

// Nothing when there is a NaN or an infinity among them. There must be at least one.
std::optional<Range> finite_range(std::span<const float> values);

}  // namespace octet
