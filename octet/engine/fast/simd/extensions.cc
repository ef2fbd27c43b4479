#include "octet/engine/fast/simd/extensions.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace octet::fast {

bool has(Extension extension) {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kAvxVnni = 1U << 4;
  if (extension == Extension::kVexVnni) return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
#elif defined(__aarch64__) && defined(__linux__)
  constexpr unsigned long kDotprod = 1UL << 20, kI8mm = 1UL << 13;  // HWCAP_ASIMDDP, HWCAP2_I8MM
  if (extension == Extension::kDotprod) return (getauxval(AT_HWCAP) & kDotprod) != 0;
  if (extension == Extension::kI8mm) return (getauxval(AT_HWCAP2) & kI8mm) != 0;
#endif
  return extension == Extension::kNone;
}

}  // namespace octet::fast
