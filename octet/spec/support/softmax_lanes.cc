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
  const Shape& shape = call.input(0).shape();
  const auto [axis, flattens] = softmax_axis(call.attributes(), call.opset());
  return softmax_lanes(shape, normalize_axis(axis, shape.size(), {}), flattens);
}

}  // namespace octet
