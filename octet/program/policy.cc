#include "octet/program/policy.h"

#include <algorithm>
#include <array>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::array<std::string_view, 3> kPolicies = {"as-written", "exact", "onnxruntime"};

}  // namespace

std::string_view name(Policy policy) { return kPolicies[static_cast<std::size_t>(policy)]; }

Policy policy_named(std::string_view name) {
  const auto* it = std::find(kPolicies.begin(), kPolicies.end(), name);
  if (it == kPolicies.end())
    fail(ErrorCode::kUsage, "there is no policy {}; the policies are exact, onnxruntime and as-written", name);
  return static_cast<Policy>(it - kPolicies.begin());
}

}  // namespace octet
