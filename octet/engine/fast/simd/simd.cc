#include "octet/engine/fast/simd/simd.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "octet/base/fail.h"
// The targets come before Highway.
// clang-format off
#include "octet/engine/fast/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "octet/engine/fast/simd/simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "octet/engine/fast/simd/target_parts_inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace octet::fast::HWY_NAMESPACE {

Simd make_simd(std::string_view name, Extension extension) {
  Simd made{name, make_elements(), make_products(extension), make_transforms(), make_float_products()};
  add_tables(made.elements);
  add_transposes(made.elements);
  add_depthwise(made.products);
  add_widening(made.products);
  add_windows(made.floats);
  add_softmax(made.floats);
  return made;
}

}  // namespace octet::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octet::fast {

HWY_EXPORT(make_simd);

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

Simd simd_of(const NamedTarget& known) {
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
  return HWY_STATIC_DISPATCH(make_simd)(known.name, known.extension);
#else
  // A choice of our own: Highway's is the process's, and others may use it.
  hwy::ChosenTarget choice;
  choice.Update(known.target);
  return HWY_DISPATCH_TABLE(make_simd)[choice.GetIndex()](known.name, known.extension);
#endif
}

std::vector<Simd> make_targets() {
  std::vector<Simd> made;
  constexpr bool kOneTarget = (HWY_TARGETS & (HWY_TARGETS - 1)) == 0;  // there is nothing to choose
  const std::int64_t supported = kOneTarget ? HWY_TARGETS : hwy::SupportedTargets() & HWY_TARGETS;
  for (const NamedTarget& known : kTargets)
    if ((supported & known.target) != 0 && has(known.extension)) made.push_back(simd_of(known));
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
#endif
