#include "octet/export/patch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>

namespace octet {
namespace {

// Finds counts n[k] in [0, most] with Sum n[k] * sizes[k] = sum: x counted from the end of its range at which the product
// is smallest.
class CountSearch {
 public:
  CountSearch(std::vector<std::int64_t> sizes, std::int64_t most) : sizes_(std::move(sizes)), most_(most) {}

  std::optional<std::vector<std::int64_t>> find(std::int64_t sum) {
    const std::int64_t all = std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0});
    if (sum < 0 || sum > all * most_) return std::nullopt;
    counts_.assign(sizes_.size(), all == 0 ? 0 : sum / all);
    std::int64_t rest = sum - (all == 0 ? 0 : sum / all) * all;
    for (const std::size_t k : by_size()) {
      if (sizes_[k] == 0) break;
      const std::int64_t more = std::min(rest / sizes_[k], most_ - counts_[k]);
      counts_[k] += more;
      rest -= more * sizes_[k];
    }
    if (rest != 0 && !settle(rest)) return std::nullopt;
    return counts_;
  }

 private:
  std::vector<std::size_t> by_size() const {
    std::vector<std::size_t> order(sizes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sizes_[a] > sizes_[b]; });
    return order;
  }

  // The shortest way from `rest` to 0 that adds or takes away one size at a time; then the counts that have room for it.
  bool settle(std::int64_t rest) {
    constexpr std::int64_t kFarthest = 1024;
    if (rest > kFarthest) return false;
    std::map<std::int64_t, std::vector<std::size_t>> of_size;
    for (std::size_t k = 0; k < sizes_.size(); ++k)
      if (sizes_[k] > 0) of_size[sizes_[k]].push_back(k);
    std::map<std::int64_t, std::int64_t> came_by = {{rest, 0}};  // the signed size by which a rest was reached
    std::queue<std::int64_t> next({rest});
    while (!next.empty() && !came_by.contains(0)) {
      const std::int64_t at = next.front();
      next.pop();
      for (const auto& [size, ignored] : of_size)
        for (const std::int64_t step : {size, -size})
          if (std::abs(at - step) <= kFarthest && came_by.emplace(at - step, step).second) next.push(at - step);
    }
    if (!came_by.contains(0)) return false;
    for (std::int64_t at = 0; at != rest; at += came_by.at(at))
      if (!move(of_size.at(std::abs(came_by.at(at))), came_by.at(at) > 0 ? 1 : -1)) return false;
    return true;
  }

  bool move(const std::vector<std::size_t>& among, int by) {
    for (const std::size_t k : among)
      if (counts_[k] + by >= 0 && counts_[k] + by <= most_) {
        counts_[k] += by;
        return true;
      }
    return false;
  }

  std::vector<std::int64_t> sizes_, counts_;
  std::int64_t most_;
};

}  // namespace

std::optional<std::vector<std::int32_t>> patch_for(std::span<const std::int32_t> weights, const IntegerRange& range,
                                                   std::int64_t sum) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t weight : weights) {
    sizes.push_back(std::abs(weight));
    sum -= weight * (weight < 0 ? range.max : range.min);
  }
  const auto counts = CountSearch(std::move(sizes), range.max - range.min).find(sum);
  if (!counts) return std::nullopt;
  std::vector<std::int32_t> x;
  for (std::size_t k = 0; k < weights.size(); ++k)
    x.push_back(static_cast<std::int32_t>(weights[k] < 0 ? range.max - (*counts)[k] : range.min + (*counts)[k]));
  return x;
}

}  // namespace octet
