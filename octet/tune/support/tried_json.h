// tried_json.h: what was tried as JSON, in the state and in the report.
#pragma once

#include "octet/text/json.h"
#include "octet/tune/tune.h"

namespace octet {

// One way to quantize and how it fared; the accuracy only where there are labels.
Json tried_json(const Tried& tried, bool labelled);

}  // namespace octet
