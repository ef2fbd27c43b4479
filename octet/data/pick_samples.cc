#include "octet/data/pick_samples.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "octet/data/support/split_mix.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

using Members = std::vector<std::int64_t>;

// Moves `count` drawn elements to the front.
template <typename T>
void draw_to_front(std::vector<T>& elements, std::int64_t count, SplitMix64& random) {
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t other = k + random.below(static_cast<std::int64_t>(elements.size()) - k);
    std::swap(elements[static_cast<std::size_t>(k)], elements[static_cast<std::size_t>(other)]);
  }
}

// The first of `count` of them that are at even distances, or drawn.
template <typename T>
void choose(std::vector<T>& elements, std::int64_t count, SplitMix64* random) {
  const auto size = static_cast<std::int64_t>(elements.size());
  if (random != nullptr)
    draw_to_front(elements, count, *random);
  else
    for (std::int64_t k = 0; k < count; ++k)
      elements[static_cast<std::size_t>(k)] = elements[static_cast<std::size_t>(k * size / count)];
  elements.resize(static_cast<std::size_t>(count));
}

// How many samples groups of these sizes give.
std::vector<std::int64_t> quotas(const std::vector<std::int64_t>& sizes, std::int64_t wanted, SplitMix64* random) {
  std::vector<std::int64_t> quotas(sizes.size(), 0);
  while (wanted > 0) {
    std::vector<std::size_t> open;  // groups that have more
    for (std::size_t g = 0; g < sizes.size(); ++g)
      if (quotas[g] < sizes[g]) open.push_back(g);
    if (open.empty()) break;
    const std::int64_t share = wanted / static_cast<std::int64_t>(open.size());
    if (share == 0) choose(open, wanted, random);
    for (const std::size_t g : open) {
      const std::int64_t more = std::min(std::max<std::int64_t>(share, 1), sizes[g] - quotas[g]);
      quotas[g] += more;
      wanted -= more;
    }
  }
  return quotas;
}

std::map<std::int64_t, Members> members_of(std::span<const std::int64_t> groups) {
  std::map<std::int64_t, Members> members;
  for (std::size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(static_cast<std::int64_t>(i));
  return members;
}

}  // namespace

std::vector<std::int64_t> pick_samples(std::span<const std::int64_t> groups, std::int64_t wanted,
                                       std::optional<std::uint64_t> seed) {
  SplitMix64 generator(seed.value_or(0));
  SplitMix64* const random = seed ? &generator : nullptr;
  std::map<std::int64_t, Members> members = members_of(groups);
  std::vector<std::int64_t> sizes, picked;
  for (const auto& [group, samples] : members) sizes.push_back(static_cast<std::int64_t>(samples.size()));
  const std::vector<std::int64_t> wanted_of = quotas(sizes, wanted, random);
  std::size_t g = 0;
  for (auto& [group, samples] : members) {
    choose(samples, wanted_of[g++], random);
    picked.insert(picked.end(), samples.begin(), samples.end());
  }
  std::ranges::sort(picked);
  return picked;
}

std::string picked_text(std::span<const std::int64_t> groups, std::span<const std::int64_t> picked,
                        const std::string& kind, std::optional<std::uint64_t> seed) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t group : groups) counts[group];
  for (const std::int64_t sample : picked) ++counts[groups[static_cast<std::size_t>(sample)]];
  const std::string text = fmt::format("{} of {}, ", grouped(static_cast<std::int64_t>(picked.size())),
                                       counted(static_cast<std::int64_t>(groups.size()), "sample"));
  const std::string drawn = seed ? fmt::format("drawn with seed {}", *seed) : "at even distances";
  if (counts.size() < 2) return text + drawn;
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::ranges::minmax_element(counts, by_count);
  const std::string each = least->second == most->second
                               ? grouped(least->second)
                               : fmt::format("{} to {}", grouped(least->second), grouped(most->second));
  return text +
         fmt::format("{} of each of {} {}, {}", each, grouped(static_cast<std::int64_t>(counts.size())), kind, drawn);
}

}  // namespace octet
