#include "octet/spec/support/softmax_lanes.h"

#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr int kSingleAxis = 13;  // the opset from which one axis is normalized over

std::int64_t axis_attribute(const Attributes& attributes, int opset) {
  return attributes.get_int("axis", opset < kSingleAxis ? 1 : -1);
}

}  // namespace

void infer_softmax(Inference& i, std::string_view type_label, std::string_view axis_label) {
  require_type(i, 0, TypeKind::kFloat, type_label);
  if (i.has_shape(0)) normalize_axis(axis_attribute(i.attributes(), i.opset()), i.shape(0).size(), axis_label);
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

Lanes softmax_lanes(const Call& call) {
  Shape shape = call.input(0).shape();
  const std::size_t axis = normalize_axis(axis_attribute(call.attributes(), call.opset()), shape.size(), {});
  if (call.opset() >= kSingleAxis) return {shape, axis};
  const auto split = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  return {Shape{element_count({shape.begin(), split}), element_count({split, shape.end()})}, 1};
}

}  // namespace octet
