// graph_reader.h: models out of the format's messages.
#pragma once

#include "octet/graph/model.h"

namespace octet {

namespace format {
class ModelProto;
}
class ExternalData;
struct Skeleton;

// Takes a model out of `message`, which is spent afterwards, and of the skeleton that it was parsed from. Recursion
// into subgraphs is bounded by the parser's limit on nested messages.
Model read_model(format::ModelProto& message, const Skeleton& skeleton, ExternalData& external);

}  // namespace octet
