// picture.h: a drawing as a value: boxes, wires and frames, before layout. Each view of a network makes one; DOT text
// and images are made from it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

// What a node does; colours say it.
enum class NodeKind {
  kBorder,  // an input or an output of the network
  kConvolution,
  kProduct,     // of matrices
  kArithmetic,  // of two tensors, element by element
  kPool,        // reductions too
  kFunction,    // of one tensor
  kMove,        // elements change places, none changes its value
  kConversion,  // between numbers and their quantized form
  kStored,      // a tensor of the file
  kOther,
  kElsewhere,  // a neighbour of what is drawn
  kPage,       // where a wire leads to another page, or comes from one
  kFork,       // where a value goes to more than one reader: a dot
};
inline constexpr int kNodeKindCount = 13;
// "convolution", "matrix product", ...
std::string_view name(NodeKind kind);

// What a wire carries; colour and stroke say it.
enum class WireKind {
  kBytes,    // integers of at most 8 bits
  kInteger,  // of 16 and 32 bits
  kFloat,
  kOther,  // 64-bit integers, truth values, strings, or not known
};
inline constexpr int kWireKindCount = 4;
std::string_view name(WireKind kind);

// A line of text in a node. Its badge says how many scales it has: per channel.
struct PictureLine {
  std::string text;
  std::string badge;

  bool operator==(const PictureLine&) const = default;
};

struct PictureNode {
  NodeKind kind = NodeKind::kOther;
  std::string name;   // as in the file; --around finds it by this. Of a fork or a page, the tensor's
  std::string title;  // the operator
  std::vector<PictureLine> lines;
  bool adds = false;      // an addition of two tensors: it may join a residual block
  bool floating = false;  // computes on floats
};

// From one node to another, by their positions in Picture::nodes.
struct PictureWire {
  std::size_t from = 0, to = 0;
  WireKind kind = WireKind::kOther;
  std::vector<PictureLine> lines;
  std::string name = {};  // of the tensor it carries
};

struct PictureFrame {
  std::string title;
  std::vector<std::size_t> nodes;  // no node is in two frames
};

// Where wires lead.
enum class Direction { kDown, kRight };

struct Picture {
  std::string title;
  std::vector<std::string> remarks;  // what the legend says besides colours and strokes
  std::vector<PictureNode> nodes;
  std::vector<PictureWire> wires;
  std::vector<PictureFrame> frames;
  Direction direction = Direction::kDown;
};

}  // namespace octet
