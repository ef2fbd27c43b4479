// step_json.h: a step of an IntegerProgram as the manifest of vectors says it: docs/schemas/vectors.schema.json.
#pragma once

#include <functional>

#include "octet/integer/integer_program.h"
#include "octet/text/json.h"

namespace octet {

// How the manifest calls a tensor.
using TensorNaming = std::function<std::string(TensorId)>;

// Its kind, what it reads and makes, its formula, geometry and constants. Of steps that step_constants takes.
Json step_json(const IntegerStep& step, const TensorNaming& name_of);

// "convolution"
std::string_view kind_of(const integer::Task& task);

// What a step reads, constants too, and what it makes; none twice.
std::vector<TensorId> read_by(const integer::Task& task);
TensorId made_by(const integer::Task& task);

}  // namespace octet
