#include "octet/spec/support/arg_extreme.h"

#include "octet/spec/check.h"
#include "octet/spec/support/types.h"

namespace octet {

void infer_arg_extreme(Inference& i, std::string_view type_label, std::string_view axis_label) {
  require_type(i, 0, TypeKind::kNumeric, type_label);
  std::optional<SymbolicShape> y = i.input(0).shape;
  if (y) {
    const std::size_t axis = normalize_axis(i.attributes().get_int("axis", 0), y->size(), axis_label);
    if ((*y)[axis].is(0)) fail_constraint(axis_label, "axis {} of {} is empty", axis, to_string(*y));
    if (i.attributes().get_int("keepdims", 1) != 0)
      (*y)[axis] = 1;
    else
      y->erase(y->begin() + static_cast<std::ptrdiff_t>(axis));
  }
  i.set_output(0, DType::kInt64, std::move(y));
}

}  // namespace octet
