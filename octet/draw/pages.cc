#include "octet/draw/pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "octet/base/fail.h"
#include "octet/draw/excerpt.h"
#include "octet/draw/support/columns.h"
#include "octet/draw/support/flow.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

constexpr std::size_t kMostNodesOfAPage = 400, kMostPages = 20;
constexpr double kMostPixels = 6000;

bool is_viewable(const Picture& picture) {
  if (picture.nodes.size() > kMostNodesOfAPage) return false;
  const Size size = columns_of(picture).size;
  return size.width <= kMostPixels && size.height <= kMostPixels;
}

// Positions in the order of the flow: from the first up to the last, without it.
struct Range {
  std::size_t first = 0, last = 0;
};

class Paging {
 public:
  Paging(const Picture& picture, std::vector<std::size_t> order)
      : picture_(picture), order_(std::move(order)), page_of_(picture.nodes.size(), 0) {
    measure_cuts();
    split();
  }

  std::vector<Picture> pages() {
    for (std::size_t page = 0; page < ranges_.size(); ++page) assign(ranges_[page], page + 1);
    if (ranges_.size() == 1) return {picture_};
    std::vector<Picture> pages;
    for (std::size_t page = 0; page < ranges_.size(); ++page) {
      pages.push_back(drawn(page + 1));
      pages.back().title += fmt::format(", page {} of {}", page + 1, ranges_.size());
    }
    return pages;
  }

 private:
  void assign(Range range, std::size_t page) {
    for (std::size_t i = range.first; i < range.last; ++i) page_of_[order_[i]] = page;
  }

  // What a cut before each position costs: one for each value that leads across, and more than all of them for a frame.
  void measure_cuts() {
    std::vector<std::size_t> position(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    std::vector<std::size_t> last_read = position;
    for (const PictureWire& wire : picture_.wires)
      last_read[wire.from] = std::max(last_read[wire.from], position[wire.to]);
    std::vector<std::ptrdiff_t> changes(order_.size() + 2);
    const auto crossing = [&](std::size_t first, std::size_t last, std::size_t cost) {
      changes[first + 1] += static_cast<std::ptrdiff_t>(cost);
      changes[last + 1] -= static_cast<std::ptrdiff_t>(cost);
    };
    for (std::size_t node = 0; node < order_.size(); ++node) crossing(position[node], last_read[node], 1);
    for (const PictureFrame& frame : picture_.frames) {
      const auto before = [&](std::size_t a, std::size_t b) { return position[a] < position[b]; };
      const auto [first, last] = std::minmax_element(frame.nodes.begin(), frame.nodes.end(), before);
      if (first != frame.nodes.end()) crossing(position[*first], position[*last], order_.size());
    }
    std::ptrdiff_t cost = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) costs_.push_back(cost += changes[i]);
  }

  // As few pages as can be looked at, about equally long. Where wires by the dozen lead on everywhere no number of pages is
  // enough: then as few as their nodes allow.
  void split() {
    const std::size_t fewest = (order_.size() + kMostNodesOfAPage - 1) / kMostNodesOfAPage;
    if (fewest > kMostPages)
      fail(ErrorCode::kLimit, "the picture has {} nodes and forks, and would take more than {} pages",
           grouped(static_cast<std::int64_t>(order_.size())), kMostPages);
    for (std::size_t count = std::max<std::size_t>(2, fewest); count <= kMostPages; ++count) {
      ranges_ = ranges_of(count);
      if (std::all_of(ranges_.begin(), ranges_.end(), [&](Range range) { return fits(range); })) return;
    }
    ranges_ = ranges_of(fewest);
  }

  bool fits(Range range) {
    assign(range, 1);
    const bool result = is_viewable(drawn(1));
    assign(range, 0);
    return result;
  }

  // Each cut is the cheapest nearby.
  std::vector<Range> ranges_of(std::size_t count) const {
    std::vector<Range> ranges;
    const std::size_t length = order_.size() / count;
    for (std::size_t page = 0; page < count; ++page) {
      const std::size_t first = ranges.empty() ? 0 : ranges.back().last, end = order_.size();
      const std::size_t even = end * (page + 1) / count;
      std::size_t best = even;
      const auto distance = [&](std::size_t cut) { return cut > even ? cut - even : even - cut; };
      if (page + 1 < count)
        for (std::size_t cut = even - length / 4; cut <= even + length / 4; ++cut)
          if (std::pair(costs_[cut], distance(cut)) < std::pair(costs_[best], distance(best))) best = cut;
      ranges.push_back({first, best});
    }
    return ranges;
  }

  // A value that another page makes or reads.
  struct Crossing {
    const PictureWire* first = nullptr;
    std::set<std::size_t> pages;       // that read it
    std::vector<std::size_t> readers;  // on this page
  };

  // In the order of the flow, each departure right behind what departs: a column may end there.
  Picture drawn(std::size_t page) const {
    std::map<std::size_t, Crossing> arriving, leaving;  // by the node they come from
    for (const PictureWire& wire : picture_.wires) {
      const bool from_here = page_of_[wire.from] == page, to_here = page_of_[wire.to] == page;
      if (from_here == to_here) continue;
      Crossing& crossing = (from_here ? leaving : arriving)[wire.from];
      if (!crossing.first) crossing.first = &wire;
      if (from_here)
        crossing.pages.insert(page_of_[wire.to]);
      else
        crossing.readers.push_back(wire.to);
    }
    Picture result{.title = picture_.title, .remarks = picture_.remarks, .direction = picture_.direction};
    std::vector<std::optional<std::size_t>> places(picture_.nodes.size());
    for (const std::size_t node : order_) {
      if (page_of_[node] != page) continue;
      places[node] = result.nodes.size();
      result.nodes.push_back(picture_.nodes[node]);
      if (const auto found = leaving.find(node); found != leaving.end())
        add_departure(result, *places[node], found->second);
    }
    for (const PictureWire& wire : picture_.wires) {
      if (!places[wire.from] || !places[wire.to]) continue;
      result.wires.push_back(wire);
      result.wires.back().from = *places[wire.from];
      result.wires.back().to = *places[wire.to];
    }
    for (auto& [from, value] : arriving) {
      for (std::size_t& reader : value.readers) reader = *places[reader];
      add_arrival(result, from, value);
    }
    result.frames = frames_of_part(picture_, result, places);
    return result;
  }

  // Of a value, where it forks only on the wire to the dot.
  std::vector<PictureLine> lines_of(std::size_t from, const PictureWire& wire) const {
    if (picture_.nodes[from].kind != NodeKind::kFork) return wire.lines;
    const auto into = std::find_if(picture_.wires.begin(), picture_.wires.end(),
                                   [&](const PictureWire& other) { return other.to == from; });
    return into == picture_.wires.end() ? wire.lines : into->lines;
  }

  void add_arrival(Picture& page, std::size_t from, const Crossing& value) const {
    const PictureWire& wire = *value.first;
    std::size_t source = page.nodes.size();
    page.nodes.push_back(
        {.kind = NodeKind::kPage, .name = wire.name, .title = fmt::format("from page {}", page_of_[from])});
    std::vector<PictureLine> lines = lines_of(from, wire);
    if (value.readers.size() > 1) {
      page.nodes.push_back({.kind = NodeKind::kFork, .name = wire.name});
      page.wires.push_back({source, source + 1, wire.kind, std::move(lines), wire.name});
      lines.clear();
      ++source;
    }
    for (const std::size_t reader : value.readers) page.wires.push_back({source, reader, wire.kind, lines, wire.name});
  }

  void add_departure(Picture& page, std::size_t from, const Crossing& value) const {
    const PictureWire& wire = *value.first;
    std::string title = value.pages.size() > 1 ? "to pages" : "to page";
    for (const std::size_t number : value.pages)
      title += fmt::format("{} {}", number == *value.pages.begin() ? "" : ",", number);
    page.wires.push_back({from, page.nodes.size(), wire.kind, wire.lines, wire.name});
    page.nodes.push_back({.kind = NodeKind::kPage, .name = wire.name, .title = title});
  }

  const Picture& picture_;
  const std::vector<std::size_t> order_;
  std::vector<std::size_t> page_of_;
  std::vector<std::ptrdiff_t> costs_;
  std::vector<Range> ranges_;
};

}  // namespace

std::vector<Picture> pages_of(const Picture& picture) {
  if (is_viewable(picture)) return {picture};
  std::optional<std::vector<std::size_t>> order = order_of(Flow(picture));
  if (!order) return {picture};
  return Paging(picture, std::move(*order)).pages();
}

}  // namespace octet
