#include "octet/spec/rounding_named.h"

#include "octet/base/fail.h"

namespace octet {

Rounding rounding_named(std::string_view name) {
  if (name == "ties-even") return Rounding::kTiesEven;
  if (name == "ties-away") return Rounding::kTiesAway;
  if (name == "ties-up") return Rounding::kTiesUp;
  if (name == "toward-zero") return Rounding::kTowardZero;
  if (name == "floor") return Rounding::kFloor;
  fail(ErrorCode::kUsage, "there is no rounding {}; the rules are ties-even, ties-away, ties-up, toward-zero and floor",
       name);
}

}  // namespace octet
