#include "octet/verify/compare_report.h"

#include <fmt/core.h>

#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/table.h"
#include "octet/verify/difference.h"
#include "octet/verify/verification_json.h"
#include "octet/version.h"

namespace octet {

std::string archives_text(const ArchiveComparison& found, bool all, std::size_t width) {
  Table table({{"tensor", Table::Fit::kShorten, false, 16},
               {"elements", Table::Fit::kWhole, true},
               {"differing", Table::Fit::kWhole, true},
               {"largest", Table::Fit::kWrap},
               {"first"}});
  std::int64_t elements = 0, differing = 0;
  for (const ArrayVerdict& array : found.arrays) {
    elements += array.elements;
    differing += array.differing;
    if (array.missing)
      table.add({array.array, "", "", "missing", ""});
    else if (all || !array.equal())
      table.add({array.array, grouped(array.elements), grouped(array.differing),
                 array.wrong.empty() ? fmt::format("{}", array.largest) : array.wrong,
                 array.first ? element_name("", *array.first) : ""});
  }
  return (table.empty() ? "" : table.text(width) + "\n") +
         fmt::format("{} in common, {} compared, {} differing\n", counted(found.common, "array"),
                     counted(elements, "element"), grouped(differing));
}

std::string archives_json(const ArchiveComparison& found) {
  Json list = Json::array();
  for (const ArrayVerdict& array : found.arrays) {
    if (array.missing)
      list.push_back({{"tensor", array.array}, {"missing", true}});
    else
      list.push_back({{"tensor", array.array},
                      {"elements", array.elements},
                      {"differing", array.differing},
                      {"largest", json_number(array.largest)},
                      {"wrong", array.wrong.empty() ? Json() : Json(array.wrong)}});
  }
  return json_text({{"schema", "octet.compare/1"}, {"octet", kVersion}, {"equal", found.equal()}, {"tensors", list}});
}

std::string comparison_json(const Verification& found, const Program& program, const CompareSource& source) {
  return json_text({{"schema", "octet.compare/1"},
                    {"octet", kVersion},
                    {"equal", found.agrees()},
                    {"model", source.model},
                    {"policy", source.policy},
                    {"engine", source.engine},
                    {"comparison", verification_json(found, program)}});
}

}  // namespace octet
