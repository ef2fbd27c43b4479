#include "octet/draw/dot_text.h"

#include <fmt/format.h>

#include <iterator>
#include <map>

#include "octet/draw/support/columns.h"
#include "octet/draw/support/markup.h"
#include "octet/draw/support/style.h"

namespace octet {
namespace {

class Writer {
 public:
  explicit Writer(const Picture& picture)
      : picture_(picture), columns_(columns_of(picture)), frame_of_(picture.nodes.size(), kNoFrame) {
    for (std::size_t f = 0; f < picture.frames.size(); ++f)
      for (const std::size_t node : picture.frames[f].nodes) frame_of_[node] = f;
    for (std::size_t w = 0; w < picture.wires.size(); ++w)
      if (columns_.of[picture.wires[w].from] != columns_.of[picture.wires[w].to]) turns_.push_back(w);
  }

  std::string text() {
    write("digraph octet {{\n");
    // A picture that no eye takes in as a whole is laid out faster and less carefully.
    constexpr std::size_t kMany = 400;
    const char* effort = picture_.nodes.size() > kMany ? " nslimit=2 nslimit1=2 mclimit=0.3" : "";
    write(
        "  graph [bgcolor=\"#ffffff\" fontname=\"{0}\" fontcolor=\"{1}\" fontsize=9 nodesep=0.25 ranksep=0.2 pad=0.2 "
        "newrank=true labelloc=b labeljust=l{2}\n    label=<{3}>]\n",
        kFont, kTextColour, effort, caption_markup(picture_, columns_.width));
    write(
        "  node [shape=box style=\"filled,rounded\" margin=\"0.08,0.04\" height=0.3 fontname=\"{}\" fontsize=10 "
        "fontcolor=\"{}\"]\n",
        kFont, kTextColour);
    write("  edge [fontname=\"{}\" fontsize=8 arrowsize=0.7]\n", kFont);
    for (std::size_t column = 0; column < columns_.count; ++column) write_column(column);
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

  // A column stands right of those written before it, so the corners of wires to the next come in between.
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
      if (frame.nodes.empty() || columns_.of[frame.nodes[0]] != column) continue;
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
    for (const std::size_t w : turns_)
      if (columns_.of[picture_.wires[w].from] == column)
        write("    subgraph cluster_gutter{0} {{ label=\"\" pencolor=none margin=6 w{0}c {1} w{0}b {1} }}\n", w,
              kCorner);
  }

  void write_node(std::size_t i) {
    const PictureNode& node = picture_.nodes[i];
    const NodeStyle style = style_of(node.kind);
    if (node.kind == NodeKind::kFork) {
      write("    n{} [shape=point width=0.07 color=\"{}\"]\n", i, style.line);
      return;
    }
    const bool dashed = node.floating || node.kind == NodeKind::kElsewhere;
    const bool note = style.shape == "note";
    write("    n{} [label=<{}>{} fillcolor=\"{}\" color=\"{}\"]\n", i, node_markup(node),
          note     ? " shape=note style=filled"
          : dashed ? " style=\"filled,rounded,dashed\""
                   : "",
          style.fill, style.line);
  }

  std::string look_of(const PictureWire& wire) const {
    const WireStyle style = style_of(wire.kind);
    return fmt::format("color=\"{0}\" fontcolor=\"{0}\" style={1} penwidth={2}", style.line, style.stroke, style.width);
  }
  std::string end_of(const PictureWire& wire) const {
    const std::string label = wire.lines.empty() ? "" : fmt::format(" label=<{}>", wire_markup(wire));
    return label + (picture_.nodes[wire.to].kind == NodeKind::kFork ? " arrowhead=none" : "");
  }

  void write_wire(std::size_t w) {
    const PictureWire& wire = picture_.wires[w];
    write("    n{} -> n{} [{}{}]\n", wire.from, wire.to, look_of(wire), end_of(wire));
  }

  // The heads of columns and gutters stand in one row, from left to right.
  void write_order() {
    write("  {{ rank=same head");
    for (const std::size_t w : turns_) write(" w{0}c w{0}d", w);
    write(" }}\n");
    std::string last = "head";
    for (const std::size_t w : turns_) {
      write("  {} -> w{}c [style=invis]\n", last, w);
      last = fmt::format("w{}d", w);
    }
  }

  // From one column to the next: down to the foot of the one, along the gutter to the head of the other, and down to
  // its node. Corners are nodes without extent, and only pieces that lead down decide about ranks.
  void write_turn(std::size_t w) {
    const PictureWire& wire = picture_.wires[w];
    const std::string look = look_of(wire);
    write("    {{ rank=same w{0}a w{0}b }} {{ rank=same w{0}c w{0}d }}\n", w);
    write("    n{} -> w{}a [{} dir=none weight=8]\n", wire.from, w, look);
    write("    w{0}a -> w{0}b [{1} dir=none]\n", w, look);
    write("    w{0}c -> w{0}b [{1} dir=none constraint=false weight=8]\n", w, look);
    write("    w{0}c -> w{0}d [{1} dir=none]\n", w, look);
    write("    w{}d -> n{} [{} weight=8{}]\n", w, wire.to, look, end_of(wire));
  }

  const Picture& picture_;
  Columns columns_;
  std::vector<std::size_t> frame_of_;
  std::vector<std::size_t> turns_;  // wires from one column to another
  std::string text_;
};

}  // namespace

std::string dot_text(const Picture& picture) { return Writer(picture).text(); }

}  // namespace octet
