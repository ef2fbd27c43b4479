// fusion.h: the passes that turn the quantized patterns of a draft into integer steps.
#pragma once

#include "octet/program/policy.h"
#include "octet/program/support/draft.h"

namespace octet {

// Runs the passes of the policy in their order. Nothing for kAsWritten.
void fuse_all(Draft& draft, Policy policy);

}  // namespace octet
