#include "octet/spec/support/softmax_lanes.h"

#include "octet/spec/softmax_axis.h"
#include "octet/spec/support/types.h"

namespace octet {

void infer_softmax(Inference& i, std::string_view type_label, std::string_view axis_label) {
  require_type(i, 0, TypeKind::kFloat, type_label);
  if (i.has_shape(0)) normalize_axis(softmax_axis(i.attributes(), i.opset()).axis, i.shape(0).size(), axis_label);
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

Lanes softmax_lanes(const Call& call) {
  Shape shape = call.input(0).shape();
  const auto [written, flattens] = softmax_axis(call.attributes(), call.opset());
  const std::size_t axis = normalize_axis(written, shape.size(), {});
  if (!flattens) return {shape, axis};
  const auto split = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  return {Shape{element_count({shape.begin(), split}), element_count({split, shape.end()})}, 1};
}

}  // namespace octet
