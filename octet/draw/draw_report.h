// draw_report.h: what was drawn, as text and JSON.
#pragma once

#include <string>

#include "octet/draw/draw.h"

namespace octet {

// A line per file, and how much of the network is quantized.
std::string draw_text(const DrawResult& result);

// docs/schemas/draw.schema.json; `model` is what the document calls the network.
std::string draw_json(const DrawResult& result, const std::string& model, View view);

}  // namespace octet
