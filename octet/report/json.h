// json.h: how every JSON file of Octet is written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace octet {

using Json = nlohmann::ordered_json;

// The shortest decimal that reads back as the same float32 (float64). What JSON has no number for is one of the strings
// "NaN", "Infinity" and "-Infinity".
Json json_number(float value);
Json json_number(double value);

// Indented by two spaces; lists of plain values, and whatever fits on a short line, take one line. Ends with a newline.
// Text that is not valid UTF-8 gets replacement characters.
std::string json_text(const Json& value);

}  // namespace octet
