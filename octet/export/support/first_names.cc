#include "octet/export/support/first_names.h"

#include <fmt/core.h>

#include <algorithm>

namespace octet {

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) list += (i ? ", " : "") + names[i];
  return names.size() > kShown ? fmt::format("{}, … ({} in all)", list, names.size()) : list;
}

}  // namespace octet
