// value_names.h: names for values that are added to a program, that none of it has yet.
#pragma once

#include "octet/graph/new_names.h"
#include "octet/program/program.h"

namespace octet {

inline NewNames new_value_names(const Program& program) {
  NewNames names;
  for (const ProgramValue& value : program.values) names.take(value.name);
  return names;
}

}  // namespace octet
