#include "cli/unused_options.h"

#include "octet/base/fail.h"

namespace octet::cli {

void refuse_unused(const CommandLine& line, const std::vector<UnusedOptions>& table) {
  for (const UnusedOptions& entry : table)
    for (const std::string& option : entry.options)
      if (entry.unused && line.has(option)) fail(ErrorCode::kUsage, "{} is not used: {}", option, entry.why);
}

}  // namespace octet::cli
