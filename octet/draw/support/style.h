// style.h: how each kind of node and wire looks. Colours are told apart by more than hue: nodes say their operator, wires
// differ in stroke.
#pragma once

#include <string_view>

#include "octet/draw/picture.h"

namespace octet {

struct NodeStyle {
  std::string_view fill, line, shape;
};

struct WireStyle {
  std::string_view line, stroke;
  double width;
};

constexpr NodeStyle style_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::kBorder: return {"#ffffff", "#24292f", "box"};
    case NodeKind::kConvolution: return {"#cfe2ff", "#2563a8", "box"};
    case NodeKind::kProduct: return {"#e2d9fc", "#6d3fc4", "box"};
    case NodeKind::kArithmetic: return {"#c9efd0", "#1f7a3d", "box"};
    case NodeKind::kPool: return {"#c8eef0", "#16747a", "box"};
    case NodeKind::kFunction: return {"#fbd9e6", "#a8325f", "box"};
    case NodeKind::kMove: return {"#e7e9ec", "#6b7280", "box"};
    case NodeKind::kConversion: return {"#fff0b3", "#8f6b00", "box"};
    case NodeKind::kStored: return {"#f2e6d8", "#80613c", "note"};
    case NodeKind::kOther: return {"#f6f8fa", "#57606a", "box"};
    case NodeKind::kElsewhere: return {"#ffffff", "#8c959f", "box"};
    case NodeKind::kPage: return {"#ffffff", "#8c959f", "invhouse"};
    case NodeKind::kFork: break;
  }
  return {"#24292f", "#24292f", "point"};
}

constexpr WireStyle style_of(WireKind kind) {
  switch (kind) {
    case WireKind::kBytes: return {"#1d5fbf", "solid", 1.6};
    case WireKind::kInteger: return {"#6d28d9", "solid", 3.2};
    case WireKind::kFloat: return {"#c2410c", "dashed", 1.6};
    case WireKind::kOther: break;
  }
  return {"#57606a", "dotted", 1.6};
}

inline constexpr std::string_view kTextColour = "#24292f", kFaintColour = "#57606a", kBadgeColour = "#6e3b8f";
inline constexpr std::string_view kFont = "Helvetica,Arial,sans-serif";

}  // namespace octet
