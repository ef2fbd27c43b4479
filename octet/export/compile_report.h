// compile_report.h: what was compiled, as text and JSON.
#pragma once

#include <string>

#include "octet/export/compile_model.h"

namespace octet {

// What the report calls them.
struct CompileSource {
  std::string model, policy;
  std::string quantized;  // how, where that was done on the way
  std::string output;
};
std::string compile_text(const CompileResult& made, const CompileSource& source);
// docs/schemas/compile.schema.json
std::string compile_json(const CompileResult& made, const CompileSource& source);

}  // namespace octet
