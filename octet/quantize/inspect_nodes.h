// inspect_nodes.h: the details of some nodes of a model, with the ranges that were observed of their tensors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "octet/graph/model.h"
#include "octet/inspect/node_details.h"
#include "octet/inspect/report.h"

namespace octet {

// The nodes whose names match the regular expression (pattern.h). `report` describes the model; `ranges` is a file of them
// (ranges_file.h), or empty. Throws kUsage where no name matches, and as Pattern and load_ranges.
std::vector<NodeDetails> inspect_nodes(const Model& model, const ModelReport& report, const std::string& pattern,
                                       const std::filesystem::path& ranges = {});

}  // namespace octet
