// node_table.h: the nodes of a report as a table, one row or more for each.
#pragma once

#include <string>

#include "octet/inspect/report_text.h"

namespace octet {

std::string node_table(const ModelReport& report, const TextOptions& options);

// "uint8 [N,3,32,32]"; "?" when not even the type is known.
std::string type_text(const ValueReport& value);

}  // namespace octet
