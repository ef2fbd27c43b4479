#include "octet/verify/compare_archives.h"

#include <algorithm>
#include <set>
#include <utility>

#include "octet/base/fail.h"
#include "octet/system/npz.h"
#include "octet/verify/difference.h"

namespace octet {
namespace {

ArrayVerdict array_verdict(const std::string& array, const Tensor& golden, const Tensor& mine) {
  Difference found = difference(golden, mine);
  ArrayVerdict verdict{.array = array,
                       .elements = found.elements,
                       .differing = static_cast<std::int64_t>(found.differing.size()),
                       .largest = found.largest,
                       .wrong = std::move(found.wrong)};
  if (!found.differing.empty()) verdict.first = index_at(golden.shape(), found.differing.front());
  return verdict;
}

}  // namespace

bool ArchiveComparison::equal() const { return std::ranges::all_of(arrays, &ArrayVerdict::equal); }

ArchiveComparison compare_archives(const std::filesystem::path& golden, const std::filesystem::path& mine) {
  const NpzReader first(golden), second(mine);
  const std::set<std::string> arrays(first.names().begin(), first.names().end());
  const std::set<std::string> others(second.names().begin(), second.names().end());
  ArchiveComparison comparison;
  for (const std::string& array : arrays) {
    if (!others.contains(array)) {
      comparison.arrays.push_back({.array = array, .missing = true});
      continue;
    }
    ++comparison.common;
    comparison.arrays.push_back(array_verdict(array, first.read(array), second.read(array)));
  }
  if (comparison.common == 0)
    fail(ErrorCode::kUsage, "{} and {} have no array in common", golden.string(), mine.string());
  return comparison;
}

}  // namespace octet
