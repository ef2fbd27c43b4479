// fail.h: throw an octet::Error with a formatted message. For .cc files; public headers don't need it.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "octet/base/error.h"

namespace octet {

template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> message, Args&&... args) {
  throw Error(code, fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace octet
