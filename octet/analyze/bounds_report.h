// bounds_report.h: proven bounds as text, JSON and a picture.
#pragma once

#include <cstddef>
#include <string>

#include "octet/analyze/prove_bounds.h"

namespace octet {

// Tables for people, no wider than `width`, and the verdict where there is one.
std::string bounds_text(const ProvenBounds& found, const Program& program, std::size_t width);

// docs/schemas/bounds.schema.json; `model` is what the document calls the network.
std::string bounds_json(const ProvenBounds& found, const Program& program, const std::string& model);

// The widths of each step's accumulator, as SVG. Throws kUsage where no step has one.
std::string bounds_picture(const ProvenBounds& found, const Program& program);

}  // namespace octet
