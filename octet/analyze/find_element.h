// find_element.h: finds the step that computes a named element, "conv1_q[0,5,7,9]".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "octet/base/shape.h"
#include "octet/graph/model.h"
#include "octet/program/program.h"

namespace octet {

struct ElementName {
  std::string tensor;
  Shape index;
};

// The index is what stands in the last brackets; a scalar has none in them: "total[]". Throws kUsage.
ElementName parse_element(std::string_view text);

// The step of `program` that makes `tensor`. Throws kUsage otherwise, saying what there is: the closest names; or, for
// a tensor of the file that fusing made superfluous, which step does its work and what to ask for instead; or that an
// input or constant is not computed. `model` is what the program was lowered from.
std::size_t step_that_makes(const Program& program, const Model& model, const std::string& tensor);

}  // namespace octet
