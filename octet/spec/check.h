// check.h: for shape rules and kernels: fail with the label of the constraint that does not hold.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "octet/base/error.h"
#include "octet/base/fail.h"

namespace octet {

template <typename... Args>
[[noreturn]] void fail_constraint(std::string_view label, fmt::format_string<Args...> message, Args&&... args) {
  throw Error(ErrorCode::kConstraint, fmt::format(message, std::forward<Args>(args)...), {}, std::string(label));
}

}  // namespace octet
