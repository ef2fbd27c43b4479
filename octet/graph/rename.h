// rename.h: values read under another name.
#pragma once

#include <map>
#include <string>

#include "octet/graph/model.h"

namespace octet {

// Replaces the values that `node` reads, those its subgraphs take from outside included.
void rename_reads(Node& node, const std::map<std::string, std::string>& names);

}  // namespace octet
