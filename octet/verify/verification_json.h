// verification_json.h: what a verification found, as JSON. For commands that write more around it; not installed.
#pragma once

#include "octet/program/program.h"
#include "octet/text/json.h"
#include "octet/verify/verify.h"

namespace octet {

Json verification_json(const Verification& verification, const Program& program);

}  // namespace octet
