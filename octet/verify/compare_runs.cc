#include "octet/verify/compare_runs.h"

#include <set>
#include <string_view>

#include "octet/verify/describe_witnesses.h"

namespace octet {

std::vector<std::string> unknown_tensors(const Program& program, const NamedTensors& tensors) {
  std::set<std::string_view> known;
  for (const ProgramValue& value : program.values) known.insert(value.name);
  std::vector<std::string> unknown;
  for (const auto& [name, tensor] : tensors)
    if (!known.contains(name)) unknown.push_back(name);
  return unknown;
}

Verification compare_runs(const Engine& engine, const NamedTensors& golden, const NamedTensors& mine,
                          std::size_t width) {
  Verifier verifier(engine, Floats::kWithinTolerance, describe_witnesses(engine, width));
  verifier.add_dumps(golden, mine);
  return verifier.result();
}

}  // namespace octet
