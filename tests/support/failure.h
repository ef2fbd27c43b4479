// failure.h: the octet::Error that a piece of code throws.
#pragma once

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {

template <typename F>
Error failure_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::kUsage, "nothing was thrown");
}

}  // namespace octet
