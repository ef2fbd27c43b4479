// default_dimensions.h: sizes for the symbolic dimensions of a model's inputs, where the user gives none.
#pragma once

#include <cstdint>

#include "octet/graph/model.h"

namespace octet {

// Binds every symbol in the shapes of the required inputs to 1.
Model with_symbols_as_one(const Model& model);

// Binds the symbols that stand first in these shapes to 1. Throws kUsage, naming what is missing, when other dimensions or a rank
// are not known.
Model with_batch_of_one(const Model& model);

// Binds the symbols that stand first in these shapes to `batch`. Throws kUsage when there is none.
Model with_batch(const Model& model, std::int64_t batch);

}  // namespace octet
