// json.h: how every JSON file of Octet is written and read.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace octet {

using Json = nlohmann::ordered_json;

// The shortest decimal that reads back as the same float32 (float64). What JSON has no number for is one of the strings
// "NaN", "Infinity" and "-Infinity".
Json json_number(float value);
Json json_number(double value);

// Indented by two spaces; lists of plain values, and whatever fits on a short line, take one line. Ends with a newline.
// Text that is not UTF-8 gets replacement characters; hidden characters (text/characters.h) are escaped.
std::string json_text(const Json& value);

// How deep lists and objects may lie in one another in what is read: what walks through a document needs no more stack
// than that.
inline constexpr std::size_t kDeepestJson = 64;

// Takes time and memory in proportion to the text. Throws kFormat, saying where, when it is not JSON, when it is deeper
// than kDeepestJson, and when an object has a name twice.
Json parse_json(std::string_view text);

// A value as an error message may show it, whatever a file made of it: a plain one, or a short list of such, cut to a few
// words, any other list or object as just that.
std::string json_excerpt(const Json& value);

}  // namespace octet
