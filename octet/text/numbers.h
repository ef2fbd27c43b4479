// numbers.h: numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "octet/base/tensor.h"

namespace octet {

// "3,487,816".
std::string grouped(std::int64_t value);

// "1 node", "3,487,816 nodes".
std::string counted(std::int64_t value, const std::string& what);

// "98.6 %"; what is not all is not shown as 100 %, what is not nothing not as 0 %. More than all is "283.6 %".
std::string percent(double share);

// The shortest text that reads back as the same element. Not for strings and complex types.
std::string element_text(const Tensor& tensor, std::int64_t index);

}  // namespace octet
