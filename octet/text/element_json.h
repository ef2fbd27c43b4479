// element_json.h: an element of a tensor in JSON.
#pragma once

#include <cstdint>

#include "octet/base/tensor.h"
#include "octet/text/json.h"

namespace octet {

// Numbers as json_number writes them, bool as true and false, strings as strings, complex numbers as null.
Json element_json(const Tensor& tensor, std::int64_t index);

// The same with bool as 1 and 0.
Json number_json(const Tensor& tensor, std::int64_t index);

}  // namespace octet
