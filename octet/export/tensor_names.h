// tensor_names.h: the identifiers of a program's tensors, the same for every export of it, whole or step by step, so
// that another implementation's dumps are found under them.
#pragma once

#include <map>
#include <string>

#include "octet/export/identifiers.h"
#include "octet/program/program.h"

namespace octet {

// Maps the name of every value to its identifier. A name that is an identifier stays as it is, so that no file of one
// tensor seems to be another's; then come the inputs, what the steps make, and the constants.
struct TensorNames {
  explicit TensorNames(const Program& program);

  std::map<std::string, std::string> identifiers;
  Identifiers taken;
};

}  // namespace octet
