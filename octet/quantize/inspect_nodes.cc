#include "octet/quantize/inspect_nodes.h"

#include "octet/base/fail.h"
#include "octet/graph/model_hash.h"
#include "octet/inspect/node_table.h"
#include "octet/quantize/pattern.h"
#include "octet/quantize/ranges_file.h"
#include "octet/text/closest_names.h"

namespace octet {

std::vector<NodeDetails> inspect_nodes(const Model& model, const ModelReport& report, const std::string& pattern,
                                       const std::filesystem::path& ranges) {
  const Pattern wanted(pattern);
  std::vector<NodeDetails> details;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    names.push_back(label_of(report.nodes[i]));
    if (wanted.is_in(names.back())) details.push_back(node_details(model, report, i));
  }
  if (details.empty())
    fail(ErrorCode::kUsage, "no node's name matches {}; the nearest are {}", wanted.shown(),
         closest_names(pattern, names));
  if (ranges.empty()) return details;
  const RangesFile observed = load_ranges(ranges, model_hash(model));
  for (NodeDetails& of : details)
    for (const auto* values : {&report.nodes[of.node].inputs, &report.nodes[of.node].outputs})
      for (const ValueReport& value : *values)
        if (const auto found = observed.ranges.find(value.name); found != observed.ranges.end())
          of.ranges[value.name] = {found->second.min, found->second.max};
  return details;
}

}  // namespace octet
