// quantization.h: the options of quantize, and of compile on the way, as the library takes them.
#pragma once

#include <string>

#include "octet/quantize/quantize_model.h"
#include "python/src/commands.h"

namespace octet::python {

struct Quantization {
  QuantizeOptions options;
  std::string ranges;         // the file that they are read from; empty: they are observed
  bool ranges_found = false;  // beside the model
  std::string engine;
  bool own_choice = false;  // dynamic, of kinds that nobody named
};
Quantization quantization_of(const Call& call);

}  // namespace octet::python
