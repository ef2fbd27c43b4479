#include "octet/text/closest_names.h"

#include <algorithm>
#include <utility>

namespace octet {
namespace {

// Longer names are compared by their beginnings: the work grows with the product of the lengths.
constexpr std::size_t kCompared = 256;

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

// Letters to insert, remove, replace or swap with a neighbour to make b of a (the optimal string alignment distance).
std::size_t typos(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string closest_names(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr std::size_t kOffered = 3;
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string& name : names)
    found.emplace_back(distance(wanted.substr(0, kCompared), std::string_view(name).substr(0, kCompared)), name);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t k = 0; k < std::min(kOffered, found.size()); ++k) {
    if (k > 0) text += ", ";
    text += found[k].second;
  }
  return text;
}

std::string mistyped_name(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string_view typed = wanted.substr(0, kCompared);
  std::string_view nearest;
  std::size_t fewest = typed.size() / 3 + 1;
  for (const std::string& name : names) {
    const bool begun = typed.size() >= 3 && name.starts_with(typed);
    const std::size_t count = begun ? 1 : typos(typed, std::string_view(name).substr(0, kCompared));
    if (count < fewest) nearest = name, fewest = count;
  }
  return std::string(nearest);
}

}  // namespace octet
