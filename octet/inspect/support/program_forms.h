// program_forms.h: what each node of a file computes on, as the file's integer program has it.
#pragma once

#include <vector>

#include "octet/graph/model.h"
#include "octet/inspect/report.h"
#include "octet/inspect/support/model_index.h"
#include "octet/program/quantized_share.h"

namespace octet {

struct ProgramForms {
  QuantizedShare share;
  std::vector<Form> forms;  // of each node of the graph
};

// By policy exact. A call of a function is float where a node of its body is. Throws what lower() throws.
ProgramForms program_forms(const ModelIndex& index);

}  // namespace octet
