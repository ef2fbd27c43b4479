// catalog.h: what this Octet has: its operators and its engines, as text and JSON.
#pragma once

#include <cstddef>
#include <string>

namespace octet {

// A table of the operators, no wider than `width`.
std::string operators_text(std::size_t width);
// docs/schemas/ops.schema.json
std::string operators_json();

// The version, and what runs programs.
std::string version_text();
// docs/schemas/version.schema.json
std::string version_json();

}  // namespace octet
