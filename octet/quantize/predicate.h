// predicate.h: a condition on a number, as rules write it: "3", "==3", "!=768", "<4", "<=4", ">1", ">=2", "%32==0".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octet {

class Predicate {
 public:
  // Throws kUsage for text that is none of these.
  explicit Predicate(std::string_view text);

  bool holds(std::int64_t value) const;

 private:
  enum class Comparison { kEqual, kDifferent, kLess, kAtMost, kGreater, kAtLeast };
  std::int64_t modulus_ = 0;  // 0: the number itself is compared
  Comparison comparison_ = Comparison::kEqual;
  std::int64_t operand_ = 0;
};

}  // namespace octet
