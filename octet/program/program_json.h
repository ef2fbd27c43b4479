// program_json.h: a program as JSON, for machines: docs/program.schema.json describes it.
#pragma once

#include <string>
#include <string_view>

#include "octet/program/program.h"

namespace octet {

// Everything but the elements of constants above 1,024; those are in the model that to_model makes.
std::string program_json(const Program& program, std::string_view model, std::string_view policy);

}  // namespace octet
