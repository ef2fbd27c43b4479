// graph_writer.h: models into the format's messages.
#pragma once

#include "octet/graph/model.h"

namespace octet {

namespace format {
class ModelProto;
}
class ExternalWriter;

// Large initializers go to `external`, which may be null.
void write_model(const Model& model, format::ModelProto& message, ExternalWriter* external);

}  // namespace octet
