#include "octet/draw/dot_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "octet/draw/support/columns.h"
#include "octet/draw/support/flow.h"
#include "octet/draw/support/markup.h"
#include "octet/draw/support/rows.h"
#include "octet/draw/support/style.h"

namespace octet {
namespace {

class Writer {
 public:
  Writer(const Picture& picture, LayoutKind layout)
      : picture_(picture), layout_(layout), columns_(columns_of(picture)), frame_of_(picture.nodes.size(), kNoFrame) {
    if (layout == LayoutKind::kFull)
      for (std::size_t f = 0; f < picture.frames.size(); ++f)
        for (const std::size_t node : picture.frames[f].nodes) frame_of_[node] = f;
    else
      columns_ = {.of = std::vector<std::size_t>(picture.nodes.size(), 0), .size = columns_.size};
    if (layout == LayoutKind::kRows) places_ = places_in_rows(picture);
    for (std::size_t w = 0; w < picture.wires.size(); ++w)
      if (columns_.of[picture.wires[w].from] != columns_.of[picture.wires[w].to]) turns_.push_back(w);
  }

  std::string text() {
    write("digraph octet {{\n");
    write(
        "  graph [bgcolor=\"#ffffff\" fontname=\"{0}\" fontcolor=\"{1}\" fontsize=9 nodesep=0.25 ranksep=0.2 pad=0.2 "
        "newrank=true labelloc=b labeljust=l{2}{3}\n    label=<{4}>]\n",
        kFont, kTextColour, leads_right() ? " rankdir=LR" : "", effort(),
        caption_markup(picture_, columns_.size.width));
    write(
        "  node [shape=box style=\"filled,rounded\" margin=\"0.08,0.04\" height=0.3 fontname=\"{}\" fontsize=10 "
        "fontcolor=\"{}\"]\n",
        kFont, kTextColour);
    write("  edge [fontname=\"{}\" fontsize=8 arrowsize=0.7]\n", kFont);
    for (std::size_t i = 0; i < columns_.count; ++i) {
      const std::size_t column = leads_right() ? columns_.count - 1 - i : i;
      if (leads_right()) write_gutter(column);
      write_column(column);
      if (!leads_right()) write_gutter(column);
    }
    for (const std::size_t w : turns_) write_turn(w);
    if (!turns_.empty()) write_order();
    write("}}\n");
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kNoFrame = static_cast<std::size_t>(-1);
  static constexpr std::string_view kCorner = "[shape=point width=0.01 style=invis]";

  template <typename... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  // How hard Graphviz tries. A picture that no eye takes in as a whole is laid out faster and less carefully.
  std::string effort() const {
    constexpr std::size_t kMany = 400;
    if (layout_ == LayoutKind::kRows) return " splines=line outputorder=edgesfirst";
    if (layout_ == LayoutKind::kPlain) return " splines=line nslimit=1 nslimit1=1 mclimit=0.1";
    std::string text = picture_.nodes.size() > kMany ? " nslimit=2 nslimit1=2 mclimit=0.3" : "";
    // Graphviz 2.42 bends a wire in a fixed array of 1000 boxes, and crashes when the wire passes more: there are two for
    // each rank, and two ranks for each row of nodes where wires have labels. Straight wires need no boxes.
    constexpr std::size_t kMostRows = 200;
    if (rows() > kMostRows) text += " splines=line";
    return text;
  }
  // Of nodes, in the tallest column.
  std::size_t rows() const {
    const Flow flow(picture_);
    const std::optional<std::vector<std::size_t>> order = order_of(flow);
    if (!order) return picture_.nodes.size();
    std::vector<std::size_t> row(picture_.nodes.size(), 1);
    std::size_t most = 0;
    for (const std::size_t node : *order) {
      for (const std::size_t before : flow.before[node])
        if (columns_.of[before] == columns_.of[node]) row[node] = std::max(row[node], row[before] + 1);
      most = std::max(most, row[node]);
    }
    return most;
  }

  // A column stands right of those written before it, or above them where wires lead right.
  void write_column(std::size_t column) {
    const bool several = columns_.count > 1;
    if (several) write("    subgraph cluster_column{} {{ label=\"\" pencolor=none margin=0\n", column + 1);
    if (several && column == 0) write("    head {}\n", kCorner);
    for (const std::size_t w : turns_)
      if (columns_.of[picture_.wires[w].to] == column) write("    w{}d {}\n", w, kCorner);
    for (std::size_t i = 0; i < picture_.nodes.size(); ++i)
      if (columns_.of[i] == column && frame_of_[i] == kNoFrame) write_node(i);
    for (std::size_t f = 0; f < picture_.frames.size(); ++f) {
      const PictureFrame& frame = picture_.frames[f];
      if (frame.nodes.empty() || frame_of_[frame.nodes[0]] != f || columns_.of[frame.nodes[0]] != column) continue;
      write(
          "    subgraph cluster_frame{} {{ label=<{}> labelloc=b labeljust=l margin=14 fontsize=9 fontcolor=\"{}\" "
          "style=rounded pencolor=\"#8c959f\" bgcolor=\"#f6f8fa\"\n",
          f + 1, escaped(frame.title), kFaintColour);
      for (const std::size_t node : frame.nodes) write_node(node);
      write("    }}\n");
    }
    for (std::size_t w = 0; w < picture_.wires.size(); ++w)
      if (columns_.of[picture_.wires[w].from] == column && columns_.of[picture_.wires[w].to] == column) write_wire(w);
    for (const std::size_t w : turns_)
      if (columns_.of[picture_.wires[w].from] == column) write("    w{}a {}\n", w, kCorner);
    if (several) write("    }}\n");
  }

  // The corners of wires to the next column, between the two.
  void write_gutter(std::size_t column) {
    for (const std::size_t w : turns_)
      if (columns_.of[picture_.wires[w].from] == column)
        write("    subgraph cluster_gutter{0} {{ label=\"\" pencolor=none margin=6 w{0}c {1} w{0}b {1} }}\n", w,
              kCorner);
  }

  void write_node(std::size_t i) {
    const PictureNode& node = picture_.nodes[i];
    const NodeStyle style = style_of(node.kind);
    if (node.kind == NodeKind::kFork) {
      write("    n{} [shape=point width=0.07 color=\"{}\"{}]\n", i, style.line, place_of(i));
      return;
    }
    const bool dashed = node.floating || node.kind == NodeKind::kElsewhere;
    const std::string shape = style.shape != "box" ? fmt::format(" shape={} style=filled", style.shape)
                              : dashed             ? " style=\"filled,rounded,dashed\""
                                                   : "";
    write("    n{} [label=<{}>{} fillcolor=\"{}\" color=\"{}\"{}]\n", i, node_markup(node), shape, style.fill,
          style.line, place_of(i));
  }
  std::string place_of(std::size_t i) const {
    return places_.empty() ? "" : fmt::format(" pos=\"{:.1f},{:.1f}\"", places_[i].x, places_[i].y);
  }

  // A wire that is drawn in pieces has an id for each.
  std::string look_of(std::size_t w, const char* piece = "") const {
    const WireStyle style = style_of(picture_.wires[w].kind);
    return fmt::format("id=w{3}{4} color=\"{0}\" fontcolor=\"{0}\" style={1} penwidth={2}", style.line, style.stroke,
                       style.width, w, piece);
  }
  std::string end_of(const PictureWire& wire) const {
    const std::string label = wire.lines.empty() ? "" : fmt::format(" label=<{}>", wire_markup(wire));
    return label + (picture_.nodes[wire.to].kind == NodeKind::kFork ? " arrowhead=none" : "");
  }

  void write_wire(std::size_t w) {
    const PictureWire& wire = picture_.wires[w];
    write("    n{} -> n{} [{}{}]\n", wire.from, wire.to, look_of(w), end_of(wire));
  }

  bool leads_right() const { return picture_.direction == Direction::kRight; }

  // Of two nodes of a rank the first stands left of the second, or above it where wires lead right: there Graphviz builds
  // a rank from below.
  void write_beside(std::string first, std::string second, const std::string& look) {
    if (leads_right()) std::swap(first, second);
    write("    {} -> {} [{}]\n", first, second, look);
  }

  // The heads of columns and gutters stand in one row, from left to right.
  void write_order() {
    write("  {{ rank=same head");
    for (const std::size_t w : turns_) write(" w{0}c w{0}d", w);
    write(" }}\n");
    std::string last = "head";
    for (const std::size_t w : turns_) {
      write_beside(last, fmt::format("w{}c", w), "style=invis");
      last = fmt::format("w{}d", w);
    }
  }

  // From one column to the next: down to the foot of the one, along the gutter to the head of the other, and down to
  // its node. Corners are nodes without extent, and only pieces that lead down decide about ranks.
  void write_turn(std::size_t w) {
    const PictureWire& wire = picture_.wires[w];
    write("    {{ rank=same w{0}a w{0}b }} {{ rank=same w{0}c w{0}d }}\n", w);
    write("    n{} -> w{}a [{} dir=none weight=8]\n", wire.from, w, look_of(w, "a"));
    write_beside(fmt::format("w{}a", w), fmt::format("w{}b", w), look_of(w, "b") + " dir=none");
    write("    w{0}c -> w{0}b [{1} dir=none constraint=false weight=8]\n", w, look_of(w, "c"));
    write_beside(fmt::format("w{}c", w), fmt::format("w{}d", w), look_of(w, "d") + " dir=none");
    write("    w{}d -> n{} [{} weight=8{}]\n", w, wire.to, look_of(w, "e"), end_of(wire));
  }

  const Picture& picture_;
  LayoutKind layout_;
  Columns columns_;
  std::vector<Place> places_;  // for kRows
  std::vector<std::size_t> frame_of_;
  std::vector<std::size_t> turns_;  // wires from one column to another
  std::string text_;
};

}  // namespace

std::string dot_text(const Picture& picture, LayoutKind layout) { return Writer(picture, layout).text(); }

}  // namespace octet
