// read_report.h: the way back from the JSON of octet inspect.
#pragma once

#include <string_view>

#include "octet/inspect/report.h"

namespace octet {

// What report_json wrote. Attributes that are tensors or graphs, and the values of float8 and float4 parameters, stay
// behind. Throws kFormat, saying what was found and what was wanted.
ModelReport report_from_json(std::string_view text);

}  // namespace octet
