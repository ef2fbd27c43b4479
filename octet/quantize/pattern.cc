#include "octet/quantize/pattern.h"

#include <re2/re2.h>

#include "octet/base/fail.h"

namespace octet {
namespace {

std::string shown_pattern(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return text.size() <= kShown ? fmt::format("\"{}\"", text) : fmt::format("\"{}...\"", text.substr(0, kShown));
}

std::shared_ptr<const re2::RE2> compiled(const std::string& text) {
  if (text.size() > kLongestPattern)
    fail(ErrorCode::kLimit, "a regular expression of {} bytes, {}; wanted at most {}", text.size(), shown_pattern(text),
         kLongestPattern);
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto result = std::make_shared<const re2::RE2>(text, options);
  const bool too_large = result->error_code() == re2::RE2::ErrorPatternTooLarge;
  if (!result->ok())
    fail(too_large ? ErrorCode::kLimit : ErrorCode::kUsage, "{} is not a regular expression: {}", shown_pattern(text),
         result->error().substr(0, 100));
  return result;
}

}  // namespace

Pattern::Pattern(std::string text) : text_(std::move(text)), compiled_(compiled(text_)) {}

std::string Pattern::shown() const { return shown_pattern(text_); }

bool Pattern::is_in(std::string_view name) const {
  if (name.size() > kLongestMatchedName)
    fail(ErrorCode::kLimit, "a node has a name of {} bytes, {}; patterns are looked for in at most {}", name.size(),
         shown_pattern(name), kLongestMatchedName);
  return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *compiled_);
}

std::string pattern_of_name(std::string_view name) {
  constexpr std::string_view kSpecial = R"(.^$|()[]{}*+?\/)";
  std::string text = "^";
  for (const char c : name) {
    if (kSpecial.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  text += '$';
  if (text.size() > kLongestPattern)
    fail(ErrorCode::kLimit, "the name {} takes a regular expression of {} bytes; rules have at most {}",
         shown_pattern(name), text.size(), kLongestPattern);
  return text;
}

}  // namespace octet
