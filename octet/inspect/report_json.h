// report_json.h: a report for machines. The format is described in docs/schemas/inspect.schema.json.
#pragma once

#include <string>

#include "octet/inspect/report.h"

namespace octet {

inline constexpr char kInspectSchema[] = "octet.inspect/1";

std::string report_json(const ModelReport& report);

}  // namespace octet
