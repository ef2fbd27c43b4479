#include "octet/engine/fast/simd/simd.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "octet/base/fail.h"
// The targets come before Highway.
// clang-format off
#include "octet/engine/fast/simd/targets.h"
#include <hwy/highway.h>
// clang-format on

namespace octet::fast {
namespace {

struct NamedTarget {
  std::int64_t target;
  std::string_view name;
  Extension extension = Extension::kNone;
};

constexpr NamedTarget kTargets[] = {
    {HWY_AVX3_DL, "avx512-vnni"},
    {HWY_AVX3, "avx512"},
    {HWY_AVX2, "avx2-vnni", Extension::kVexVnni},
    {HWY_AVX2, "avx2"},
    {HWY_SSE4, "sse4"},
    {HWY_NEON, "neon-i8mm", Extension::kI8mm},
    {HWY_NEON, "neon-dotprod", Extension::kDotprod},
    {HWY_NEON, "neon"},
    {HWY_SCALAR, "plain"},
};

// Of the target that Highway has chosen.
Simd current(const NamedTarget& named) {
  return {named.name, elements_for_current_target(), products_for_current_target(named.extension),
          transforms_for_current_target(), real_products_for_current_target()};
}

std::vector<Simd> make_targets() {
  std::vector<Simd> made;
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // compiled for one alone: there is nothing to choose
  for (const NamedTarget& known : kTargets)
    if (known.target == HWY_TARGETS && has(known.extension)) made.push_back(current(known));
#else
  const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  for (const NamedTarget& known : kTargets) {
    if ((supported & known.target) == 0 || !has(known.extension)) continue;
    hwy::SetSupportedTargetsForTest(known.target);
    made.push_back(current(known));
  }
  hwy::SetSupportedTargetsForTest(0);
#endif
  return made;
}

}  // namespace

std::span<const Simd> simd_targets() {
  static const std::vector<Simd> targets = make_targets();
  return targets;
}

const Simd& chosen_simd() {
  const char* wanted = std::getenv("OCTET_CPU");
  const std::span<const Simd> targets = simd_targets();
  if (wanted == nullptr || *wanted == '\0') return targets.front();
  std::string known;
  for (const Simd& target : targets) {
    if (target.name == wanted) return target;
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  }
  fail(ErrorCode::kUsage, "OCTET_CPU is {}; this processor has {}", wanted, known);
}

}  // namespace octet::fast
