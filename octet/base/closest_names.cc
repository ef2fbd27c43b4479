#include "octet/base/closest_names.h"

#include <algorithm>
#include <utility>

namespace octet {
namespace {

// How far name b is from what was asked for, a: letters that b has not count more than letters that a has left out.
std::size_t distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kMissing = 3, kExtra = 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j * kExtra;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i * kMissing;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : kMissing);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + kMissing, row[j - 1] + kExtra});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string closest_names(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr std::size_t kOffered = 3;
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string& name : names) found.emplace_back(distance(wanted, name), name);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t k = 0; k < std::min(kOffered, found.size()); ++k) {
    if (k > 0) text += ", ";
    text += found[k].second;
  }
  return text;
}

}  // namespace octet
