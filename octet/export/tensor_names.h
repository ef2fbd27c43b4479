// tensor_names.h: the identifiers of a program's tensors, the same for every export of it, whole or step by step, and
// for whoever reads what others dumped under these names.
#pragma once

#include <map>
#include <string>

#include "octet/export/identifiers.h"
#include "octet/program/program.h"

namespace octet {

// Of every value by its name. Who has an identifier for a name keeps it, so that no file of one tensor seems to be another's;
// then come the inputs, what the steps make, and the constants.
struct TensorNames {
  explicit TensorNames(const Program& program);

  std::map<std::string, std::string> identifiers;
  Identifiers taken;
};

}  // namespace octet
