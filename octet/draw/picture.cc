#include "octet/draw/picture.h"

namespace octet {

std::string_view name(NodeKind kind) {
  switch (kind) {
    case NodeKind::kBorder: return "input, output";
    case NodeKind::kConvolution: return "convolution";
    case NodeKind::kProduct: return "matrix product";
    case NodeKind::kArithmetic: return "arithmetic";
    case NodeKind::kPool: return "pool, reduction";
    case NodeKind::kFunction: return "function";
    case NodeKind::kMove: return "moves elements";
    case NodeKind::kConversion: return "quantizes, dequantizes";
    case NodeKind::kStored: return "stored in the file";
    case NodeKind::kOther: return "other operators";
    case NodeKind::kElsewhere: return "not drawn further";
    case NodeKind::kPage: return "on another page";
    case NodeKind::kFork: break;
  }
  return "fork";
}

std::string_view name(WireKind kind) {
  switch (kind) {
    case WireKind::kBytes: return "int8, uint8";
    case WireKind::kInteger: return "int32";
    case WireKind::kFloat: return "float32";
    case WireKind::kOther: break;
  }
  return "other types";
}

}  // namespace octet
