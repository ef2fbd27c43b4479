// program_json.h: a program as JSON, for machines: docs/schemas/program.schema.json describes it.
#pragma once

#include <string>
#include <string_view>

#include "octet/program/memory_plan.h"
#include "octet/program/program.h"

namespace octet {

inline constexpr char kProgramSchema[] = "octet.program/1";

// Everything but the elements of constants above 1,024; those are in the model that to_model makes.
std::string program_json(const Program& program, const MemoryPlan& memory, std::string_view model);

}  // namespace octet
