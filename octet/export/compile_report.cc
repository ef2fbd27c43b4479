#include "octet/export/compile_report.h"

#include <fmt/core.h>

#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/version.h"

namespace octet {

std::string compile_text(const CompileResult& made, const CompileSource& source) {
  return fmt::format("{}{} of {}, {} of static memory\nwritten to {}\n",
                     source.quantized.empty() ? "" : "quantized: " + source.quantized + "\n",
                     counted(static_cast<std::int64_t>(made.steps), "step"),
                     source.model == "-" ? "standard input" : source.model,
                     counted(made.memory_bytes + made.scratch_bytes, "byte"), source.output);
}

std::string compile_json(const CompileResult& made, const CompileSource& source) {
  return json_text({{"schema", "octet.compile/1"},
                    {"octet", kVersion},
                    {"model", source.model},
                    {"policy", source.policy},
                    {"quantized", source.quantized.empty() ? Json() : Json(source.quantized)},
                    {"output", source.output},
                    {"steps", made.steps},
                    {"memory_bytes", made.memory_bytes},
                    {"scratch_bytes", made.scratch_bytes}});
}

}  // namespace octet
