#include "octet/spec/rounding_named.h"

#include <algorithm>
#include <array>
#include <string>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"ties-even", "ties-away", "ties-up", "toward-zero", "floor"};
constexpr std::array<Rounding, 5> kRules = {Rounding::kTiesEven, Rounding::kTiesAway, Rounding::kTiesUp,
                                            Rounding::kTowardZero, Rounding::kFloor};

}  // namespace

std::span<const std::string_view> rounding_names() { return kNames; }

std::string_view name(Rounding rounding) {
  return kNames[static_cast<std::size_t>(std::ranges::find(kRules, rounding) - kRules.begin())];
}

Rounding rounding_named(std::string_view name) {
  std::string known;
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    if (kNames[k] == name) return kRules[k];
    known += (k == 0 ? "" : ", ") + std::string(kNames[k]);
  }
  fail(ErrorCode::kUsage, "there is no rounding {}; the rules are {}", name, known);
}

}  // namespace octet
