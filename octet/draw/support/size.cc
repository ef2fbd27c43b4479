#include "octet/draw/support/size.h"

#include <algorithm>

#include "octet/text/utf8.h"

namespace octet {
namespace {

constexpr double kLetter = 6.3, kLine = 15, kMargin = 20, kArrow = 34;

Size size_of_lines(const std::vector<PictureLine>& lines) {
  Size size;
  for (const PictureLine& line : lines)
    size.width = std::max(size.width, kLetter * static_cast<double>(decode_utf8(line.text + line.badge).size()));
  size.height = kLine * static_cast<double>(lines.size());
  return size;
}

}  // namespace

Size size_of(const PictureNode& node, Direction direction) {
  if (node.kind == NodeKind::kFork) return {kMargin, 4};
  Size size = size_of_lines(node.lines);
  for (const std::string& text : {node.title, node.name})
    size.width = std::max(size.width, kLetter * static_cast<double>(std::min<std::size_t>(text.size(), 40)));
  return turned({size.width + kMargin, size.height + 2 * kLine + 8}, direction);
}

Size size_of(const PictureWire& wire, Direction direction) {
  const Size size = turned(size_of_lines(wire.lines), direction);
  return {size.width, size.height + kArrow};
}

}  // namespace octet
