// report_json.h: a report for machines. The format is described in docs/schemas/inspect.schema.json.
#pragma once

#include <string>
#include <vector>

#include "octet/inspect/node_details.h"
#include "octet/inspect/report.h"

namespace octet {

inline constexpr char kInspectSchema[] = "octet.inspect/1";

std::string report_json(const ModelReport& report);

// The nodes that there are details of, with them, and no others.
std::string report_json(const ModelReport& report, const std::vector<NodeDetails>& details);

}  // namespace octet
