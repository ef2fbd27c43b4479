// Finding the smallest memory is NP-hard. Two ways are tried, and the better one is taken:
//
//   by size   the largest buffers choose first, each the lowest gap among those that are needed when it is. It comes
//             close to the least that is possible, and looks at every pair of buffers that are needed at one time: few in
//             a network, where values live for some steps. Where they are many it is left out.
//   by time   in the order of execution, each takes the smallest gap that holds it, and gives it back at its end:
//             n log n, whatever lives together.
#include "octet/program/support/place_buffers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace octet {
namespace {

// Pairs that choosing by size may look at: a second's work or less.
constexpr std::size_t kFewPairs = std::size_t{1} << 20, kPairsPerBuffer = 8;

using Indices = std::vector<std::size_t>;

template <typename Before>
Indices buffers_sorted(const std::vector<PlacedBuffer>& buffers, Before&& before) {
  Indices order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return before(buffers[a], buffers[b]); });
  return order;
}

bool is_larger(const PlacedBuffer& a, const PlacedBuffer& b) { return a.bytes > b.bytes; }
bool begins_before(const PlacedBuffer& a, const PlacedBuffer& b) { return a.first < b.first; }
bool ends_before(const PlacedBuffer& a, const PlacedBuffer& b) { return a.last < b.last; }

// How many pairs of buffers are needed at one time.
std::size_t count_pairs(const std::vector<PlacedBuffer>& buffers) {
  const Indices begins = buffers_sorted(buffers, begins_before), ends = buffers_sorted(buffers, ends_before);
  std::size_t pairs = 0, over = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    while (buffers[ends[over]].last < buffers[begins[i]].first) ++over;
    pairs += i - over;
  }
  return pairs;
}

// For each buffer, those with an overlapping lifetime.
std::vector<Indices> neighbours_of(const std::vector<PlacedBuffer>& buffers) {
  std::vector<Indices> neighbours(buffers.size());
  Indices needed;
  for (const std::size_t i : buffers_sorted(buffers, begins_before)) {
    std::erase_if(needed, [&](std::size_t other) { return buffers[other].last < buffers[i].first; });
    for (const std::size_t other : needed) {
      neighbours[i].push_back(other);
      neighbours[other].push_back(i);
    }
    needed.push_back(i);
  }
  return neighbours;
}

std::int64_t place_by_size(std::vector<PlacedBuffer>& buffers) {
  const std::vector<Indices> neighbours = neighbours_of(buffers);
  std::vector<bool> placed(buffers.size());
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  std::int64_t end = 0;
  for (const std::size_t i : buffers_sorted(buffers, is_larger)) {
    PlacedBuffer& buffer = buffers[i];
    taken.clear();
    for (const std::size_t other : neighbours[i])
      if (placed[other]) taken.emplace_back(buffers[other].offset, buffers[other].offset + buffers[other].bytes);
    std::sort(taken.begin(), taken.end());
    buffer.offset = 0;
    for (const auto& [from, to] : taken) {
      if (buffer.offset + buffer.bytes <= from) break;
      buffer.offset = std::max(buffer.offset, to);
    }
    placed[i] = true;
    end = std::max(end, buffer.offset + buffer.bytes);
  }
  return end;
}

// The gaps below the end of what has ever been taken.
class Gaps {
 public:
  std::int64_t take(std::int64_t bytes) {
    if (const auto smallest = by_size_.lower_bound({bytes, 0}); smallest != by_size_.end()) {
      const auto [size, offset] = *smallest;
      remove(offset);
      if (size > bytes) insert(offset + bytes, size - bytes);
      return offset;
    }
    std::int64_t offset = end_;
    if (!by_offset_.empty())
      if (const auto [last, size] = *by_offset_.rbegin(); last + size == end_) {
        offset = last;
        remove(last);
      }
    end_ = offset + bytes;
    return offset;
  }

  void give_back(std::int64_t offset, std::int64_t bytes) {
    auto after = by_offset_.lower_bound(offset);
    if (after != by_offset_.begin())
      if (const auto [before, size] = *std::prev(after); before + size == offset) {
        remove(before);
        offset = before;
        bytes += size;
      }
    after = by_offset_.lower_bound(offset);
    if (after != by_offset_.end() && offset + bytes == after->first) {
      bytes += after->second;
      remove(after->first);
    }
    insert(offset, bytes);
  }

  std::int64_t end() const { return end_; }

 private:
  void insert(std::int64_t offset, std::int64_t bytes) {
    by_offset_[offset] = bytes;
    by_size_.emplace(bytes, offset);
  }
  void remove(std::int64_t offset) {
    const auto gap = by_offset_.find(offset);
    by_size_.erase({gap->second, offset});
    by_offset_.erase(gap);
  }

  std::map<std::int64_t, std::int64_t> by_offset_;
  std::set<std::pair<std::int64_t, std::int64_t>> by_size_;
  std::int64_t end_ = 0;
};

std::int64_t place_by_time(std::vector<PlacedBuffer>& buffers) {
  const Indices ends = buffers_sorted(buffers, ends_before);
  const auto next = [](const PlacedBuffer& a, const PlacedBuffer& b) {
    return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
  };
  Gaps gaps;
  std::size_t over = 0;
  for (const std::size_t i : buffers_sorted(buffers, next)) {
    for (; buffers[ends[over]].last < buffers[i].first; ++over)
      gaps.give_back(buffers[ends[over]].offset, buffers[ends[over]].bytes);
    buffers[i].offset = gaps.take(buffers[i].bytes);
  }
  return gaps.end();
}

}  // namespace

std::int64_t place_buffers(std::vector<PlacedBuffer>& buffers) {
  const std::int64_t end = place_by_time(buffers);
  if (count_pairs(buffers) > kFewPairs + kPairsPerBuffer * buffers.size()) return end;
  std::vector<PlacedBuffer> by_size = buffers;
  const std::int64_t end_by_size = place_by_size(by_size);
  if (end_by_size > end) return end;
  buffers = std::move(by_size);
  return end_by_size;
}

}  // namespace octet
