// sanitized.h: whether this build has sanitizers, or is for an emulator: everything takes ten times as long then.
#pragma once

namespace octet {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(OCTET_EMULATED)  // g++
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)  // clang
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace octet
