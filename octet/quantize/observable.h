// observable.h: the part of a model that calibration can run.
#pragma once

#include <map>
#include <string>

#include "octet/graph/model.h"

namespace octet {

// The values that need a node whose operator Octet does not compute, and that node: "nms (Mystery)". No run of Octet's
// knows their ranges.
std::map<std::string, std::string> unobservable_values(const Model& model);

// The model without what makes those values; what the others read of it are its outputs, besides those that are left. A
// model that Octet computes is returned as it is. Throws kUnsupported when nothing is left.
Model observable_part(Model model);

}  // namespace octet
