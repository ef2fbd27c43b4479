// pattern.h: a regular expression that a user gives, found anywhere in a name. The syntax is RE2's: no backreferences
// and no looking around, so that matching takes time in proportion to the name, whatever the pattern.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}  // namespace re2

namespace octet {

inline constexpr std::size_t kLongestPattern = 4096;         // bytes
inline constexpr std::size_t kLongestMatchedName = 1 << 20;  // bytes

class Pattern {
 public:
  // Throws kUsage for what is not a regular expression, and kLimit for one that is too long or takes too much memory.
  explicit Pattern(std::string text);

  // Its text in quotes, cut to a few words.
  std::string shown() const;
  // Throws kLimit for a name that is too long.
  bool is_in(std::string_view name) const;

 private:
  std::string text_;
  std::shared_ptr<const re2::RE2> compiled_;
};

// The text of the pattern that matches this name and no other. Throws kLimit when that is too long.
std::string pattern_of_name(std::string_view name);

}  // namespace octet
