// conformance_report.h: a conformance suite and what it found, as text and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "octet/verify/conformance.h"
#include "octet/verify/suite.h"

namespace octet {

// "suite 1.0: 9 operations, 1,024 rows".
std::string suite_title(const Suite& suite);

// The operations with their questions and the mistakes that their rows show, as tables no wider than `width`.
std::string suite_text(const Suite& suite, std::size_t width);

// The verdict per operation, the likely mistakes behind wrong rows, and the first of these rows. `who` gave the answers.
std::string conformance_text(const Suite& suite, const Conformance& found, const std::string& who, std::size_t width);

// docs/schemas/conformance.schema.json
std::string conformance_json(const Suite& suite, const Conformance& found, const std::string& who);

}  // namespace octet
